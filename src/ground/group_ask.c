/// Heights and rays of groups: every query goes to the parts along its line, nearest first, in the part's own coordinates, and
/// the results are combined in world coordinates.
#include "bvh/bvh_meet.h"
#include "ground/group.h"

// ---------------------------------------------------------------------------------------------------
// Hits of parts
// ---------------------------------------------------------------------------------------------------

lf_hit lf__group_from_part(const lf_group *group, int64_t index, const lf_hit *hit) {
    const lf__group_part *part = &group->parts[index];
    const lf_group *inner = lf__ground_group(part->ground);
    lf_hit world = *hit;
    if (!part->identity) {
        world.point = lf_pose_to_world(&part->pose, hit->point);
        world.normal = lf_pose_turn_to_world(&part->pose, hit->normal);
    }
    world.inner = inner ? (uint32_t)(inner->parts[hit->part].first + hit->inner) : 0;
    world.part = index;
    world.user = part->user ? part->user : hit->user;
    world.layers = part->layers ? part->layers : hit->layers;
    return world;
}

/// The part that has a number.
static int64_t part_of_number(const lf_group *group, int64_t number) {
    int64_t low = 0, high = group->count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(group->parts[middle].first <= number ? &low : &high) = middle;
    }
    return low;
}

lf_hit lf__group_to_part(const lf_group *group, const lf_hit *hit) {
    const lf__group_part *part = &group->parts[hit->part];
    const lf_group *inner = lf__ground_group(part->ground);
    lf_hit local = *hit;
    local.point = lf__part_place(part, hit->point);
    local.normal = lf__part_turn(part, hit->normal);
    local.part = inner ? part_of_number(inner, hit->inner) : 0;
    local.inner = inner ? (uint32_t)(hit->inner - inner->parts[local.part].first) : 0;
    return local;
}

// ---------------------------------------------------------------------------------------------------
// Order of hits
// ---------------------------------------------------------------------------------------------------

/// A hit and its line in the coordinates of the ground that is no group.
typedef struct innermost {
    const lf_ground *ground;
    lf_ray line;
    bool exact; ///< it has corners
    lf_vec3 corners[3];
} innermost;

static void find_innermost(const lf_group *group, const lf_ray *line, const lf_hit *hit, innermost *in) {
    lf_hit local = *hit;
    in->line = *line;
    for (;;) {
        const lf__group_part *part = &group->parts[local.part];
        in->line = lf__part_ray(part, &in->line);
        in->ground = part->ground;
        const lf_group *next = lf__ground_group(part->ground);
        local = lf__group_to_part(group, &local);
        if (!next)
            break;
        group = next;
    }
    in->exact = in->ground->kind->corners != NULL;
    if (in->exact)
        in->ground->kind->corners(in->ground->object, &local, in->corners);
}

/// The sign of a's t minus b's along a line of the world: for polygons the exact t of the line in the part's
/// own coordinates, for others t as it is.
/// length  metres of the line per unit of the hits' t
int lf__group_order(const lf_group *group, const lf_ray *line, double length, const lf_hit *a,
                    const lf_hit *b) {
    innermost at_a, at_b;
    find_innermost(group, line, a, &at_a);
    find_innermost(group, line, b, &at_b);
    bool same = a->part == b->part && a->inner == b->inner;
    if (at_a.exact && at_b.exact)
        return lf__meet_order(&at_a.line, at_a.corners, same ? &at_a.line : &at_b.line, at_b.corners);
    if (at_a.exact)
        return lf__meet_against(&at_a.line, at_a.corners, b->t / length);
    if (at_b.exact)
        return -lf__meet_against(&at_b.line, at_b.corners, a->t / length);
    return (a->t > b->t) - (a->t < b->t);
}

static bool group_comes_before(const lf_group *group, const lf_ray *line, const lf_hit *a, const lf_hit *b) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2)
        order = lf__group_order(group, line, 1, a, b);
    if (order != 0)
        return order < 0;
    if (a->part != b->part)
        return a->part < b->part;
    return a->inner != b->inner ? a->inner < b->inner : a->element < b->element;
}

// ---------------------------------------------------------------------------------------------------
// First hits
// ---------------------------------------------------------------------------------------------------

