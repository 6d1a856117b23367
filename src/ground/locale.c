/// Locales: named volumes between a floor and a ceiling.
#include "base/base.h"
#include "bvh/bvh.h"
#include "ground/ground.h"
#include <landfall/ground.h>
#include <stdlib.h>
#include <string.h>

typedef struct locale {
    char *name;
    const lf_ground *floor;
    const lf_ground *ceiling; ///< never NULL
} locale;

struct lf_locales {
    lf_allocator allocator;
    locale *list;
    int64_t count; ///< with names
    int64_t space;
    lf__bvh *tree;    ///< boxes of those that have one, where there are many; or NULL
    lf_box *boxes;    ///< of the tree
    int64_t *members; ///< numbers of the locales in the tree, then of the others
    int64_t member_count;
};

/// So many are searched one by one.
#define LOCALES_FEW 16

/// Inside, for a valid point.
static bool locale_inside(const lf_ground *floor, const lf_ground *ceiling, lf_vec3 point,
                          lf_cursor *cursor) {
    lf_hit below, above, beyond;
    floor->kind->height(floor->object, &point, true, &below, cursor);
    if (below.kind == LF_HIT_NONE)
        return false;
    ceiling->kind->height(ceiling->object, &point, false, &above, cursor);
    if (above.kind == LF_HIT_NONE)
        return false;
    // Next to a surface that is both floor and ceiling, something else must be above or below. Heights are
    // rounded, so only clear distances are accepted without the exact test.
    return floor != ceiling || below.t > 1e-3 || above.t > 1e-3 ||
           lf__ground_beyond(floor, point, true, &beyond, cursor) ||
           lf__ground_beyond(floor, point, false, &beyond, cursor);
}

/// A fast test, never wrong when it returns false: where down is -z, is the floor's box beside these points?
static bool locale_floor_near(const lf_ground *floor, lf_vec3 a, lf_vec3 b) {
    lf_frame frame = lf_ground_frame(floor);
    if (!lf__frame_is_down_z(&frame))
        return true;
    lf_box box = lf_ground_box(floor);
    return fmax(a.x, b.x) >= box.low.x && fmin(a.x, b.x) <= box.high.x && fmax(a.y, b.y) >= box.low.y &&
           fmin(a.y, b.y) <= box.high.y;
}

/// Does a locale hold a finite point?
static bool locale_holds(const locale *locale, lf_vec3 point, lf_cursor *cursor) {
    return locale_floor_near(locale->floor, point, point) &&
           locale_inside(locale->floor, locale->ceiling, point, cursor);
}

/// A box around everything that a locale can hold; false where there is none: its grounds are not bounded, or down is not -z.
static bool locale_box(const locale *locale, lf_box *box) {
    lf_frame floor = lf_ground_frame(locale->floor), ceiling = lf_ground_frame(locale->ceiling);
    lf_box high = lf_ground_box(locale->ceiling);
    *box = lf_ground_box(locale->floor);
    if (!lf__frame_is_down_z(&floor) || !lf__frame_is_down_z(&ceiling) || lf_box_is_empty(*box) ||
        lf_box_is_empty(high))
        return false;
    box->high.z = fmax(box->high.z, high.high.z);
    return fabs(box->low.x) <= LF__BVH_LIMIT && fabs(box->low.y) <= LF__BVH_LIMIT &&
           fabs(box->low.z) <= LF__BVH_LIMIT && fabs(box->high.x) <= LF__BVH_LIMIT &&
           fabs(box->high.y) <= LF__BVH_LIMIT && fabs(box->high.z) <= LF__BVH_LIMIT;
}

// ---------------------------------------------------------------------------------------------------
// Sets of locales
// ---------------------------------------------------------------------------------------------------

static lf_status locale_check_list(const lf_locale *list, int64_t count, lf_error *error) {
    if (!list || count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "locales: %lld given: must be 1 or more",
                        (long long)count);
    for (int64_t i = 0; i < count; i++) {
        if (!list[i].name || !list[i].name[0])
            return lf__fail(error, LF_BAD_ARGUMENT, i, "locale %lld: name is NULL or empty", (long long)i);
        if (!list[i].floor)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "locale %lld (%s): floor is NULL", (long long)i,
                            list[i].name);
    }
    return LF_OK;
}

typedef struct locale_name {
    const char *name;
    int64_t index;
} locale_name;

static int compare_names(const void *a, const void *b) {
    const locale_name *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order != 0 ? order : (one->index > other->index) - (one->index < other->index);
}

