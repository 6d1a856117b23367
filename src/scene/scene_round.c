/// Spheres and cylinders as ground: rays and lines by a closed form, in the shape's own coordinates.
#include "geom/geometry.h"
#include "ground/land.h"
#include "ground/sweep.h"
#include "scene/scene.h"
#include "scene/world.h"

/// Pieces of a walk over a round shape, along which it counts as flat.
#define ROUND_PIECES 64

/// Facets of a circle where a round shape is tested as triangles, and the factor that has it inside of them.
#define ROUND_FACETS 32
#define ROUND_STRETCH 1.00970

/// A place where a line meets the surface: the normal in the shape's own coordinates, of any length.
typedef struct round_meeting {
    double t;
    lf_vec3 normal;
    int side; ///< 0: the side, or the sphere; 1, 2: the upper and the lower end of a cylinder
} round_meeting;

typedef struct round_meetings {
    round_meeting list[4];
    int count;
} round_meetings;

static void round_add(round_meetings *m, const lf_ray *line, double t, lf_vec3 normal, int side) {
    if (!(t >= line->t_min && t <= line->t_max) || m->count == 4)
        return;
    int at = m->count++;
    for (; at > 0 && m->list[at - 1].t > t; at--)
        m->list[at] = m->list[at - 1];
    m->list[at] = (round_meeting){t, normal, side};
}

static void round_meet_cylinder(const lf__round *round, const lf_ray *line, round_meetings *m) {
    lf_vec3 o = line->origin, d = line->direction, flat_o = {o.x, o.y, 0}, flat_d = {d.x, d.y, 0};
    double at[2];
    if (lf__within_round(flat_o, flat_d, round->radius, &at[0], &at[1]))
        for (int i = 0; i < 2; i++)
            if (fabs(o.z + at[i] * d.z) <= round->half)
                round_add(m, line, at[i], lf_vec3_along(flat_o, at[i], flat_d), 0);
    for (int side = -1; side <= 1 && d.z != 0; side += 2) {
        double t = (side * round->half - o.z) / d.z;
        lf_vec3 p = lf_vec3_along(flat_o, t, flat_d);
        if (lf_vec3_dot(p, p) <= round->radius * round->radius)
            round_add(m, line, t, (lf_vec3){0, 0, side}, side > 0 ? 1 : 2);
    }
}

/// All meetings in order; an edge of a cylinder may be met twice.
static round_meetings round_meet(const lf__round *round, const lf_ray *ray) {
    round_meetings m = {.count = 0};
    lf_ray line = {lf__rows_point(round->inverse, ray->origin),
                   lf__rows_point(round->inverse, ray->direction), ray->t_min, ray->t_max};
    double at[2];
    if (!round->sphere)
        round_meet_cylinder(round, &line, &m);
    else if (lf__within_round(line.origin, line.direction, round->radius, &at[0], &at[1]))
        for (int i = 0; i < 2; i++)
            round_add(&m, &line, at[i], lf_vec3_along(line.origin, at[i], line.direction), 0);
    return m;
}

static lf_hit round_hit(const lf__round *round, const lf_ray *ray, const round_meeting *meeting) {
    lf_vec3 back[3];
    lf__rows_transpose(round->inverse, back);
    return (lf_hit){.kind = LF_HIT_TRIANGLE,
                    .t = meeting->t,
                    .point = lf_vec3_along(ray->origin, meeting->t, ray->direction),
                    .normal = lf_vec3_unit(lf__rows_point(back, lf_vec3_unit(meeting->normal))),
                    .element = meeting->side,
                    .layers = 1};
}

static bool round_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    round_meetings m = {.count = 0};
    if (lf__cursor_layers(cursor) & 1u)
        m = round_meet(thing, ray);
    if (m.count > 0)
        *hit = round_hit(thing, ray, &m.list[0]);
    return m.count > 0;
}

static void round_ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!round_first(thing, ray, hit, cursor))
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static bool round_ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    return (lf__cursor_layers(cursor) & 1u) && round_meet(thing, ray).count > 0;
}

static void round_each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                       lf_cursor *cursor) {
    (void)how;
    if (!(lf__cursor_layers(cursor) & 1u))
        return;
    round_meetings m = round_meet(thing, ray);
    for (int i = 0; i < m.count; i++) {
        lf_hit hit = round_hit(thing, ray, &m.list[i]);
        finder->found(finder->user, &hit);
    }
}

/// A line that only touches the surface meets it twice at one t.
static bool round_segment(const void *thing, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    lf_ray ray = lf_ray_between(segment->ends[0], segment->ends[1]);
    round_meetings m = {.count = 0};
    bool found = false;
    if (lf__cursor_layers(cursor) & 1u)
        m = round_meet(thing, &ray);
    for (int i = 0; i < m.count; i++) {
        double at = m.list[i].t;
        bool touching = (i > 0 && m.list[i - 1].t == at) || (i + 1 < m.count && m.list[i + 1].t == at);
        bool inside = at > (segment->joint[0] ? -1 : 0) && at < (segment->joint[1] ? 2 : 1);
        if (touching || !inside || (found && !segment->last))
            continue;
        t[0] = at;
        found = true;
    }
    t[1] = 1 - t[0];
    return found;
}

// ---------------------------------------------------------------------------------------------------
// The other entries of the table
// ---------------------------------------------------------------------------------------------------

static lf_box round_box(const void *thing) {
    return ((const lf__round *)thing)->box;
}

