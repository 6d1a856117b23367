/// Gottstein's culling methods: bit flags of a grid of cells, boxes around view volumes, spheres against cones.
#include "base/base.h"
#include "scene/cull.h"
#include <landfall/published.h>

// ---------------------------------------------------------------------------------------------------
// Bit flags: the world is cut into 4 x 4 x 2 cells
// ---------------------------------------------------------------------------------------------------

static const int cells[3] = {4, 4, 2};

/// What a culler keeps for this method.
typedef struct bit_flags {
    lf_box world;     ///< that is cut into cells
    uint32_t items[]; ///< the cells of each item
} bit_flags;

static size_t flags_size(const lf_cull *cull) {
    return sizeof(bit_flags) + (size_t)cull->count * sizeof(uint32_t);
}

/// First and last cell along an axis; what is beyond the world belongs to the outermost cells.
static void cell_range(double low, double high, double world_low, double world_high, int count,
                       int range[2]) {
    double step = (world_high - world_low) / count;
    double first = step > 0 ? floor((low - world_low) / step) : 0;
    double last = step > 0 ? floor((high - world_low) / step) : 0;
    range[0] = first < 0 ? 0 : first > count - 1 ? count - 1 : (int)first;
    range[1] = last < 0 ? 0 : last > count - 1 ? count - 1 : (int)last;
}

/// The cells of a box.
static uint32_t cells_of(const lf_box *world, const lf_box *box) {
    int x[2], y[2], z[2];
    if (lf_box_is_empty(*box))
        return 0;
    cell_range(box->low.x, box->high.x, world->low.x, world->high.x, cells[0], x);
    cell_range(box->low.y, box->high.y, world->low.y, world->high.y, cells[1], y);
    cell_range(box->low.z, box->high.z, world->low.z, world->high.z, cells[2], z);
    uint32_t flags = 0;
    for (int i = x[0]; i <= x[1]; i++)
        for (int j = y[0]; j <= y[1]; j++)
            for (int k = z[0]; k <= z[1]; k++)
                flags |= (uint32_t)1 << ((i * cells[1] + j) * cells[2] + k);
    return flags;
}

static lf_status prepare_flags(lf_cull *cull) {
    bit_flags *flags = lf__allocate(&cull->allocator, flags_size(cull), _Alignof(bit_flags));
    if (!flags)
        return LF_NO_MEMORY;
    flags->world = cull->world;
    for (int64_t i = 0; i < cull->count; i++)
        flags->items[i] = cells_of(&flags->world, &cull->boxes[i]);
    cull->filter_state = flags;
    return LF_OK;
}

static void flags_moved(lf_cull *cull, int64_t item) {
    bit_flags *flags = cull->filter_state;
    flags->items[item] = cells_of(&flags->world, &cull->boxes[item]);
}

static void release_flags(lf_cull *cull) {
    lf__free(&cull->allocator, cull->filter_state, flags_size(cull), _Alignof(bit_flags));
}

static int64_t keep_by_flags(const lf_cull *cull, uint32_t *found, int64_t count) {
    const bit_flags *flags = cull->filter_state;
    uint32_t seen = cells_of(&flags->world, &cull->volume.bounds);
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (flags->items[found[i]] & seen)
            found[left++] = found[i];
    return left;
}

// ---------------------------------------------------------------------------------------------------
// The box around the view volume
// ---------------------------------------------------------------------------------------------------

static int64_t keep_by_bounds(const lf_cull *cull, uint32_t *found, int64_t count) {
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (!lf__outside_bounds(&cull->volume, &cull->boxes[found[i]]))
            found[left++] = found[i];
    return left;
}

// ---------------------------------------------------------------------------------------------------
// Spheres around boxes against the cone around the view volume
// ---------------------------------------------------------------------------------------------------

/// Sine and cosine of half the cone's angle.
typedef struct cone {
    double sine, cosine;
} cone;

static double size_of(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

static double distance_to(const lf_box *box, lf_vec3 p) {
    double x = fmax(0, fmax(box->low.x - p.x, p.x - box->high.x));
    double y = fmax(0, fmax(box->low.y - p.y, p.y - box->high.y));
    double z = fmax(0, fmax(box->low.z - p.z, p.z - box->high.z));
    return sqrt(x * x + y * y + z * z);
}

/// Surely outside of the cone, before the near or behind the far plane, or too small.
/// With the angle a of the cone and b of the sphere's centre, both from the line of sight, the sphere is
/// outside when its centre is farther than its radius from the cone: from its surface, |way| sin(b - a), or
/// from its apex when that is nearest.
static bool outside_cone(const lf__volume *v, const cone *around, const lf_box *box) {
    lf_vec3 centre = lf_box_centre(*box), half = lf_vec3_scale(lf_vec3_sub(box->high, box->low), 0.5);
    lf_vec3 way = lf_vec3_sub(centre, v->eye);
    double margin = 0x1p-44 * (size_of(v->eye) + size_of(centre) + size_of(half));
    double radius = lf_vec3_length(half) * (1 + 0x1p-50) + margin;
    double length = lf_vec3_length(way), along = lf_vec3_dot(way, v->forward);
    if (2 * radius < v->smallest * (distance_to(box, v->eye) - margin))
        return true;
    if (along + radius < v->nearest || (!v->endless && along - radius > v->farthest))
        return true;
    if (length <= radius)
        return false; // the sphere contains the eye
    double beside = lf_vec3_length(lf_vec3_along(way, -along, v->forward));
    if (beside * around->sine + along * around->cosine <= 0)
        return true; // behind the apex, which is nearest and outside the sphere
    return beside * around->cosine - along * around->sine > radius;
}

static int64_t keep_by_spheres(const lf_cull *cull, uint32_t *found, int64_t count) {
    const lf__volume *v = &cull->volume;
    double wide = sqrt(v->across * v->across + v->upright * v->upright), cosine = 1 / sqrt(1 + wide * wide);
    cone around = {wide * cosine, cosine};
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (!outside_cone(v, &around, &cull->boxes[found[i]]))
            found[left++] = found[i];
    return left;
}

// ---------------------------------------------------------------------------------------------------
// The table
// ---------------------------------------------------------------------------------------------------

static int64_t keep(const lf_cull *cull, lf_cull_method method, uint32_t *found, int64_t count) {
    return method == LF_CULL_FLAGS    ? keep_by_flags(cull, found, count)
           : method == LF_CULL_BOUNDS ? keep_by_bounds(cull, found, count)
                                      : keep_by_spheres(cull, found, count);
}

const lf_cull_filters *lf_gottstein_filters(void) {
    static const lf_cull_filters filters = {prepare_flags, keep, flags_moved, release_flags};
    return &filters;
}