/// A search for the first hit. Of a box only t, face and triangle are kept until the end.
typedef struct group_first {
    const lf_group *group;
    lf_ray ray; ///< t_max falls with every nearer hit
    double end; ///< its t_max
    uint32_t layers;
    lf__outline_line line;
    bool as_line, found, is_box;
    int64_t later; ///< the terrain, while it has not been asked; -1: none
    int tried;     ///< parts without a hit
    lf_hit *best;
    lf__box_meeting meeting; ///< of a box
    lf_cursor *cursor;
    lf_counters cost;
} group_first;

/// What is farther, beyond all rounding, does not matter for the other parts.
static void first_keep(group_first *f) {
    double t = f->best->t;
    f->ray.t_max = fmin(f->end, t + 16 * LF__MEET_ERROR * fabs(t) + LF__MEET_TINY);
    f->found = true;
}

static void first_of_box(group_first *f, int64_t index, const lf__group_part *part) {
    double enters;
    if ((part->layers == 0 && !(f->layers & 1u)) ||
        lf__outline_pass(&part->outline, &f->line, f->ray.t_min, f->ray.t_max, &enters) == LF__OUTLINE_MISSED)
        return;
    lf_ray local = lf__part_ray(part, &f->ray);
    lf__box_meeting meeting;
    f->cost.cells++;
    if (!lf__box_first(&part->own, &local, f->as_line, &meeting, &f->cost))
        return;
    lf_hit fresh = {.t = meeting.t, .part = index, .element = meeting.face, .triangle = meeting.triangle};
    if (f->found && !group_comes_before(f->group, &f->ray, &fresh, f->best))
        return;
    *f->best = fresh;
    f->meeting = meeting;
    f->is_box = true;
    first_keep(f);
}

/// A hit of a part, in its own coordinates.
static void first_offer(group_first *f, int64_t index, const lf_hit *hit) {
    lf_hit world = lf__group_from_part(f->group, index, hit);
    if (f->found && !group_comes_before(f->group, &f->ray, &world, f->best))
        return;
    *f->best = world;
    f->is_box = false;
    first_keep(f);
}

static void first_of_ground(group_first *f, int64_t index, const lf__group_part *part) {
    const lf_ground *ground = part->ground;
    lf_ray local = lf__part_ray(part, &f->ray);
    lf_hit hit;
    bool met;
    lf__cursor_filter(f->cursor, lf__part_layers(part, f->layers));
    if (f->as_line) {
        met = ground->kind->line_first(ground->object, &local, &hit, f->cursor);
    } else {
        ground->kind->ray_first(ground->object, &local, &hit, f->cursor);
        met = hit.kind != LF_HIT_NONE;
    }
    lf__cursor_filter(f->cursor, f->layers);
    if (met)
        first_offer(f, index, &hit);
}

/// The terrain is asked after so many parts without a hit, or at the end. A ray in a city meets something soon, and then only the
/// ground up to there matters; a ray through a hill must not visit all that stands behind it.
#define FIRST_PATIENCE 8

static void first_of_terrain(group_first *f) {
    int64_t terrain = f->later;
    f->later = -1;
    if (terrain >= 0 && lf__part_seen(&f->group->parts[terrain], f->layers))
        first_of_ground(f, terrain, &f->group->parts[terrain]);
}

static double first_item(void *user, uint32_t index) {
    group_first *f = user;
    const lf__group_part *part = &f->group->parts[index];
    if (index == f->group->terrain - 1 || !lf__part_seen(part, f->layers))
        return f->ray.t_max;
    if (part->is_box)
        first_of_box(f, index, part);
    else
        first_of_ground(f, index, part);
    if (!f->found && ++f->tried == FIRST_PATIENCE)
        first_of_terrain(f);
    return f->ray.t_max;
}

static void first_start(group_first *f, const lf_group *group, const lf_ray *ray, lf_hit *best) {
    *f = (group_first){.group = group,
                       .ray = *ray,
                       .end = ray->t_max,
                       .line = lf__outline_line_of(ray),
                       .layers = UINT32_MAX,
                       .later = group->terrain - 1,
                       .best = best};
}

/// The hit of a box, of which only a few numbers were kept.
static void first_finish(const group_first *f) {
    if (!f->found || !f->is_box)
        return;
    const lf__group_part *part = &f->group->parts[f->best->part];
    lf_ray local = lf__part_ray(part, &f->ray);
    lf_hit hit;
    lf__box_hit(&part->own, &local, &f->meeting, &hit);
    *f->best = lf__group_from_part(f->group, f->best->part, &hit);
}