/// No two have the same name; of several such pairs the one with the lowest second is reported.
static lf_status check_names(const lf_locales *locales, lf_error *error) {
    locale_name *names;
    int64_t count = locales->count, first = 0, second = count;
    lf_status status = lf__allocate_array(&locales->allocator, count, sizeof *names, (void **)&names);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t i = 0; i < count; i++)
        names[i] = (locale_name){locales->list[i].name, i};
    qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int64_t i = 1, same = 0; i < count; i++) {
        if (strcmp(names[i].name, names[same].name) != 0)
            same = i;
        else if (names[i].index < second)
            first = names[same].index, second = names[i].index;
    }
    lf__free_array(&locales->allocator, names, count, sizeof *names);
    return second == count
               ? LF_OK
               : lf__fail(error, LF_BAD_ARGUMENT, second, "locales %lld and %lld: both are named %s",
                          (long long)first, (long long)second, locales->list[second].name);
}

/// Where there are many, a tree of the boxes of those that have one.
static lf_status locale_make_tree(lf_locales *locales, lf_error *error) {
    const lf_allocator *allocator = &locales->allocator;
    int64_t others = locales->count;
    if (locales->count <= LOCALES_FEW)
        return LF_OK;
    lf_status status =
        lf__allocate_array(allocator, locales->space, sizeof *locales->boxes, (void **)&locales->boxes);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, locales->space, sizeof *locales->members,
                                    (void **)&locales->members);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t i = 0; i < locales->count; i++) {
        bool bounded = locale_box(&locales->list[i], &locales->boxes[locales->member_count]);
        locales->members[bounded ? locales->member_count++ : --others] = i;
    }
    lf__bvh_def def = lf__bvh_def_default();
    def.host.allocator = allocator;
    def.boxes = locales->boxes;
    def.box_count = locales->member_count;
    return locales->member_count > 0 ? lf__bvh_create(&def, &locales->tree, error) : LF_OK;
}

static lf_status locale_copy_list(lf_locales *locales, const lf_locale *list, int64_t count) {
    lf_status status =
        lf__allocate_array(&locales->allocator, count, sizeof *locales->list, (void **)&locales->list);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        int64_t length = (int64_t)strlen(list[i].name) + 1;
        char *name;
        status = lf__allocate_array(&locales->allocator, length, 1, (void **)&name);
        if (status != LF_OK)
            break;
        memcpy(name, list[i].name, (size_t)length);
        locales->list[locales->count++] =
            (locale){name, list[i].floor, list[i].ceiling ? list[i].ceiling : list[i].floor};
    }
    return status;
}

lf_status lf_locales_create(const lf_locale *list, int64_t count, const lf_host *host, lf_locales **locales,
                            lf_error *error) {
    if (!locales)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "locales is NULL");
    lf_status status = locale_check_list(list, count, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(host);
    lf_locales *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_locales));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_locales){.allocator = allocator, .space = count};
    status = locale_copy_list(fresh, list, count);
    if (status != LF_OK)
        lf__fail_plain(error, status);
    if (status == LF_OK)
        status = check_names(fresh, error);
    if (status == LF_OK)
        status = locale_make_tree(fresh, error);
    if (status != LF_OK) {
        lf_locales_destroy(fresh);
        return status;
    }
    *locales = fresh;
    return LF_OK;
}

void lf_locales_destroy(lf_locales *locales) {
    if (!locales)
        return;
    lf_allocator allocator = locales->allocator;
    lf__bvh_destroy(locales->tree);
    lf__free_array(&allocator, locales->members, locales->space, sizeof *locales->members);
    lf__free_array(&allocator, locales->boxes, locales->space, sizeof *locales->boxes);
    for (int64_t i = locales->count - 1; i >= 0; i--)
        lf__free_array(&allocator, locales->list[i].name, (int64_t)strlen(locales->list[i].name) + 1, 1);
    lf__free_array(&allocator, locales->list, locales->space, sizeof *locales->list);
    lf__free(&allocator, locales, sizeof *locales, _Alignof(lf_locales));
}

const char *lf_locales_name(const lf_locales *locales, int64_t index) {
    return index >= 0 && index < locales->count ? locales->list[index].name : NULL;
}

/// A search for the locales near a segment.
typedef struct locale_search {
    const lf_locales *locales;
    lf_vec3 from, to;
    lf_box box; ///< of both
    void (*found)(struct locale_search *search, int64_t index);
    lf_status status; ///< LF_BAD_FORMAT where the file of one of them was found damaged
    lf_cursor *cursor;
    void *out;
} locale_search;

static void search_locale(locale_search *search, int64_t index) {
    const locale *l = &search->locales->list[index];
    if (search->status < 0 || !locale_floor_near(l->floor, search->from, search->to))
        return;
    search->found(search, index);
    search->status = lf__ground_status(l->floor, lf__ground_status(l->ceiling, search->status));
}

