/// Cullers: the hierarchy of their boxes, creating, moving and destroying.
#include "base/base.h"
#include "base/containers.h"
#include "scene/cull.h"
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Hierarchy
// ---------------------------------------------------------------------------------------------------

// The hierarchy is sorted along Hilbert's curve and refreshed where boxes moved.

// ---------------------------------------------------------------------------------------------------
// Boxes as floats
// ---------------------------------------------------------------------------------------------------

/// Rounded outwards by two units in the last place, which also covers the subtraction of the origin.
static float outwards(double value, float direction) {
    float f = (float)value;
    return f + direction * (fabsf(f) * 0x1p-22f + 1e-37f);
}

/// The rounding error of a distance: products and sums, each with an error of 2^-24 of coordinates as large
/// as these, and the normals' own rounding; three times that. As the magnitudes of a unit normal's components
/// sum up to 1 or more, enlarging a box by it on all sides covers the error.
static float slack_of(const float low[3], const float high[3]) {
    float size = 0;
    for (int k = 0; k < 3; k++)
        size += fmaxf(fabsf(low[k]), fabsf(high[k]));
    return size * 0x1p-20f;
}

/// Write an item's box to its slot.
static void cull_place(lf_cull *cull, uint32_t slot, const lf_box *box) {
    lf__cull_level *level = &cull->levels[0];
    int64_t g = slot / LF__GROUP;
    int lane = (int)(slot % LF__GROUP);
    lf__cull_group *group = &level->groups[g];
    uint64_t bit = (uint64_t)1 << lane;
    level->stale[g / 64] |= (uint64_t)1 << (g % 64);
    cull->there -= (group->alive & bit) != 0;
    group->alive &= ~bit;
    if (lf_box_is_empty(*box))
        return;
    group->alive |= bit;
    cull->there++;
    lf_vec3 a = lf_vec3_sub(box->low, cull->origin), b = lf_vec3_sub(box->high, cull->origin);
    float low[3] = {outwards(a.x, -1), outwards(a.y, -1), outwards(a.z, -1)};
    float high[3] = {outwards(b.x, 1), outwards(b.y, 1), outwards(b.z, 1)};
    float slack = slack_of(low, high);
    for (int k = 0; k < 3; k++) {
        group->low[k][lane] = low[k] - slack;
        group->high[k][lane] = high[k] + slack;
    }
    group->diagonal[lane] = outwards(lf_vec3_length(lf_vec3_sub(box->high, box->low)), 1);
}

static double size_of_lane(const lf__cull_group *group, int lane) {
    double size = 0;
    for (int k = 0; k < 3; k++)
        size += (double)group->high[k][lane] - (double)group->low[k][lane];
    return group->alive >> lane & 1 ? size : 0;
}

/// The least of 64 numbers. Sixteen at a time: compilers turn that into vectors.
static float cull_least_of(const float values[LF__GROUP]) {
    float least[16];
    memcpy(least, values, sizeof least);
    for (int i = 16; i < LF__GROUP; i += 16)
        for (int k = 0; k < 16; k++)
            least[k] = values[i + k] < least[k] ? values[i + k] : least[k];
    for (int wide = 8; wide > 0; wide /= 2)
        for (int k = 0; k < wide; k++)
            least[k] = least[k + wide] < least[k] ? least[k + wide] : least[k];
    return least[0];
}

static float cull_largest_of(const float values[LF__GROUP]) {
    float largest[16];
    memcpy(largest, values, sizeof largest);
    for (int i = 16; i < LF__GROUP; i += 16)
        for (int k = 0; k < 16; k++)
            largest[k] = values[i + k] > largest[k] ? values[i + k] : largest[k];
    for (int wide = 8; wide > 0; wide /= 2)
        for (int k = 0; k < wide; k++)
            largest[k] = largest[k + wide] > largest[k] ? largest[k + wide] : largest[k];
    return largest[0];
}

