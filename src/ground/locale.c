/// Locales: named volumes between a floor and a ceiling.
#include "base/base.h"
#include "ground/ground.h"
#include <landfall/ground.h>
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
};

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

/// Can a locale hold any point of the segment from a to b? Never wrong when it returns false.
static bool locale_near(const locale *locale, lf_vec3 a, lf_vec3 b) {
    return locale_floor_near(locale->floor, a, b);
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
        for (int64_t k = 0; k < i; k++)
            if (strcmp(list[i].name, list[k].name) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "locales %lld and %lld: both are named %s",
                                (long long)k, (long long)i, list[i].name);
    }
    return LF_OK;
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
    if (status != LF_OK) {
        lf_locales_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    *locales = fresh;
    return LF_OK;
}

void lf_locales_destroy(lf_locales *locales) {
    if (!locales)
        return;
    lf_allocator allocator = locales->allocator;
    for (int64_t i = locales->count - 1; i >= 0; i--)
        lf__free_array(&allocator, locales->list[i].name, (int64_t)strlen(locales->list[i].name) + 1, 1);
    lf__free_array(&allocator, locales->list, locales->space, sizeof *locales->list);
    lf__free(&allocator, locales, sizeof *locales, _Alignof(lf_locales));
}

const char *lf_locales_name(const lf_locales *locales, int64_t index) {
    return index >= 0 && index < locales->count ? locales->list[index].name : NULL;
}

/// A status, or LF_BAD_FORMAT where the file of one of them was found damaged.
static lf_status locales_status(const lf_locales *locales, lf_status status) {
    for (int64_t i = 0; i < locales->count; i++) {
        const locale *l = &locales->list[i];
        status = lf__ground_status(l->floor, lf__ground_status(l->ceiling, status));
    }
    return status;
}

lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                        int64_t *count, lf_cursor *cursor) {
    if (!locales || !count || capacity < 0 || (capacity > 0 && !indices) || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    *count = 0;
    for (int64_t i = 0; i < locales->count; i++) {
        if (!locale_holds(&locales->list[i], point, cursor))
            continue;
        if (*count < capacity)
            indices[*count] = i;
        ++*count;
    }
    return locales_status(locales, *count > capacity ? LF_PARTIAL : LF_OK);
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

lf_status lf_locales_cross(const lf_locales *locales, lf_vec3 from, lf_vec3 to, lf_crossing *crossings,
                           int64_t capacity, int64_t *count, lf_cursor *cursor) {
    if (!locales || !count || capacity < 0 || (capacity > 0 && !crossings) || !lf_vec3_finite(from) ||
        !lf_vec3_finite(to) || !lf_vec3_finite(lf_vec3_sub(to, from)))
        return LF_BAD_ARGUMENT;
    crossing_out out = {crossings, capacity, 0};
    bool moving = from.x != to.x || from.y != to.y || from.z != to.z;
    for (int64_t i = 0; moving && i < locales->count; i++)
        if (locale_near(&locales->list[i], from, to) && !cross_locale(locales, i, from, to, &out, cursor))
            return LF_BAD_ARGUMENT;
    *count = out.count;
    return locales_status(locales, out.count > capacity ? LF_PARTIAL : LF_OK);
}
