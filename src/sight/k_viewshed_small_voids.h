/// Small viewsheds by vectors: voids in the way of lines (k_viewshed_small.h, which includes this file for each width).

/// Heights of the lines at some distances.
BINS_EACH VEC BINS(heights)(const BINS(targets) * t, VEC x) {
    const double *tilt = t->s->sector->tilt;
    VEC slope = V_FMA(t->metric, x, t->base);
    return V_MUL(x, V_ADD(slope, V_FMA(V_SET((float)tilt[1]), t->v, V_SET((float)tilt[0]))));
}

/// Are there voids on a ring among the samples beside the lines of some targets and between these, and those beyond?
BINS_EACH bool BINS(voids_beside)(const BINS(targets) * t, int k, uint32_t lanes) {
    const lf__small *s = t->s;
    float x = s->ring[k].x, step = x * t->per_x, first = (float)__builtin_ctz(lanes),
          last = (float)(31 - __builtin_clz(lanes));
    float place = t->v0 * x;
    return lf__small_void_rows(s, k, (int)(place + first * step + t->ob0),
                               (int)(place + last * step + t->ob1)) != 0;
}

/// Crossings that are not close to a sample: rounding has not put them on the wrong side of it.
BINS_EACH uint32_t BINS(between)(const BINS(crossing) * c) {
    return SMALL_BITS(
        M_AND(V_LESS(V_SET(LF__SMALL_BESIDE), c->share), V_LESS(c->share, V_SET(1 - LF__SMALL_BESIDE))));
}

/// Crossings with heights on both sides.
BINS_EACH uint32_t BINS(pairs)(const BINS(crossing) * c) {
    return SMALL_BITS(M_AND(BINS(is_there)(c->low), BINS(is_there)(c->high)));
}

/// A crossing beside voids. From an observer on a sample, lines cross rings at multiples of one over the distance of the target, of which
/// there are few: what is close to a sample is at it, and then the crossing begins there.
typedef struct BINS(sides) {
    BINS(crossing) c;
    uint32_t at;               ///< at the first sample
    uint32_t sure;             ///< which samples it is between is not in doubt,
    uint32_t clean;            ///< or does not matter: the one beyond has a height too
    uint32_t below, low, high; ///< which samples have heights: the one before it, and on both sides
} BINS(sides);

BINS_EACH BINS(sides) BINS(sides_of)(const BINS(targets) * t, const BINS(crossing) * c) {
    BINS(sides) d = {.c = *c};
    VEC before = SMALL_FETCH(c->slope - 1, c->row), behind = SMALL_FETCH(c->slope + 2, c->row);
    MASK between =
             M_AND(V_LESS(V_SET(LF__SMALL_BESIDE), c->share), V_LESS(c->share, V_SET(1 - LF__SMALL_BESIDE))),
         after = V_LESS(V_SET(0.5f), c->share);
    if (t->s->sector->on_sample) {
        MASK next = M_AND(M_NOT(between), after);
        d.at = ~SMALL_BITS(between);
        d.sure = d.clean = UINT32_MAX;
        d.c.whole = V_IF(next, V_ADD(c->whole, V_SET(1)), c->whole);
        d.c.share = V_ONLY(between, c->share);
        d.c.low = V_IF(next, c->high, c->low);
        d.c.high = V_IF(next, behind, c->high); // times 0
        before = V_IF(next, c->low, before);
    } else {
        d.sure = SMALL_BITS(between);
        d.clean = d.sure | (BINS(pairs)(c) & SMALL_BITS(BINS(is_there)(V_IF(after, behind, before))));
    }
    d.below = SMALL_BITS(BINS(is_there)(before));
    d.low = SMALL_BITS(BINS(is_there)(d.c.low));
    d.high = SMALL_BITS(BINS(is_there)(d.c.high));
    return d;
}

/// Lines at the first sample of a crossing: those that follow an edge to the next ring, if they do, and whether there is a triangle beside
/// it; those whose sample is a corner of one of the triangles behind it. Of the next ring are known the samples of the same number and
/// the next one.
typedef struct BINS(corner) {
    uint32_t along, is;
} BINS(corner);

BINS_EACH BINS(corner) BINS(corner_of)(const BINS(sides) * d, uint32_t same, uint32_t next, uint32_t step) {
    uint32_t first = same & next, above = d->high & next, below = d->below & same;
    return (BINS(corner)){d->low & ((step & next & (same | d->high)) | (~step & same & (next | d->below))),
                          d->low & (first | above | below)};
}

/// Targets whose lines cross void triangles between two rings, of which some begin at the first and some end at the second: behind a void if
/// they are below it there for sure; returns those for which that is not clear.
BINS_EACH uint32_t BINS(meet_void)(BINS(targets) * t, int k, uint32_t voids, uint32_t begin, uint32_t end) {
    const lf__small *s = t->s;
    voids &= t->alive & ~t->behind;
    if (!voids || !s->sweep->finds_voids)
        return 0;
    VEC first = BINS(heights)(t, V_SET(s->ring[k].x)), last = BINS(heights)(t, V_SET(s->ring[k + 1].x)),
        low = V_SET(s->void_height - s->void_off), high = V_SET(s->void_height + s->void_off);
    uint32_t below = (begin & SMALL_BITS(V_LESS(first, low))) | (end & SMALL_BITS(V_LESS(last, low)));
    uint32_t above = SMALL_BITS(M_AND(V_LESS(high, first), V_LESS(high, last)));
    t->behind |= voids & below;
    return voids & ~above & ~below;
}