static bool group_first_hit(const lf_group *group, const lf_ray *ray, bool as_line, lf_hit *best,
                            lf_cursor *cursor) {
    group_first f;
    first_start(&f, group, ray, best);
    f.layers = lf__cursor_layers(cursor);
    f.as_line = as_line;
    f.cursor = cursor;
    lf__item_search search = lf__group_search(group, first_item, &f, NULL);
    lf__items_search(&group->items, &f.ray, &search, cursor);
    first_of_terrain(&f);
    first_finish(&f);
    lf__cursor_count(cursor, &f.cost);
    return f.found;
}

void lf__group_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    const lf_group *group = object;
    if (group->single) {
        const lf_ground *only = group->parts->ground;
        only->kind->ray_first(only->object, ray, hit, cursor);
    } else if (!group_first_hit(group, ray, false, hit, cursor)) {
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    }
}

bool lf__group_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return group_first_hit(object, line, true, hit, cursor);
}

/// Rays that are traced together.
#define GROUP_SHARE 64

static double first_item_of(void *user, int64_t index, uint32_t item) {
    return first_item((group_first *)user + index, item);
}

/// The terrain answers all rays that still need it at once.
static void first_many_of_terrain(group_first *searches, int64_t count) {
    const lf_group *group = searches->group;
    const lf__group_part *part = &group->parts[group->terrain - 1];
    lf_ray rays[GROUP_SHARE];
    lf_hit hits[GROUP_SHARE];
    int64_t whose[GROUP_SHARE], left = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!part->ground->kind->ray_first_many) {
            first_of_terrain(&searches[i]);
        } else if (searches[i].later >= 0) {
            whose[left] = i;
            rays[left++] = lf__part_ray(part, &searches[i].ray);
        }
    }
    if (left > 0)
        part->ground->kind->ray_first_many(part->ground->object, rays, sizeof *rays, left, hits,
                                           sizeof *hits);
    for (int64_t i = 0; i < left; i++)
        if (hits[i].kind != LF_HIT_NONE)
            first_offer(&searches[whose[i]], group->terrain - 1, &hits[i]);
}

/// At most GROUP_SHARE rays: the parts by turns, then the terrain.
static void first_share(const lf_group *group, const char *rays, size_t ray_stride, int64_t count, char *hits,
                        size_t hit_stride) {
    group_first searches[GROUP_SHARE];
    for (int64_t i = 0; i < count; i++)
        first_start(&searches[i], group, (const void *)(rays + (size_t)i * ray_stride),
                    (void *)(hits + (size_t)i * hit_stride));
    lf__item_searches all = {.rays = &searches->ray,
                             .ray_stride = sizeof *searches,
                             .count = count,
                             .item = first_item_of,
                             .user = searches,
                             .parts = (const char *)group->parts,
                             .stride = sizeof *group->parts};
    lf__items_search_many(&group->items, &all);
    if (group->terrain > 0)
        first_many_of_terrain(searches, count);
    for (int64_t i = 0; i < count; i++) {
        first_finish(&searches[i]);
        if (!searches[i].found)
            *searches[i].best = lf__hit_none(searches[i].end, LF_REASON_NONE);
    }
}

void lf__group_ray_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                              lf_hit *hits, size_t hit_stride) {
    const lf_group *group = object;
    const lf_ground *only = group->single ? group->parts->ground : NULL;
    if (only && only->kind->ray_first_many) {
        only->kind->ray_first_many(only->object, rays, ray_stride, count, hits, hit_stride);
        return;
    }
    for (int64_t first = 0; first < count; first += GROUP_SHARE) {
        int64_t share = count - first < GROUP_SHARE ? count - first : GROUP_SHARE;
        const char *from = (const char *)rays + (size_t)first * ray_stride;
        char *to = (char *)hits + (size_t)first * hit_stride;
        if (!only)
            first_share(group, from, ray_stride, share, to, hit_stride);
        for (int64_t i = 0; i < share && only; i++)
            only->kind->ray_first(only->object, (const void *)(from + (size_t)i * ray_stride),
                                  (void *)(to + (size_t)i * hit_stride), NULL);
    }
}

typedef struct group_any {
    const lf_group *group;
    const lf_ray *ray;
    uint32_t layers;
    bool met;
    lf_cursor *cursor;
    lf__outline_line line;
} group_any;

