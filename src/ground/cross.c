/// Which borders of locales a move crosses.
///
/// Whether a point of the segment is inside changes only where an outline of floor or ceiling crosses its track, and where
/// the segment goes through floor or ceiling. Between two such places one question in the middle settles all.
#include "ground/locale.h"

/// Outlines asked for at once.
#define CUTS 32

/// The places where something may change, for one ground of a locale.
typedef struct stream {
    const lf_ground *ground;
    lf__track track;
    lf_ray segment;
    lf__cuts cuts;
    double list[CUTS];
    int64_t next;
    double surface; ///< the next place where the segment meets the ground
} stream;

typedef struct crossing_out {
    lf_crossing *list;
    int64_t capacity;
    int64_t count;
} crossing_out;

static void ask_cuts(stream *s, double after, lf_cursor *cursor) {
    s->cuts = (lf__cuts){after, s->list, CUTS, 0};
    s->next = 0;
    if (!s->track.still)
        s->ground->kind->cuts(s->ground->thing, &s->track, &s->cuts, cursor);
}

/// The first place beyond `after` where the segment meets the ground, from either side.
typedef struct surface_search {
    double after, best;
} surface_search;

static void keep_first(void *user, const lf_hit *hit) {
    surface_search *search = user;
    if (hit->t > search->after && hit->t < search->best)
        search->best = hit->t;
}

static void ask_surface(stream *s, double after, lf_cursor *cursor) {
    surface_search search = {after, 1};
    lf__finder finder = {keep_first, &search};
    lf_ray ray = s->segment;
    ray.t_min = after;
    s->ground->kind->each(s->ground->thing, &ray, LF__EACH_LINE_SIDES, &finder, cursor);
    s->surface = search.best;
}

static bool stream_start(stream *s, const lf_ground *ground, lf_vec3 from, lf_vec3 to, lf_cursor *cursor) {
    lf_frame frame = lf_ground_frame(ground);
    s->ground = ground;
    s->segment = lf_ray_between(from, to);
    if (!lf__track_make(&frame, from, to, &s->track))
        return false;
    ask_cuts(s, 0, cursor);
    ask_surface(s, 0, cursor);
    return true;
}

/// The next place beyond t, or 1.
static double stream_next(stream *s, double t, lf_cursor *cursor) {
    while (s->next < s->cuts.count && s->list[s->next] <= t)
        s->next++;
    if (s->next == CUTS)
        ask_cuts(s, t, cursor);
    if (s->surface <= t && t < 1)
        ask_surface(s, t, cursor);
    double cut = s->next < s->cuts.count ? s->list[s->next] : 1;
    return cut < s->surface ? cut : s->surface;
}

static bool comes_before(const lf_crossing *a, const lf_crossing *b) {
    if (a->t != b->t)
        return a->t < b->t;
    return a->entering != b->entering ? b->entering : a->locale < b->locale;
}

/// Keep the first few, in order.
static void add_crossing(crossing_out *out, lf_crossing fresh) {
    int64_t at = out->count < out->capacity ? out->count : out->capacity;
    out->count++;
    while (at > 0 && comes_before(&fresh, &out->list[at - 1])) {
        if (at < out->capacity)
            out->list[at] = out->list[at - 1];
        at--;
    }
    if (at < out->capacity)
        out->list[at] = fresh;
}

/// How short a piece of the segment is too short to be told from nothing.
static double tiny_piece(lf_vec3 from, lf_vec3 to) {
    double size = fmax(fmax(fmax(fabs(from.x), fabs(to.x)), fmax(fabs(from.y), fabs(to.y))),
                       fmax(fabs(from.z), fabs(to.z)));
    double length = lf_vec3_length(lf_vec3_sub(to, from));
    return fmax(0x1p-50, 16 * 0x1p-52 * size / length);
}

static lf_vec3 point_at(lf_vec3 from, lf_vec3 to, double t) {
    return lf_vec3_along(from, t, lf_vec3_sub(to, from));
}

/// Cross one locale. false: there is no down somewhere on the segment.
static bool cross_locale(const lf_locales *locales, int64_t index, lf_vec3 from, lf_vec3 to,
                         crossing_out *out, lf_cursor *cursor) {
    const lf__locale *locale = &locales->list[index];
    stream streams[2];
    int stream_count = locale->floor == locale->ceiling ? 1 : 2;
    for (int i = 0; i < stream_count; i++)
        if (!stream_start(&streams[i], i == 0 ? locale->floor : locale->ceiling, from, to, cursor))
            return false;
    double tiny = tiny_piece(from, to), t = 0, since = 0;
    bool was_inside = lf__locale_holds(locale, from, cursor);
    while (t < 1) {
        double next = 1;
        for (int i = 0; i < stream_count; i++)
            next = fmin(next, stream_next(&streams[i], t, cursor));
        // What is too short is taken together with what follows.
        if (next - since > tiny) {
            bool is_inside = lf__locale_holds(locale, point_at(from, to, 0.5 * (since + next)), cursor);
            if (is_inside != was_inside)
                add_crossing(out, (lf_crossing){since, point_at(from, to, since), index, is_inside});
            was_inside = is_inside;
            since = next;
        }
        t = next;
    }
    bool ends_inside = lf__locale_holds(locale, to, cursor); // on the border itself
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
        if (lf__locale_near(&locales->list[i], from, to) && !cross_locale(locales, i, from, to, &out, cursor))
            return LF_BAD_ARGUMENT;
    *count = out.count;
    return lf__locales_told(locales, out.count > capacity ? LF_PARTIAL : LF_OK);
}