static bool search_enters(void *user, const lf_box *box) {
    const locale_search *search = user;
    return lf_box_overlap(search->box, *box);
}

static void search_item(void *user, uint32_t item) {
    locale_search *search = user;
    search_locale(search, search->locales->members[item]);
}

/// Every locale that can hold a point of the segment, in any order.
static void locale_visit(locale_search *search) {
    const lf_locales *locales = search->locales;
    if (!locales->members) {
        for (int64_t i = 0; i < locales->count; i++)
            search_locale(search, i);
        return;
    }
    lf_box box = lf_box_with(lf_box_with(lf_box_empty(), search->from), search->to);
    double large =
        fmax(fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y))),
             fmax(fabs(box.low.z), fabs(box.high.z)));
    lf_vec3 origin = locales->tree ? locales->tree->origin : search->from;
    // More than the boxes of the tree are rounded.
    double wide = 1e-9 * (1 + large) + 1e-15 * (fabs(origin.x) + fabs(origin.y) + fabs(origin.z));
    search->box = (lf_box){{box.low.x - wide, box.low.y - wide, box.low.z - wide},
                           {box.high.x + wide, box.high.y + wide, box.high.z + wide}};
    lf__bvh_visitor visitor = {search_enters, search_item, search};
    if (locales->tree)
        lf__bvh_visit(locales->tree, &visitor, NULL);
    for (int64_t i = locales->member_count; i < locales->count; i++)
        search_locale(search, locales->members[i]);
}

/// Numbers in ascending order, the lowest of them.
typedef struct locale_numbers {
    int64_t *list, capacity, count;
} locale_numbers;

static void at_found(locale_search *search, int64_t index) {
    locale_numbers *out = search->out;
    if (!locale_inside(search->locales->list[index].floor, search->locales->list[index].ceiling, search->from,
                       search->cursor))
        return;
    int64_t at = out->count < out->capacity ? out->count : out->capacity;
    out->count++;
    for (; at > 0 && out->list[at - 1] > index; at--)
        if (at < out->capacity)
            out->list[at] = out->list[at - 1];
    if (at < out->capacity)
        out->list[at] = index;
}

lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                        int64_t *count, lf_cursor *cursor) {
    if (!locales || !count || capacity < 0 || (capacity > 0 && !indices) || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    locale_numbers out = {indices, capacity, 0};
    locale_search search = {locales, point, point, {{0, 0, 0}, {0, 0, 0}}, at_found, LF_OK, cursor, &out};
    locale_visit(&search);
    *count = out.count;
    return search.status < 0 ? search.status : out.count > capacity ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Crossings
// ---------------------------------------------------------------------------------------------------

// Whether a point of the segment is inside changes only where an outline of floor or ceiling crosses its
// track, and where the segment passes through floor or ceiling. Between two such places one query in the
// middle decides.

/// Cuts per call.
#define CROSSING_CUTS 32

/// The places where something may change, for one ground of a locale.
typedef struct crossing_stream {
    const lf_ground *ground;
    lf__track track;
    lf_ray segment;
    lf__cuts cuts;
    double list[CROSSING_CUTS];
    int64_t next;
    double surface; ///< the next place where the segment meets the ground
} crossing_stream;

typedef struct crossing_out {
    lf_crossing *list;
    int64_t capacity;
    int64_t count;
} crossing_out;

static void crossing_find_cuts(crossing_stream *s, double after, lf_cursor *cursor) {
    s->cuts = (lf__cuts){after, s->list, CROSSING_CUTS, 0};
    s->next = 0;
    if (!s->track.still)
        s->ground->kind->cuts(s->ground->object, &s->track, &s->cuts, cursor);
}

/// The first place beyond `after` where the segment meets the ground, from either side.
typedef struct surface_search {
    double after, best;
} surface_search;

static void crossing_keep_first(void *user, const lf_hit *hit) {
    surface_search *search = user;
    if (hit->t > search->after && hit->t < search->best)
        search->best = hit->t;
}

static void crossing_find_surface(crossing_stream *s, double after, lf_cursor *cursor) {
    surface_search search = {after, 1};
    lf__finder finder = {crossing_keep_first, &search};
    lf_ray ray = s->segment;
    ray.t_min = after;
    s->ground->kind->each(s->ground->object, &ray, LF__EACH_LINE_SIDES, &finder, cursor);
    s->surface = search.best;
}

static bool crossing_stream_start(crossing_stream *s, const lf_ground *ground, lf_vec3 from, lf_vec3 to,
                                  lf_cursor *cursor) {
    lf_frame frame = lf_ground_frame(ground);
    s->ground = ground;
    s->segment = lf_ray_between(from, to);
    if (!lf__track_make(&frame, from, to, &s->track))
        return false;
    crossing_find_cuts(s, 0, cursor);
    crossing_find_surface(s, 0, cursor);
    return true;
}

/// The next place beyond t, or 1.
static double crossing_stream_next(crossing_stream *s, double t, lf_cursor *cursor) {
    while (s->next < s->cuts.count && s->list[s->next] <= t)
        s->next++;
    if (s->next == CROSSING_CUTS)
        crossing_find_cuts(s, t, cursor);
    if (s->surface <= t && t < 1)
        crossing_find_surface(s, t, cursor);
    double cut = s->next < s->cuts.count ? s->list[s->next] : 1;
    return cut < s->surface ? cut : s->surface;
}

static bool crossing_before(const lf_crossing *a, const lf_crossing *b) {
    if (a->t != b->t)
        return a->t < b->t;
    return a->entering != b->entering ? b->entering : a->locale < b->locale;
}

/// Keep the first few, in order.
static void add_crossing(crossing_out *out, lf_crossing fresh) {
    int64_t at = out->count < out->capacity ? out->count : out->capacity;
    out->count++;
    while (at > 0 && crossing_before(&fresh, &out->list[at - 1])) {
        if (at < out->capacity)
            out->list[at] = out->list[at - 1];
        at--;
    }
    if (at < out->capacity)
        out->list[at] = fresh;
}

/// Pieces of the segment shorter than this cannot be distinguished from nothing.
static double tiny_piece(lf_vec3 from, lf_vec3 to) {
    double size = fmax(fmax(fmax(fabs(from.x), fabs(to.x)), fmax(fabs(from.y), fabs(to.y))),
                       fmax(fabs(from.z), fabs(to.z)));
    double length = lf_vec3_length(lf_vec3_sub(to, from));
    return fmax(0x1p-50, 16 * 0x1p-52 * size / length);
}

static lf_vec3 crossing_point_at(lf_vec3 from, lf_vec3 to, double t) {
    return lf_vec3_along(from, t, lf_vec3_sub(to, from));
}

/// Cross one locale. false: down is undefined somewhere on the segment.
static bool cross_locale(const lf_locales *locales, int64_t index, lf_vec3 from, lf_vec3 to,
                         crossing_out *out, lf_cursor *cursor) {
    const locale *locale = &locales->list[index];
    crossing_stream streams[2];
    int stream_count = locale->floor == locale->ceiling ? 1 : 2;
    for (int i = 0; i < stream_count; i++)
        if (!crossing_stream_start(&streams[i], i == 0 ? locale->floor : locale->ceiling, from, to, cursor))
            return false;
    double tiny = tiny_piece(from, to), t = 0, since = 0;
    bool was_inside = locale_holds(locale, from, cursor);
    while (t < 1) {
        double next = 1;
        for (int i = 0; i < stream_count; i++)
            next = fmin(next, crossing_stream_next(&streams[i], t, cursor));
        // Pieces that are too short are joined with the next one.
        if (next - since > tiny) {
            bool is_inside = locale_holds(locale, crossing_point_at(from, to, 0.5 * (since + next)), cursor);
            if (is_inside != was_inside)
                add_crossing(out, (lf_crossing){since, crossing_point_at(from, to, since), index, is_inside});
            was_inside = is_inside;
            since = next;
        }
        t = next;
    }
    bool ends_inside = locale_holds(locale, to, cursor); // on the border itself
    if (ends_inside != was_inside)
        add_crossing(out, (lf_crossing){1, to, index, ends_inside});
    return true;
}

static void cross_found(locale_search *search, int64_t index) {
    if (!cross_locale(search->locales, index, search->from, search->to, search->out, search->cursor))
        search->status = LF_BAD_ARGUMENT;
}

lf_status lf_locales_cross(const lf_locales *locales, lf_vec3 from, lf_vec3 to, lf_crossing *crossings,
                           int64_t capacity, int64_t *count, lf_cursor *cursor) {
    if (!locales || !count || capacity < 0 || (capacity > 0 && !crossings) || !lf_vec3_finite(from) ||
        !lf_vec3_finite(to) || !lf_vec3_finite(lf_vec3_sub(to, from)))
        return LF_BAD_ARGUMENT;
    crossing_out out = {crossings, capacity, 0};
    locale_search search = {locales, from, to, {{0, 0, 0}, {0, 0, 0}}, cross_found, LF_OK, cursor, &out};
    if (from.x != to.x || from.y != to.y || from.z != to.z)
        locale_visit(&search);
    if (search.status == LF_BAD_ARGUMENT)
        return LF_BAD_ARGUMENT;
    *count = out.count;
    return search.status < 0 ? search.status : out.count > capacity ? LF_PARTIAL : LF_OK;
}
