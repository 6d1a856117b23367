/// The fast path through a column, written once and compiled once per instruction set: k_nest.c includes this file with
/// NAME(f) (f with the set's suffix), TARGET (the function attribute), POINT (a point in a leaf's units) and PAIR (x
/// and y of a point) defined, after what differs between the sets.
///
/// It answers when doubles can: every triangle is surely in or surely out, no plane is steep, no two heights are within
/// tolerance of each other or of the point.

/// What a leaf says of a point; see SPECIAL. One bit for each triangle, looked at in the end; longer leaves are piles, in which
/// several hold the point.
TARGET static inline __attribute__((always_inline)) uint32_t NAME(find)(const lf__nest *nest,
                                                                        const uint32_t *leaf, POINT point) {
    uint32_t head = leaf[1], count = head & LF__NEST_COUNT;
    uint64_t maybe = 0, sure = 0;
    if (__builtin_expect(count > 64, 0))
        return SEVERAL;
#pragma GCC unroll 1
    for (uint32_t first = 0; first < count; first += LF__NEST_LANES) {
        unsigned surely, possibly = NAME(wide)(leaf + LF__NEST_HEAD + first, count, point, &surely);
        maybe |= (uint64_t)possibly << first;
        sure |= (uint64_t)surely << first;
    }
    maybe = NAME(lowest)(maybe, count);
    if (__builtin_expect(((maybe & ~sure) | (maybe & (maybe - 1))) != 0, 0)) // it takes a long
        return SEVERAL;
    return maybe ? nest_only(leaf[LF__NEST_HEAD + 3 * (size_t)count + (unsigned)__builtin_ctzll(maybe)])
                 : nest_nothing_here(nest, head >> LF__NEST_HULL_SHIFT);
}

/// The same for leaves of up to eight triangles, which most are.
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(find_short)(const lf__nest *nest, const uint32_t *leaf, POINT point) {
    uint32_t head = leaf[1], count = head & LF__NEST_COUNT;
    unsigned sure, maybe = NAME(few)(leaf + LF__NEST_HEAD, count, point, &sure);
    if (__builtin_expect((maybe & ~sure) | (maybe & (maybe - 1)), 0))
        return SEVERAL;
    return maybe ? nest_only(leaf[LF__NEST_HEAD + 3 * (size_t)count + (unsigned)__builtin_ctz(maybe)])
                 : nest_nothing_here(nest, head >> LF__NEST_HULL_SHIFT);
}

/// The leaf cell or the covered cell of a spot in a cell.
TARGET static inline __attribute__((always_inline)) uint32_t NAME(descend)(const lf__nest *nest,
                                                                           uint32_t cell, NAME(spot) * spot) {
    while (lf__nest_is_grid(cell))
        cell = NAME(step)(nest->words + (cell & ~LF__NEST_GRID), spot);
    return cell;
}

/// The height of one triangle, and how far away it is; false when that is too close to call.
TARGET static inline bool NAME(measure)(const lf__nest *nest, const lf_vec3 *local, uint32_t tagged,
                                        bool down, double *z, double *distance) {
    *z = lf__nest_height(nest, &nest->planes[tagged & LF__NEST_NUMBER], local);
    *distance = down ? local->z - *z : *z - local->z;
    return fabs(*distance) > nest->tolerance;
}

/// Nothing, because of this: a code of the hull or OTHER_SIDE. The hit is the third argument, as it is for the callers: it does not
/// have to be moved.
TARGET static __attribute__((noinline)) lf_status NAME(miss)(const lf_mesh *mesh, lf_vertical vertical,
                                                             lf_hit *hit, size_t why) {
    (void)mesh, (void)vertical;
    // The reason comes last and alone: what callers read next does not wait for it.
    NAME(copy)(hit, &nest_missed);
    hit->reason = nest_reasons[why];
    return LF_OK;
}

// From here on each step ends in the next, with all it knows in registers: the usual path touches no
// stack.

/// The point of a query again, for those that take it whole.
TARGET static inline lf_vec3 NAME(whole)(PAIR xy, double z) {
    lf_vec3 local = {0, 0, z};
    NAME(write_pair)(&local.x, xy);
    return local;
}

/// What this file leaves to others: a point beyond the grid or none at all; what doubles cannot decide.
TARGET static __attribute__((noinline)) lf_status NAME(beyond)(const lf_mesh *mesh, lf_vertical vertical,
                                                               lf_hit *hit, PAIR xy, double z) {
    return lf__nest_beyond(mesh, NAME(whole)(xy, z), vertical, hit);
}