/// The box around a group becomes a lane of the group above it.
static void lift(const lf__cull_group *group, lf__cull_group *above, int lane) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool full = !~group->alive;
    for (int k = 0; full && k < 3; k++) {
        low[k] = cull_least_of(group->low[k]);
        high[k] = cull_largest_of(group->high[k]);
    }
    float diagonal = full ? cull_largest_of(group->diagonal) : 0;
    for (uint64_t rest = full ? 0 : group->alive; rest; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], group->low[k][i]);
            high[k] = fmaxf(high[k], group->high[k][i]);
        }
        diagonal = fmaxf(diagonal, group->diagonal[i]);
    }
    uint64_t bit = (uint64_t)1 << lane;
    above->alive = group->alive ? above->alive | bit : above->alive & ~bit;
    for (int k = 0; k < 3; k++) {
        above->low[k][lane] = group->alive ? low[k] : 0;
        above->high[k][lane] = group->alive ? high[k] : 0;
    }
    above->diagonal[lane] = diagonal;
}

/// Refresh what is stale, level by level.
static void lift_all(lf_cull *cull) {
    for (int l = 0; l + 1 < cull->level_count; l++) {
        lf__cull_level *level = &cull->levels[l], *above = level + 1;
        for (int64_t word = 0; word < (level->count + 63) / 64; word++) {
            uint64_t rest = level->stale[word];
            level->stale[word] = 0;
            for (; rest; rest &= rest - 1) {
                int lane = __builtin_ctzll(rest); // a word of groups is a group above
                lf__cull_group *up = &above->groups[word];
                cull->spread -= l == 0 ? size_of_lane(up, lane) : 0;
                lift(&level->groups[word * 64 + lane], up, lane);
                cull->spread += l == 0 ? size_of_lane(up, lane) : 0;
                above->stale[word / 64] |= (uint64_t)1 << (word % 64);
            }
        }
    }
    lf__cull_level *top = &cull->levels[cull->level_count - 1];
    memset(top->stale, 0, (size_t)(top->count + 63) / 64 * sizeof *top->stale);
}

// ---------------------------------------------------------------------------------------------------
// Sorting
// ---------------------------------------------------------------------------------------------------

/// An item and its position along the curve.
typedef struct cull_spot {
    uint64_t code;
    uint32_t thing;
} cull_spot;

#define CODE_BITS 16 ///< of each axis

/// The bits of a 16-bit number with two zeros between each.
static uint64_t spaced(uint64_t bits) {
    bits = (bits | bits << 16) & 0x0000ff0000ffu;
    bits = (bits | bits << 8) & 0x00f00f00f00fu;
    bits = (bits | bits << 4) & 0x0c30c30c30c3u;
    return (bits | bits << 2) & 0x249249249249u;
}

static uint32_t cull_step_of(double value, double low, double high) {
    double most = (double)((1 << CODE_BITS) - 1),
           place = high > low ? (value - low) / (high - low) * most : 0;
    return place > 0 ? (uint32_t)(place < most ? place : most) : 0;
}

/// From a position to the bits of its number on Hilbert's curve, spread over the axes: at each scale, from
/// the coarsest, the finer bits are rotated and mirrored so that the curve through the cells of that scale is
/// continuous; the Gray code is undone at the end. (Morton's curve jumps, and runs along it have larger
/// boxes: a quarter more groups are tested.)
static void turn_to_curve(uint32_t axes[3]) {
    for (uint32_t scale = 1u << (CODE_BITS - 1); scale > 1; scale >>= 1)
        for (int k = 0; k < 3; k++) {
            uint32_t finer = scale - 1, swap = (axes[0] ^ axes[k]) & finer;
            if (axes[k] & scale) {
                axes[0] ^= finer;
            } else {
                axes[0] ^= swap;
                axes[k] ^= swap;
            }
        }
    axes[1] ^= axes[0];
    axes[2] ^= axes[1];
    uint32_t undo = 0;
    for (uint32_t scale = 1u << (CODE_BITS - 1); scale > 1; scale >>= 1)
        undo ^= axes[2] & scale ? scale - 1 : 0;
    for (int k = 0; k < 3; k++)
        axes[k] ^= undo;
}

