/// The quick way through a column, written once and compiled once per instruction set: k_nest.c includes this file with
/// NAME(f) (f with the set's suffix) and TARGET (the function attribute) defined, after the kernels `test` and `lanes`.
///
/// It answers when plain doubles can: every triangle is surely in or surely out, no plane is steep, no two heights are within
/// tolerance of each other or of the point.

/// Nothing here: why? The hull's code says it, unless the hull's border runs through the cell, or the hull has changed.
TARGET static inline bool NAME(drop_nothing)(const lf__nest *nest, uint32_t code, bool behind, lf_hit *hit) {
    if (!behind && (nest->doubted >> code & 1))
        return false;
    lf__hit_nothing(hit, behind                    ? LF_REASON_NONE
                         : code == LF__NEST_INSIDE ? LF_REASON_HOLE
                                                   : LF_REASON_OUTSIDE);
    return true;
}

TARGET static bool NAME(drop)(const lf_mesh *mesh, const lf_vec3 *local, bool down, lf_hit *hit) {
    const lf__nest *nest = &mesh->nest;
    lf__nest_place place = lf__nest_locate(nest, local->x, local->y);
    if (place.cell < LF__NEST_FIRST)
        return NAME(drop_nothing)(nest, place.cell, false, hit);
    const uint32_t *leaf = nest->words + place.cell;
    uint32_t count = leaf[1] & LF__NEST_COUNT, nearest_triangle = LF__NEST_NOTHING;
    double nearest = INFINITY, nearest_z = 0, tolerance = nest->tolerance;
    bool behind = false;
    for (uint32_t first = 0; first < count; first += LF__NEST_LANES) {
        unsigned sure, maybe = NAME(lanes)(leaf, first, place.u, place.v, &sure);
        if (maybe != sure)
            return false;
        for (; maybe; maybe &= maybe - 1) {
            uint32_t triangle = leaf[2 + 6 * (size_t)count + first + (unsigned)__builtin_ctz(maybe)];
            const lf__nest_plane *plane = &nest->planes[triangle & LF__NEST_NUMBER];
            double z = lf__nest_height(plane, local);
            double distance = down ? local->z - z : z - local->z;
            if ((triangle & LF__NEST_STEEP) || fabs(distance) <= tolerance ||
                fabs(distance - nearest) <= 2 * tolerance)
                return false;
            behind |= distance < 0;
            if (distance > 0 && distance < nearest) {
                nearest = distance;
                nearest_z = z;
                nearest_triangle = triangle;
            }
        }
    }
    if (nearest_triangle == LF__NEST_NOTHING)
        return NAME(drop_nothing)(nest, leaf[1] >> LF__NEST_HULL_SHIFT, behind, hit);
    lf__nest_fill(mesh, local, nearest_triangle, nearest_z, hit);
    hit->t = nearest;
    return true;
}

static const lf__nest_kernels NAME(kernels) = {NAME(test), NAME(drop)};

#undef NAME
#undef TARGET