TARGET static __attribute__((noinline)) lf_status NAME(exact)(const lf_mesh *mesh, lf_vertical vertical,
                                                              lf_hit *hit, PAIR xy, double z) {
    return lf__nest_exact(mesh, NAME(whole)(xy, z), vertical, hit);
}

/// A point over an empty cell, where only the hull itself says whether it is outside.
TARGET static __attribute__((noinline)) lf_status NAME(empty)(const lf_mesh *mesh, lf_vertical vertical,
                                                              lf_hit *hit, PAIR xy, double z) {
    (void)vertical;
    return lf__nest_empty(mesh, NAME(whole)(xy, z), hit);
}

/// Several triangles hold the point, or one of them is in doubt: a closer test, and the nearest of them on the side of the
/// query. It finds its leaf again, so that its callers need not keep anything for it.
TARGET static __attribute__((noinline)) lf_status NAME(several)(const lf_mesh *mesh, lf_vertical vertical,
                                                                lf_hit *hit, PAIR xy, double from) {
    const lf__nest *nest = &mesh->nest;
    const lf_vec3 local = NAME(whole)(xy, from);
    NAME(spot) spot;
    size_t top;
    if (!NAME(enter)(nest, xy, &spot, &top))
        return lf__nest_exact(mesh, local, vertical, hit);
    uint32_t cell = NAME(descend)(nest, nest->top[top], &spot) & ~LF__NEST_LONG;
    const uint32_t *leaf = nest->words + cell;
    uint32_t count = leaf[1] & LF__NEST_COUNT, nearest_triangle = LF__NEST_NOTHING;
    uint32_t why = nest_nothing_here(nest, leaf[1] >> LF__NEST_HULL_SHIFT);
    POINT point = NAME(point)(leaf, &spot);
    double nearest = INFINITY, nearest_z = INFINITY;
    for (uint32_t first = 0; first < count; first += LF__NEST_LANES) {
        unsigned sure, maybe = NAME(close)(leaf, first, point, &sure);
        if (maybe != sure)
            return lf__nest_exact(mesh, local, vertical, hit);
        for (; maybe; maybe &= maybe - 1) {
            uint32_t tagged =
                leaf[LF__NEST_HEAD + 3 * (size_t)count + first + (unsigned)__builtin_ctz(maybe)];
            double z, distance;
            if (!NAME(measure)(nest, &local, tagged, vertical == LF_VERTICAL_DOWN, &z, &distance) ||
                (tagged & LF__NEST_STEEP) || fabs(z - nearest_z) <= 2 * nest->tolerance)
                return lf__nest_exact(mesh, local, vertical, hit);
            why = OTHER_SIDE;
            if (distance > 0 && distance < nearest) {
                nearest = distance;
                nearest_z = z;
                nearest_triangle = tagged;
            }
        }
    }
    if (nearest_triangle == LF__NEST_NOTHING)
        return why == TOO_CLOSE ? lf__nest_exact(mesh, local, vertical, hit)
                                : NAME(miss)(mesh, vertical, hit, why & ~SPECIAL);
    lf__nest_fill(mesh, &local, nearest_triangle, nearest_z, hit);
    hit->t = nearest;
    return LF_OK;
}

/// The hit for what has been found, unless that is several triangles.
TARGET static inline __attribute__((always_inline)) lf_status
NAME(finish)(const lf_mesh *mesh, lf_vertical vertical, lf_hit *hit, PAIR xy, double from, uint32_t found) {
    double z, distance;
    if (found & SPECIAL)
        return found == TOO_CLOSE ? NAME(exact)(mesh, vertical, hit, xy, from)
                                  : NAME(miss)(mesh, vertical, hit, found & ~SPECIAL);
    NAME(land) at = NAME(reach)(&mesh->nest, xy, found, &z);
    distance = vertical == LF_VERTICAL_DOWN ? from - z : z - from;
    if (__builtin_expect(distance > mesh->nest.tolerance, 1)) {
        NAME(write)(mesh, at, found, z, distance, hit);
        return LF_OK;
    }
    return distance < -mesh->nest.tolerance ? NAME(miss)(mesh, vertical, hit, OTHER_SIDE)
                                            : NAME(exact)(mesh, vertical, hit, xy, from);
}

