/// Outlines, bodies and sweeps on groups: searches in boxes.
#include "geom/geometry.h"
#include "ground/group.h"
#include "ground/land.h"
#include "ground/sweep.h"

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

/// A search for outlines along a track.
typedef struct group_crossing {
    lf__crossing crossing; ///< in front: lf__crossing_enters takes it
    const lf_group *group;
    uint32_t layers;
    lf_cursor *cursor;
} group_crossing;

static void crossing_item(void *user, uint32_t index) {
    const group_crossing *c = user;
    const lf__group_part *part = &c->group->parts[index];
    if (!lf__part_seen(part, c->layers))
        return;
    lf__track local = part->identity ? *c->crossing.track : lf__track_posed(c->crossing.track, &part->pose);
    part->ground->kind->cuts(part->ground->object, &local, c->crossing.cuts, c->cursor);
}

void lf__group_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    const lf_group *group = object;
    group_crossing c = {lf__crossing_start(object, track, cuts), group, lf__cursor_layers(cursor), cursor};
    lf__bvh_visitor visitor = {lf__crossing_enters, crossing_item, &c};
    lf__items_visit(&group->items, &visitor, cursor);
}

double lf__group_bend(const void *object, const lf_hit *hit, const lf__track *track) {
    const lf_group *group = object;
    const lf__group_part *part = &group->parts[hit->part];
    if (!part->ground->kind->bend)
        return 0;
    lf__track local_track = part->identity ? *track : lf__track_posed(track, &part->pose);
    lf_hit local = lf__group_to_part(group, hit);
    return part->ground->kind->bend(part->ground->object, &local, &local_track);
}

static void spreading_item(void *user, uint32_t index) {
    const lf__spreading *s = user;
    const lf__group_part *part = &((const lf_group *)s->object)->parts[index];
    lf_pose both = lf_pose_then(&part->pose, s->pose);
    part->ground->kind->spread(part->ground->object, &both, s->cone);
}

void lf__group_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    const lf_group *group = object;
    lf__spreading s = {object, pose, cone};
    lf__bvh_visitor visitor = {lf__spreading_enters, spreading_item, &s};
    lf__items_visit(&group->items, &visitor, NULL);
}

// ---------------------------------------------------------------------------------------------------
// Parts near a box
// ---------------------------------------------------------------------------------------------------

static bool finder_enters(void *user, const lf_box *box) {
    const lf__part_finder *f = user;
    return !f->done && lf_box_overlap(*box, f->box);
}

static void finder_item(void *user, uint32_t index) {
    lf__part_finder *f = user;
    if (!f->done)
        f->done = !f->found(f->user, index);
}