static double any_item(void *user, uint32_t index) {
    group_any *a = user;
    const lf__group_part *part = &a->group->parts[index];
    lf__outline_answer answer = LF__OUTLINE_UNSURE;
    double enters;
    if (!lf__part_seen(part, a->layers) || (part->is_box && part->layers == 0 && !(a->layers & 1u)))
        return a->ray->t_max;
    if (part->is_box)
        answer = lf__outline_pass(&part->outline, &a->line, a->ray->t_min, a->ray->t_max, &enters);
    a->met = answer == LF__OUTLINE_THROUGH;
    if (answer == LF__OUTLINE_UNSURE) {
        lf_ray local = lf__part_ray(part, a->ray);
        lf__cursor_filter(a->cursor, lf__part_layers(part, a->layers));
        a->met = part->ground->kind->ray_any(part->ground->object, &local, a->cursor);
        lf__cursor_filter(a->cursor, a->layers);
    }
    return a->met ? LF_NAN : a->ray->t_max;
}

bool lf__group_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    const lf_group *group = object;
    if (group->single)
        return group->parts->ground->kind->ray_any(group->parts->ground->object, ray, cursor);
    group_any a = {group, ray, lf__cursor_layers(cursor), false, cursor, lf__outline_line_of(ray)};
    lf__item_search search = lf__group_search(group, any_item, &a, NULL);
    lf__items_search(&group->items, ray, &search, cursor);
    return a.met;
}

// ---------------------------------------------------------------------------------------------------
// All hits
// ---------------------------------------------------------------------------------------------------

/// The first few hits in order of t, part, element; or each of them passed on to another finder.
typedef struct group_gathering {
    const lf_group *group;
    const lf_ray *line;
    lf__each how;
    int64_t part;
    lf_hit *hits;
    int64_t capacity;
    int64_t count;
    const lf__finder *finder;
    uint32_t layers;
    lf_cursor *cursor;
} group_gathering;

static void keep_in_order(void *user, const lf_hit *hit) {
    group_gathering *g = user;
    lf_hit fresh = lf__group_from_part(g->group, g->part, hit);
    int64_t at = g->count < g->capacity ? g->count : g->capacity;
    g->count++;
    while (at > 0 && group_comes_before(g->group, g->line, &fresh, &g->hits[at - 1])) {
        if (at < g->capacity)
            g->hits[at] = g->hits[at - 1];
        at--;
    }
    if (at < g->capacity)
        g->hits[at] = fresh;
}

static void group_pass_on(void *user, const lf_hit *hit) {
    const group_gathering *g = user;
    lf_hit fresh = lf__group_from_part(g->group, g->part, hit);
    g->finder->found(g->finder->user, &fresh);
}

static double gather_item(void *user, uint32_t index) {
    group_gathering *g = user;
    const lf__group_part *part = &g->group->parts[index];
    if (lf__part_seen(part, g->layers)) {
        lf__finder finder = {g->finder ? group_pass_on : keep_in_order, g};
        lf_ray local = lf__part_ray(part, g->line);
        g->part = index;
        lf__cursor_filter(g->cursor, lf__part_layers(part, g->layers));
        part->ground->kind->each(part->ground->object, &local, g->how, &finder, g->cursor);
        lf__cursor_filter(g->cursor, g->layers);
    }
    return g->line->t_max;
}

static void group_gather(group_gathering *g, const lf_ray *ray, lf__each how, lf_cursor *cursor) {
    lf__item_search search = lf__group_search(g->group, gather_item, g, NULL);
    g->line = ray;
    g->how = how;
    g->layers = lf__cursor_layers(cursor);
    g->cursor = cursor;
    lf__items_search(&g->group->items, ray, &search, cursor);
}

void lf__group_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                    lf_cursor *cursor) {
    group_gathering g = {.group = object, .finder = finder};
    group_gather(&g, ray, how, cursor);
}

/// Rounding may have put a t below that of the hit before it.
void lf__hits_keep_rising(lf_hit *hits, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        hits[i].t = fmax(hits[i].t, hits[i - 1].t);
}

int64_t lf__group_gather(const lf_group *group, const lf_ray *line, lf__each how, lf_hit *hits,
                         int64_t capacity, lf_cursor *cursor) {
    group_gathering g = {.group = group, .hits = hits, .capacity = capacity};
    group_gather(&g, line, how, cursor);
    return g.count;
}

int64_t lf__group_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    const lf_group *group = object;
    if (group->single)
        return group->parts->ground->kind->ray_all(group->parts->ground->object, ray, hits, capacity, cursor);
    int64_t count = lf__group_gather(group, ray, LF__EACH_RAY, hits, capacity, cursor);
    lf__hits_keep_rising(hits, count < capacity ? count : capacity);
    return count;
}