TARGET static __attribute__((noinline)) lf_status NAME(in_long_leaf)(const lf_mesh *mesh,
                                                                     lf_vertical vertical, lf_hit *hit,
                                                                     PAIR xy, double z, const uint32_t *leaf,
                                                                     NAME(spot) spot) {
    __builtin_prefetch(leaf + 16);
    __builtin_prefetch(leaf + 32);
    __builtin_prefetch(leaf + 48);
    uint32_t found = NAME(find)(&mesh->nest, leaf, NAME(point)(leaf, &spot));
    if (__builtin_expect(found == SEVERAL, 0))
        return NAME(several)(mesh, vertical, hit, xy, z);
    return NAME(finish)(mesh, vertical, hit, xy, z, found);
}

/// From a cell on that is empty or a leaf.
TARGET static __attribute__((noinline)) lf_status NAME(in_cell)(const lf_mesh *mesh, lf_vertical vertical,
                                                                lf_hit *hit, PAIR xy, double z, uint32_t cell,
                                                                NAME(spot) spot) {
    const lf__nest *nest = &mesh->nest;
    if (cell < LF__NEST_FIRST)
        return nest->doubted >> cell & 1 ? NAME(empty)(mesh, vertical, hit, xy, z)
                                         : NAME(miss)(mesh, vertical, hit, cell);
    const uint32_t *leaf = nest->words + cell;
    if (cell & LF__NEST_LONG) // known before the leaf has come from memory
        return NAME(in_long_leaf)(mesh, vertical, hit, xy, z, leaf - 1, spot);
    __builtin_prefetch(leaf + 16);
    uint32_t found = NAME(find_short)(nest, leaf, NAME(point)(leaf, &spot));
    if (__builtin_expect(found == SEVERAL, 0))
        return NAME(several)(mesh, vertical, hit, xy, z);
    return NAME(finish)(mesh, vertical, hit, xy, z, found);
}

/// From a cell on that is a grid or covered by one triangle: then no leaf has to be fetched.
TARGET static __attribute__((noinline)) lf_status NAME(in_other)(const lf_mesh *mesh, lf_vertical vertical,
                                                                 lf_hit *hit, PAIR xy, double z,
                                                                 uint32_t cell, NAME(spot) spot) {
    if (__builtin_expect(!lf__nest_is_covered(cell), 0)) {
        cell = NAME(descend)(&mesh->nest, cell, &spot);
        if (!lf__nest_is_covered(cell))
            return NAME(in_cell)(mesh, vertical, hit, xy, z, cell, spot);
    }
    return NAME(finish)(mesh, vertical, hit, xy, z, lf__nest_covering(cell));
}

TARGET static lf_status NAME(drop)(const void *object, lf_vec3 local, lf_vertical vertical, lf_hit *hit) {
    const lf_mesh *mesh = object;
    const lf__nest *nest = &mesh->nest;
    NAME(spot) spot;
    size_t top;
    PAIR xy = NAME(pair)(local.x, local.y);
    if (__builtin_expect(!nest_is_usable(local.z) || !NAME(enter)(nest, xy, &spot, &top), 0))
        return NAME(beyond)(mesh, vertical, hit, xy, local.z);
    uint32_t code = lf__nest_code(nest, top);
    if (nest->doubted >> code & 1) { // as LF__NEST_BORDER always is
        if (__builtin_expect(code != LF__NEST_BORDER, 0))
            return NAME(empty)(mesh, vertical, hit, xy, local.z);
        uint32_t cell = nest->top[top];
        return cell & LF__NEST_GRID ? NAME(in_other)(mesh, vertical, hit, xy, local.z, cell, spot)
                                    : NAME(in_cell)(mesh, vertical, hit, xy, local.z, cell, spot);
    }
    return NAME(miss)(mesh, vertical, hit, code);
}