static uint64_t cull_code_of(const lf_box *box, const lf_box *centres) {
    lf_vec3 c = lf_box_centre(*box);
    uint32_t axes[3] = {cull_step_of(c.x, centres->low.x, centres->high.x),
                        cull_step_of(c.y, centres->low.y, centres->high.y),
                        cull_step_of(c.z, centres->low.z, centres->high.z)};
    turn_to_curve(axes);
    return spaced(axes[0]) << 2 | spaced(axes[1]) << 1 | spaced(axes[2]);
}

/// A stable sort by code: six passes over eight bits each.
static void sort_spots(cull_spot *spots, cull_spot *other, int64_t count) {
    for (int shift = 0; shift < 3 * CODE_BITS; shift += 8) {
        int64_t starts[257] = {0};
        for (int64_t i = 0; i < count; i++)
            starts[(spots[i].code >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++)
            starts[b + 1] += starts[b];
        for (int64_t i = 0; i < count; i++)
            other[starts[spots[i].code >> shift & 255]++] = spots[i];
        cull_spot *swapped = spots;
        spots = other;
        other = swapped;
    }
}

/// All items with a box, along the curve; returns their number.
static int64_t line_up(const lf_cull *cull, cull_spot *spots, cull_spot *other) {
    lf_box centres = lf_box_empty();
    for (int64_t i = 0; i < cull->count; i++)
        if (!lf_box_is_empty(cull->boxes[i]))
            centres = lf_box_with(centres, lf_box_centre(cull->boxes[i]));
    int64_t count = 0;
    for (int64_t i = 0; i < cull->count; i++)
        if (!lf_box_is_empty(cull->boxes[i]))
            spots[count++] = (cull_spot){cull_code_of(&cull->boxes[i], &centres), (uint32_t)i};
    sort_spots(spots, other, count);
    return count;
}

// ---------------------------------------------------------------------------------------------------
// Building the levels
// ---------------------------------------------------------------------------------------------------

static lf_status level_reserve(lf_cull *cull, lf__cull_level *level, int64_t count) {
    if (count <= level->capacity)
        return LF_OK;
    lf__cull_group *groups;
    uint64_t *stale;
    lf_status status = lf__allocate_array(&cull->allocator, count, sizeof *groups, (void **)&groups);
    if (status != LF_OK)
        return status;
    status = lf__allocate_array(&cull->allocator, (count + 63) / 64, sizeof *stale, (void **)&stale);
    if (status != LF_OK) {
        lf__free_array(&cull->allocator, groups, count, sizeof *groups);
        return status;
    }
    // Old contents are of no use: a sort fills all groups.
    lf__free_array(&cull->allocator, level->stale, (level->capacity + 63) / 64, sizeof *stale);
    lf__free_array(&cull->allocator, level->groups, level->capacity, sizeof *groups);
    *level = (lf__cull_level){groups, stale, 0, count};
    return LF_OK;
}

/// Reserve all levels over this many items; the old hierarchy is lost from the first level that has to grow.
static lf_status reserve_levels(lf_cull *cull, int64_t things) {
    int64_t count = things;
    int levels = 0;
    do {
        count = (count + LF__GROUP - 1) / LF__GROUP;
        count = count > 0 ? count : 1;
        lf_status status = level_reserve(cull, &cull->levels[levels++], count);
        if (status != LF_OK)
            return status;
    } while (count > 1);
    return LF_OK;
}

static void cull_clear_levels(lf_cull *cull, int64_t things) {
    int64_t count = things;
    cull->level_count = 0;
    do {
        count = (count + LF__GROUP - 1) / LF__GROUP;
        count = count > 0 ? count : 1;
        lf__cull_level *level = &cull->levels[cull->level_count++];
        level->count = count;
        memset(level->groups, 0, (size_t)count * sizeof *level->groups);
        memset(level->stale, 0, (size_t)(count + 63) / 64 * sizeof *level->stale);
    } while (count > 1);
}

static void cull_fill_levels(lf_cull *cull, const cull_spot *spots, int64_t count) {
    cull->world = lf_box_empty();
    for (int64_t i = 0; i < cull->count; i++) {
        cull->slots[i] = LF__NO_SLOT;
        if (!lf_box_is_empty(cull->boxes[i]))
            cull->world = lf_box_union(cull->world, cull->boxes[i]);
    }
    cull->origin = count > 0 ? lf_box_centre(cull->world) : (lf_vec3){0, 0, 0};
    cull_clear_levels(cull, count);
    cull->there = 0;
    for (int64_t s = 0; s < count; s++) {
        uint32_t thing = spots[s].thing;
        cull->slots[thing] = (uint32_t)s;
        cull->things[s] = thing;
        cull_place(cull, (uint32_t)s, &cull->boxes[thing]);
    }
    cull->spread = 0;
    lift_all(cull);
    cull->spread_sorted = cull->spread;
    cull->moved = 0;
    cull->unsorted = false;
    cull->view_known = cull->found_known = false;
}

/// Build the hierarchy over all items. After a failure the next query builds it again.
static lf_status cull_sort(lf_cull *cull) {
    cull_spot *spots = NULL, *other = NULL;
    lf_status status = lf__allocate_array(&cull->allocator, cull->count, sizeof *spots, (void **)&spots);
    if (status != LF_OK)
        goto done;
    status = lf__allocate_array(&cull->allocator, cull->count, sizeof *other, (void **)&other);
    if (status != LF_OK)
        goto done;
    cull->unsorted = true; // until it is done: reserving may lose the old hierarchy
    status = reserve_levels(cull, cull->count);
    if (status == LF_OK)
        cull_fill_levels(cull, spots, line_up(cull, spots, other));
done:
    lf__free_array(&cull->allocator, other, cull->count, sizeof *other);
    lf__free_array(&cull->allocator, spots, cull->count, sizeof *spots);
    return status;
}

lf_status lf__cull_refresh(lf_cull *cull, bool *sorted) {
    *sorted = cull->unsorted;
    if (cull->unsorted)
        return cull_sort(cull);
    lift_all(cull);
    if (cull->moved < cull->count / 2 || !(cull->spread > 2 * cull->spread_sorted))
        return LF_OK;
    *sorted = true;
    return cull_sort(cull);
}

// ---------------------------------------------------------------------------------------------------
// Cullers
// ---------------------------------------------------------------------------------------------------

#define CULL_FARTHEST 1e30

/// Empty, or within bounds. A NaN is neither.
static bool cull_box_valid(const lf_box *box) {
    const double sides[6] = {box->low.x, box->low.y, box->low.z, box->high.x, box->high.y, box->high.z};
    bool within = true;
    for (int k = 0; k < 6; k++) {
        if (isnan(sides[k]))
            return false;
        within = within && fabs(sides[k]) <= CULL_FARTHEST;
    }
    return within || lf_box_is_empty(*box);
}

static lf_status check_boxes(const lf_box *boxes, int64_t count, lf_error *error) {
    if (count < 0 || (count > 0 && !boxes))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "count %lld with boxes at %s: expected at least 0, and an array", (long long)count,
                        boxes ? "an array" : "NULL");
    if (count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "count %lld: expected at most 2^31 - 1 boxes",
                        (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (!cull_box_valid(&boxes[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "box %lld from (%g, %g, %g) to (%g, %g, %g): expected coordinates within 1e30",
                            (long long)i, boxes[i].low.x, boxes[i].low.y, boxes[i].low.z, boxes[i].high.x,
                            boxes[i].high.y, boxes[i].high.z);
    return LF_OK;
}

static int64_t mark_words(int64_t count) {
    return (count + 63) / 64;
}

static lf_status cull_allocate(lf_cull *cull) {
    const lf_allocator *a = &cull->allocator;
    lf_status status = lf__allocate_array(a, cull->count, sizeof *cull->boxes, (void **)&cull->boxes);
    if (status == LF_OK)
        status = lf__allocate_array(a, cull->count, sizeof *cull->slots, (void **)&cull->slots);
    if (status == LF_OK)
        status =
            lf__allocate_array(a, cull->count + LF__NOTE_SPACE, sizeof *cull->things, (void **)&cull->things);
    if (status == LF_OK)
        status =
            lf__allocate_array(a, cull->count + LF__NOTE_SPACE, sizeof *cull->found, (void **)&cull->found);
    if (status == LF_OK)
        status = lf__allocate_array(a, mark_words(cull->count), sizeof *cull->marks, (void **)&cull->marks);
    if (status == LF_OK)
        memset(cull->things, 0, (size_t)(cull->count + LF__NOTE_SPACE) * sizeof *cull->things);
    if (status == LF_OK)
        memset(cull->marks, 0, (size_t)mark_words(cull->count) * sizeof *cull->marks);
    return status;
}

static lf_status make(const lf_allocator *allocator, const lf_box *boxes, int64_t count, lf_cull **made) {
    lf_cull *cull = lf__allocate(allocator, sizeof *cull, LF__CACHE_LINE);
    if (!cull)
        return LF_NO_MEMORY;
    memset(cull, 0, sizeof *cull);
    cull->allocator = *allocator;
    cull->kernels = lf__cull_kernels_for(lf_isa_best());
    lf__cull_order_make(&cull->order);
    cull->count = count;
    lf_status status = cull_allocate(cull);
    if (status == LF_OK) {
        if (count > 0)
            memcpy(cull->boxes, boxes, (size_t)count * sizeof *boxes);
        status = cull_sort(cull);
    }
    if (status == LF_OK)
        *made = cull;
    else
        lf_cull_destroy(cull);
    return status;
}

lf_status lf_cull_create(const lf_cull_def *def, lf_cull **cull, lf_error *error) {
    lf_cull_def full = lf_cull_def_default();
    if (!def || !cull)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def or cull is NULL");
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check_boxes(full.boxes, full.count, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    status = make(&allocator, full.boxes, full.count, cull);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    (*cull)->shape = full.shape;
    (*cull)->user = full.user;
    return LF_OK;
}

void lf_cull_destroy(lf_cull *cull) {
    if (!cull || cull->querying)
        return;
    const lf_allocator allocator = cull->allocator;
    for (int l = 0; l < LF__CULL_LEVELS; l++) {
        lf__cull_level *level = &cull->levels[l];
        lf__free_array(&allocator, level->stale, (level->capacity + 63) / 64, sizeof *level->stale);
        lf__free_array(&allocator, level->groups, level->capacity, sizeof *level->groups);
    }
    if (cull->filters)
        cull->filters->release(cull);
    lf__free_array(&allocator, cull->marks, mark_words(cull->count), sizeof *cull->marks);
    lf__free_array(&allocator, cull->found, cull->count + LF__NOTE_SPACE, sizeof *cull->found);
    lf__free_array(&allocator, cull->things, cull->count + LF__NOTE_SPACE, sizeof *cull->things);
    lf__free_array(&allocator, cull->slots, cull->count, sizeof *cull->slots);
    lf__free_array(&allocator, cull->boxes, cull->count, sizeof *cull->boxes);
    lf__free(&allocator, cull, sizeof *cull, LF__CACHE_LINE);
}

/// Enlarge the world; a view without a far plane must be recomputed then.
static void widen_world(lf_cull *cull, const lf_box *box) {
    lf_box world = lf_box_union(cull->world, *box);
    bool grown = memcmp(&world, &cull->world, sizeof world) != 0;
    cull->world = world;
    cull->view_known = cull->view_known && !grown;
}

lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box) {
    if (!cull || cull->querying || item < 0 || item >= cull->count || !cull_box_valid(&box))
        return LF_BAD_ARGUMENT;
    cull->boxes[item] = box;
    cull->found_known = false;
    cull->moved++;
    if (!lf_box_is_empty(box))
        widen_world(cull, &box);
    if (cull->filters)
        cull->filters->moved(cull, item);
    if (cull->unsorted)
        return LF_OK;
    if (cull->slots[item] != LF__NO_SLOT)
        cull_place(cull, cull->slots[item], &box);
    else
        cull->unsorted = !lf_box_is_empty(box);
    return LF_OK;
}