static const lf_frame *round_frame(const void *thing) {
    static const lf_frame upright = {
        LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    (void)thing;
    return &upright;
}

static bool round_weights(const void *thing, lf_hit *hit) {
    (void)thing;
    hit->u = hit->v = 0;
    return true;
}

/// Where the track's gravity lines can be near the shape's sphere: everything else has no cuts.
static void round_cuts(const void *thing, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    const lf__round *round = thing;
    lf_vec3 size = lf_vec3_sub(round->box.high, round->box.low);
    double reach = 0.5 * lf_vec3_length(size), first = 2, last = -1;
    (void)cursor;
    for (int k = 0; k <= 4 * ROUND_PIECES; k++) { // the distance of the line from the middle, along the track
        double t = (double)k / (4 * ROUND_PIECES);
        lf_vec3 x = lf__track_x(track, t), r = lf_vec3_unit(lf__track_r(track, t)), to = lf_vec3_scale(x, -1);
        lf_vec3 off = lf_vec3_along(to, -lf_vec3_dot(to, r), r);
        double step = lf_vec3_length(lf_vec3_sub(track->end, track->start)) / (4 * ROUND_PIECES);
        if (lf_vec3_length(off) > reach + step)
            continue;
        first = fmin(first, t - 1.0 / (4 * ROUND_PIECES));
        last = fmax(last, t + 1.0 / (4 * ROUND_PIECES));
    }
    for (int k = 0; k <= ROUND_PIECES && first < last; k++)
        lf__cuts_offer(cuts, first + (last - first) * k / ROUND_PIECES);
}

static void round_spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    lf_box b = round_box(thing);
    for (int k = 0; k < 8; k++)
        lf__cone_add(cone,
                     lf_pose_to_world(pose, (lf_vec3){k & 1 ? b.high.x : b.low.x, k & 2 ? b.high.y : b.low.y,
                                                      k & 4 ? b.high.z : b.low.z}));
}

typedef struct round_contact {
    const lf__round *round;
    const lf__land_body *body;
    const lf_pose *pose;
    bool touches;
} round_contact;

static bool round_touch(void *user, const lf_vec3 corners[3], int64_t polygon) {
    round_contact *c = user;
    lf_vec3 own[3], theirs[3];
    (void)polygon;
    for (int k = 0; k < 3; k++)
        own[k] = lf__rows_point(c->round->turn, corners[k]);
    for (int64_t i = 0; i < c->body->triangle_count && !c->touches; i++) {
        lf__land_corners(c->body, i, c->pose, theirs);
        c->touches = lf__triangles_touch(own, theirs);
    }
    return !c->touches;
}

static bool round_touches(const void *thing, const lf__land_body *body, const lf_pose *pose,
                          lf_cursor *cursor) {
    round_contact c = {thing, body, pose, false};
    if (lf__cursor_layers(cursor) & 1u)
        lf__form_triangles(&c.round->form, ROUND_FACETS, ROUND_STRETCH, round_touch, &c);
    return c.touches;
}

static lf_vec3 sphere_at(const void *user, double u, double v) {
    const lf__round *round = user;
    double across = round->radius * cos(v);
    return lf__rows_point(round->turn, (lf_vec3){across * cos(u), across * sin(u), round->radius * sin(v)});
}

static lf_vec3 side_at(const void *user, double u, double v) {
    const lf__round *round = user;
    return lf__rows_point(round->turn, (lf_vec3){round->radius * cos(u), round->radius * sin(u), v});
}

static lf_vec3 top_at(const void *user, double u, double v) {
    const lf__round *round = user;
    return lf__rows_point(round->turn, (lf_vec3){v * cos(u), v * sin(u), round->half});
}

static lf_vec3 bottom_at(const void *user, double u, double v) {
    const lf__round *round = user;
    return lf__rows_point(round->turn, (lf_vec3){v * cos(u), v * sin(u), -round->half});
}

static void round_sweep(const void *thing, lf__sweeping *sweep) {
    const lf__round *round = thing;
    double r = round->radius * round->stretch, turn = 2 * LF__PI;
    if (!(sweep->layers & 1u) || !lf__sweep_comes_near(sweep, &round->box))
        return;
    sweep->kind = LF_HIT_TRIANGLE;
    sweep->element = (lf__sweep_element){0, 0, 0, 1};
    if (round->sphere) {
        lf__sweep_patch patch = {sphere_at, round, r, r, r};
        lf__sweep_curved(sweep, &patch, (lf_box){{0, -0.5 * LF__PI, 0}, {turn, 0.5 * LF__PI, 0}});
        return;
    }
    lf__sweep_patch side = {side_at, round, r, 0, 0}, top = {top_at, round, r, round->stretch, 0},
                    bottom = {bottom_at, round, r, round->stretch, 0};
    lf__sweep_curved(sweep, &side, (lf_box){{0, -round->half, 0}, {turn, round->half, 0}});
    sweep->element.element = 1;
    lf__sweep_curved(sweep, &top, (lf_box){{0, 0, 0}, {turn, round->radius, 0}});
    sweep->element.element = 2;
    lf__sweep_curved(sweep, &bottom, (lf_box){{0, 0, 0}, {turn, round->radius, 0}});
}

const lf__ground_kind_of lf__round_kind = {
    .box = round_box,
    .frame = round_frame,
    .weights = round_weights,
    .ray_first = round_ray_first,
    .ray_any = round_ray_any,
    .line_first = round_first,
    .each = round_each,
    .cuts = round_cuts,
    .spread = round_spread,
    .touches = round_touches,
    .segment = round_segment,
    .sweep = round_sweep,
};