void lf__group_near(lf__part_finder *finder, lf_cursor *cursor) {
    lf__bvh_visitor visitor = {finder_enters, finder_item, finder};
    lf__items_visit(&finder->group->items, &visitor, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

typedef struct group_contact {
    const lf_group *group;
    const lf__land_body *body;
    const lf_pose *pose;
    uint32_t layers;
    bool touches;
    lf_cursor *cursor;
} group_contact;

static bool touch_part(void *user, int64_t index) {
    group_contact *c = user;
    const lf__group_part *part = &c->group->parts[index];
    if (!lf__part_seen(part, c->layers))
        return true;
    lf_pose between = lf__pose_between(&part->pose, c->pose);
    lf__cursor_filter(c->cursor, lf__part_layers(part, c->layers));
    c->touches = part->ground->kind->touches(part->ground->object, c->body, &between, c->cursor);
    lf__cursor_filter(c->cursor, c->layers);
    return !c->touches;
}

bool lf__group_touches(const void *object, const lf__land_body *body, const lf_pose *pose,
                       lf_cursor *cursor) {
    group_contact c = {object, body, pose, lf__cursor_layers(cursor), false, cursor};
    lf_vec3 centre = lf_pose_to_world(pose, body->centre);
    double r = body->radius * (1 + 1e-8) + 1e-12 * (lf_vec3_length(centre) + body->radius);
    lf__part_finder finder = {.found = touch_part, .user = &c, .group = object};
    finder.box =
        (lf_box){{centre.x - r, centre.y - r, centre.z - r}, {centre.x + r, centre.y + r, centre.z + r}};
    lf__group_near(&finder, cursor);
    return c.touches;
}

static bool faces_of_part(void *user, int64_t index) {
    lf__face_search *outer = user;
    const lf_group *group = outer->object;
    const lf__group_part *part = &group->parts[index];
    if (!part->ground->kind->faces || !lf__part_seen(part, outer->layers))
        return true;
    lf_pose both = lf_pose_then(&part->pose, outer->pose);
    lf__face_search search = *outer;
    search.object = part->ground->object;
    search.pose = &both;
    search.part = index;
    search.layers = lf__part_layers(part, outer->layers);
    search.box = lf__face_box_in_part(&search);
    if (lf_box_overlap(search.box, lf_ground_box(part->ground)))
        part->ground->kind->faces(&search);
    outer->done = search.done;
    return !outer->done;
}

void lf__group_faces(lf__face_search *search) {
    lf__part_finder finder = {
        .found = faces_of_part, .user = search, .group = search->object, .box = search->box};
    lf__group_near(&finder, search->view->cursor);
}

// ---------------------------------------------------------------------------------------------------
// Sweeps
// ---------------------------------------------------------------------------------------------------

typedef struct group_sweep {
    const lf_group *group;
    lf__sweeping *sweep;
    double last; ///< t of the search along the way
} group_sweep;

static bool group_sweep_enters(void *user, const lf_box *box) {
    return lf__sweep_comes_near(((const group_sweep *)user)->sweep, box);
}

static bool sweep_is_before(const lf_hit *a, const lf_hit *b) {
    if (a->t != b->t)
        return a->t < b->t;
    if (a->part != b->part)
        return a->part < b->part;
    return a->inner != b->inner ? a->inner < b->inner : a->element < b->element;
}

static void sweep_item(void *user, uint32_t index) {
    const group_sweep *g = user;
    lf__sweeping *outer = g->sweep;
    const lf__group_part *part = &g->group->parts[index];
    if (!lf__part_seen(part, outer->layers) || !part->ground->kind->sweep ||
        (part->ground == outer->skip && part->identity) ||
        (outer->no_globe && lf__ground_globe(part->ground)))
        return;
    lf_hit hit;
    lf__sweeping local = *outer;
    local.hit = &hit;
    local.found = false;
    local.layers = lf__part_layers(part, outer->layers);
    if (!part->identity) {
        local.mover.centre = lf__part_place(part, outer->mover.centre);
        local.mover.motion = lf__part_turn(part, outer->mover.motion);
        for (int k = 0; k < 3; k++)
            local.mover.axes[k] = lf__part_turn(part, outer->mover.axes[k]);
        local.reach = lf__sweep_reach(&local.mover);
    }
    part->ground->kind->sweep(part->ground->object, &local);
    outer->tested = local.tested;
    if (!local.found)
        return;
    lf_hit world = lf__group_from_part(g->group, index, &hit);
    if (outer->found && !sweep_is_before(&world, outer->hit))
        return;
    *outer->hit = world;
    outer->found = true;
    outer->end = world.t;
}

static double sweep_search_item(void *user, uint32_t index) {
    const group_sweep *g = user;
    sweep_item(user, index);
    return fmin(g->sweep->end, g->last);
}

/// Half a side of the mover, with the tolerance and a margin for rounding.
static float sweep_wide(const lf__sweeping *sweep, double reach, double from, double step) {
    double wide = reach + sweep->tolerance;
    return (float)(wide * (1 + 1e-6) + 1e-12 * (fabs(from) + fabs(step)));
}

/// The parts along the way of the middle, with boxes that are wider by the mover's half sides. At rest it is a ray that ends where it begins.
static void sweep_along(group_sweep *g) {
    const lf__sweeping *sweep = g->sweep;
    lf_vec3 from = sweep->mover.centre, step = sweep->mover.motion, reach = sweep->reach;
    bool moves = step.x != 0 || step.y != 0 || step.z != 0;
    lf_ray way = {from, moves ? step : (lf_vec3){1, 0, 0}, 0, moves ? sweep->end : 0};
    const float wide[3] = {sweep_wide(sweep, reach.x, from.x, step.x),
                           sweep_wide(sweep, reach.y, from.y, step.y),
                           sweep_wide(sweep, reach.z, from.z, step.z)};
    g->last = way.t_max;
    lf__item_search search = lf__group_search(g->group, sweep_search_item, g, wide);
    lf__items_search(&g->group->items, &way, &search, sweep->cursor);
}

void lf__group_sweep(const void *object, lf__sweeping *sweep) {
    group_sweep g = {.group = object, .sweep = sweep};
    if (!sweep->near) {
        sweep_along(&g);
        return;
    }
    lf__bvh_visitor visitor = {group_sweep_enters, sweep_item, &g};
    lf__items_visit(&g.group->items, &visitor, sweep->cursor);
}