/// What is over each of a few points; see SPECIAL. In stages, so that what one point waits for comes while the others are
/// served: first the top cells, then the leaves, then the planes.
TARGET static void NAME(scout)(const lf_mesh *mesh, const char *points, size_t stride, int count,
                               uint32_t *found) {
    const lf__nest *nest = &mesh->nest;
    NAME(spot) spots[LF__NEST_GROUP];
    size_t tops[LF__NEST_GROUP];
    uint32_t covered = 0; // a bit for each point
    for (int i = 0; i < count; i++) {
        const lf_vec3 *point = (const void *)(points + (size_t)i * stride);
        bool on = nest_is_usable(point->z) &&
                  NAME(enter)(nest, NAME(pair)(point->x, point->y), &spots[i], &tops[i]);
        uint32_t code = on ? lf__nest_code(nest, tops[i]) : LF__NEST_BORDER;
        found[i] = !on ? TOO_CLOSE : code != LF__NEST_BORDER ? nest_nothing_here(nest, code) : 0;
        if (!(found[i] & SPECIAL))
            __builtin_prefetch(&nest->top[tops[i]]);
    }
    for (int i = 0; i < count; i++) {
        if (found[i] & SPECIAL)
            continue;
        uint32_t cell = NAME(descend)(nest, nest->top[tops[i]], &spots[i]);
        if (lf__nest_is_covered(cell)) {
            covered |= 1u << i;
            found[i] = lf__nest_covering(cell);
            __builtin_prefetch(&nest->planes[found[i]]);
            continue;
        }
        const uint32_t *leaf = nest->words + (cell & ~LF__NEST_LONG);
        found[i] = cell < LF__NEST_FIRST ? nest_nothing_here(nest, cell) : cell;
        __builtin_prefetch(leaf);
        __builtin_prefetch(leaf + 16);
        __builtin_prefetch(leaf + 32);
    }
    for (int i = 0; i < count; i++) {
        if ((found[i] & SPECIAL) || (covered >> i & 1))
            continue;
        const uint32_t *leaf = nest->words + (found[i] & ~LF__NEST_LONG);
        bool is_long = found[i] & LF__NEST_LONG;
        POINT point = NAME(point)(leaf, &spots[i]);
        found[i] = is_long ? NAME(find)(nest, leaf, point) : NAME(find_short)(nest, leaf, point);
        if (!(found[i] & SPECIAL))
            __builtin_prefetch(&nest->planes[found[i] & LF__NEST_NUMBER]);
    }
}

TARGET static void NAME(drop_many)(const lf_mesh *mesh, const lf__nest_batch *batch) {
    lf_vertical vertical = batch->down ? LF_VERTICAL_DOWN : LF_VERTICAL_UP;
    uint32_t found[LF__NEST_GROUP];
    for (int64_t first = 0; first < batch->count; first += LF__NEST_GROUP) {
        int64_t left = batch->count - first;
        int count = left < LF__NEST_GROUP ? (int)left : LF__NEST_GROUP;
        const char *points = batch->points + (size_t)first * batch->point_stride;
        char *answers = batch->answers + (size_t)first * batch->answer_stride;
        NAME(scout)(mesh, points, batch->point_stride, count, found);
        for (int i = 0; i < count; i++) {
            const lf_vec3 *point = (const void *)(points + (size_t)i * batch->point_stride);
            lf_hit *hit = (void *)(answers + (size_t)i * batch->answer_stride);
            if (found[i] >= SEVERAL)
                NAME(drop)(mesh, *point, vertical, hit);
            else
                NAME(finish)(mesh, vertical, hit, NAME(pair)(point->x, point->y), point->z, found[i]);
        }
    }
}

/// The height alone.
TARGET static inline double NAME(height_of)(const lf_mesh *mesh, const lf_vec3 *point, uint32_t found,
                                            bool down) {
    lf_hit hit;
    if (!(found & SPECIAL)) {
        double z;
        NAME(reach)(&mesh->nest, NAME(pair)(point->x, point->y), found, &z);
        double distance = down ? point->z - z : z - point->z;
        if (fabs(distance) > mesh->nest.tolerance)
            return distance > 0 ? z : (double)NAN;
    } else if (found < SEVERAL) {
        return (double)NAN;
    }
    NAME(drop)(mesh, *point, down ? LF_VERTICAL_DOWN : LF_VERTICAL_UP, &hit);
    return hit.kind == LF_HIT_NONE ? (double)NAN : hit.point.z;
}

TARGET static void NAME(heights_many)(const lf_mesh *mesh, const lf__nest_batch *batch) {
    uint32_t found[LF__NEST_GROUP];
    for (int64_t first = 0; first < batch->count; first += LF__NEST_GROUP) {
        int64_t left = batch->count - first;
        int count = left < LF__NEST_GROUP ? (int)left : LF__NEST_GROUP;
        const char *points = batch->points + (size_t)first * batch->point_stride;
        char *answers = batch->answers + (size_t)first * batch->answer_stride;
        NAME(scout)(mesh, points, batch->point_stride, count, found);
        for (int i = 0; i < count; i++)
            *(double *)(void *)(answers + (size_t)i * batch->answer_stride) = NAME(height_of)(
                mesh, (const void *)(points + (size_t)i * batch->point_stride), found[i], batch->down);
    }
}

static const lf__nest_kernels NAME(kernels) = {NAME(test), NAME(drop), NAME(drop_many), NAME(heights_many)};

#undef NAME
#undef TARGET
#undef POINT
#undef PAIR