/// Targets whose lines, which are lower by `sag` behind the crossing, are not clear of the samples on both sides of it.
BINS_EACH uint32_t BINS(not_clear)(const BINS(targets) * t, int k, const BINS(crossing) * c, VEC sag) {
    VEC peak = V_ADD(V_MAX(c->low, c->high), sag);
    return SMALL_BITS(V_LESS(V_SET(-(t->s->ring[k].stays + t->off)), peak));
}

/// A ring and the strip behind it, where some samples are voids. A line that is not at a sample crosses two triangles, of which at least
/// one is void if one of the four samples beside it is; one that is at a sample crosses one, or follows an edge. Edges exist if a
/// triangle beside them does, samples if one around them does.
BINS_EACH void BINS(meet_beside_voids)(BINS(targets) * t, int k, const BINS(crossing) * before,
                                       const BINS(crossing) * now) {
    const lf__small_ring *ring = &t->s->ring[k];
    BINS(sides) b = BINS(sides_of)(t, before), n = BINS(sides_of)(t, now);
    BINS(edge) e = BINS(cross_edge)(&b.c, &n.c, ring[1].ratio);
    uint32_t step = SMALL_BITS(e.step), from = (step & b.high) | (~step & b.low);
    uint32_t to = (step & n.low) | (~step & n.high), pair = b.low & b.high & ~b.at;
    BINS(corner)
    corner = BINS(corner_of)(&b, (step & n.below) | (~step & n.low), (step & n.low) | (~step & n.high), step);
    uint32_t first = pair & to, last = n.low & n.high & from & ~n.at,
             edge = from & to & (first | last) & ~(b.at | n.at);
    uint32_t upper = first | (b.at & (~n.at | corner.along)), lower = last | n.at;
    uint32_t clean = b.clean & n.clean;
    VEC hides = V_SET(ring->hides + t->off), clears = V_SET(-(ring->clears + t->off)),
        level = BINS(level)(&b.c);
    t->alive &= ~((((first & clean) | (b.at & corner.is)) & SMALL_BITS(V_LESS(hides, level))) |
                  (edge & clean & SMALL_BITS(V_LESS(hides, e.above))));
    // Close to a sample it may be ground, whatever is beside it.
    uint32_t near =
        ((pair | (b.at & b.low)) & SMALL_BITS(V_LESS(clears, level))) |
        (from & to & ~(b.at | n.at) & SMALL_BITS(V_LESS(clears, e.above))) |
        (~clean & (BINS(not_clear)(t, k, before, V_SET(0)) | BINS(not_clear)(t, k, now, V_SET(0))));
    uint32_t sure = b.sure & n.sure, begin = sure & (~upper | (~lower & b.at)),
             end = sure & (~lower | (~upper & n.at));
    uint32_t unclear = BINS(meet_void)(t, k, ~(upper & lower & clean), begin, end) & t->alive;
    near &= t->alive;
    if (near | unclear)
        BINS(note)(t, k, near, unclear);
    t->near |= near;
    t->near_void |= unclear;
}

/// The ring before the targets' own and the last piece of ground, where some samples are voids: which of the targets that the ring may
/// hide, and may be close to, are so; returns those for which voids are not clear.
BINS_EACH uint32_t BINS(meet_last_of_voids)(BINS(targets) * t, const BINS(crossing) * c, VEC sag,
                                            uint32_t *hidden, uint32_t *near) {
    const lf__small *s = t->s;
    const float *own = &s->slope[t->r][t->row];
    BINS(sides) b = BINS(sides_of)(t, c);
    uint32_t step = b.at & SMALL_BITS(V_LESS(V_SET(0.5f), t->v)), // along a diagonal
        before = SMALL_BITS(BINS(is_there)(V_LOAD(own - 1))),
             behind = SMALL_BITS(BINS(is_there)(V_LOAD(own + 1))), pair = b.low & b.high & ~b.at;
    BINS(corner) corner = BINS(corner_of)(&b, ~step | before, step | behind, step);
    *hidden &= (pair & b.clean) | (b.at & corner.is);
    t->alive &= ~*hidden;
    *near = (*near & (pair | (b.at & b.low))) | (~b.clean & BINS(not_clear)(t, t->r - 1, c, sag));
    uint32_t clear = ((pair & ~b.at) | (b.at & corner.along)) & b.clean;
    return BINS(meet_void)(t, t->r - 1, ~clear, ~clear & b.sure, ~clear & b.sure);
}

/// Targets for which voids up to a distance matter.
BINS_EACH uint32_t BINS(unknown)(const BINS(targets) * t, float x) {
    return t->s->sweep->finds_voids ? t->alive & ~t->behind & SMALL_BITS(V_LESS(t->over, V_SET(x))) : 0;
}

/// Up to where lines are above all voids, or pass none. Where the observer is above them lines sag downwards, and so are no lower than
/// straight ones of the same slope at the observer.
BINS_EACH VEC BINS(over_voids)(const BINS(targets) * t) {
    const lf__small *s = t->s;
    const double *tilt = s->sector->tilt;
    float high = s->void_height + s->void_off;
    VEC slope = V_ADD(t->base, V_FMA(V_SET((float)tilt[1]), t->v, V_SET((float)tilt[0])));
    VEC over = high < 0 ? V_DIV(V_SET(0.9999f * high), V_MIN(slope, V_SET(-1e-20f))) : V_SET(0);
    const lf__small_ring *before = &s->ring[t->r - 1];
    VEC low = V_SET(before->clear_low), most = V_SET(before->clear_high);
    return V_IF(M_AND(V_LESS(low, t->v), V_LESS(t->v, most)), V_SET(LF__FAR_SLOPE), over);
}
