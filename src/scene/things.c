/// Things: instances and parts as watches see them, and how far they reach.
#include "scene/watch.h"

uint32_t lf__thing_part(const lf_scene *scene, lf_thing thing) {
    return lf_part_is_none(thing.part) ? lf__instance_at(scene, thing.instance.index)->top : thing.part.index;
}

bool lf__thing_lives(const lf_scene *scene, lf_thing thing) {
    if (!lf__instance_find(scene, thing.instance))
        return false;
    return lf_part_is_none(thing.part) || lf__part_find(scene, thing.part);
}

int lf__thing_compare(lf_thing a, lf_thing b) {
    const uint32_t first[4] = {a.instance.index, a.part.generation ? a.part.index + 1 : 0,
                               a.instance.generation, a.part.generation};
    const uint32_t second[4] = {b.instance.index, b.part.generation ? b.part.index + 1 : 0,
                                b.instance.generation, b.part.generation};
    for (int i = 0; i < 4; i++)
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
    return 0;
}

/// How far the farthest corner of a box is from a point.
static double farthest(lf_box box, lf_vec3 p) {
    double x = fmax(fabs(box.low.x - p.x), fabs(box.high.x - p.x));
    double y = fmax(fabs(box.low.y - p.y), fabs(box.high.y - p.y));
    double z = fmax(fabs(box.low.z - p.z), fabs(box.high.z - p.z));
    return hypot(hypot(x, y), z);
}

lf__before lf__part_before(const lf_scene *scene, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf__before before = {.shift = part->shift, .rigid = true};
    memcpy(before.turn, part->turn, sizeof before.turn);
    // The products that made the turn of then: the same bits where nothing but the instance's pose has
    // changed.
    lf_vec3 turn[3], shift = lf__rows_point(instance->old_pose.rows, part->maps.shift);
    lf__rows_product(instance->old_pose.rows, part->maps.turn, turn);
    if (instance->fresh) { // it has only just been put there, as it is
        memcpy(before.turn, turn, sizeof turn);
        before.shift = shift;
    } else if (part->changed == scene->steps) {
        memcpy(before.turn, part->old_turn, sizeof before.turn);
        before.shift = part->old_shift;
        before.rigid = lf__rows_same(turn, before.turn) && shift.x == before.shift.x &&
                       shift.y == before.shift.y && shift.z == before.shift.z;
    }
    before.turned = !lf__rows_same(before.turn, part->turn);
    return before;
}

static lf_box cube(lf_vec3 centre, double radius) {
    lf_vec3 half = {radius, radius, radius};
    return (lf_box){lf_vec3_sub(centre, half), lf_vec3_add(centre, half)};
}

/// What a part can reach that has turned since the last step, whichever way round; empty for one that has not.
static lf_box turning_reach(const lf_scene *scene, const lf__part *part, lf_box now) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    if (part->changed != scene->steps && !instance->fresh)
        return lf_box_empty();
    lf__before before = lf__part_before(scene, part);
    if (!before.turned)
        return lf_box_empty();
    lf_vec3 from = instance->old_pose.translation, to = instance->pose.translation;
    if (!before.rigid) {
        from = lf_vec3_add(from, before.shift);
        to = lf_vec3_add(to, part->shift);
    }
    double radius = farthest(now, to) * (1 + 1e-12);
    return lf_box_union(cube(from, radius), cube(to, radius));
}

/// A little wider, so that rounding on the way hides nothing.
static lf_box padded(lf_box box) {
    double most = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    double pad = 1e-12 * fmax(most, fmax(fabs(box.low.z), fabs(box.high.z)));
    lf_vec3 by = {pad, pad, pad};
    return (lf_box){lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)};
}

static double tamed(double x) {
    return fmin(fmax(x, -1e60), 1e60);
}

lf_box lf__part_reach(const lf_scene *scene, uint32_t index, double ahead) {
    const lf__part *part = lf__part_at(scene, index);
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_box now = lf__part_box_now(scene, part);
    if (lf_box_is_empty(now))
        return now;
    lf_box reach = lf_box_union(now, lf__part_box_before(scene, part));
    reach = lf_box_union(reach, turning_reach(scene, part, now));
    if (ahead > 0) {
        lf_vec3 velocity = lf__part_velocity(scene, part), spin = instance->spin;
        if (spin.x != 0 || spin.y != 0 || spin.z != 0) {
            lf_vec3 pivot = instance->pose.translation;
            now = cube(pivot, farthest(now, pivot) * (1 + 1e-12));
            reach = lf_box_union(reach, now);
        }
        reach = lf_box_union(reach, lf__box_moved(now, lf_vec3_scale(velocity, ahead)));
    }
    reach.low = (lf_vec3){tamed(reach.low.x), tamed(reach.low.y), tamed(reach.low.z)};
    reach.high = (lf_vec3){tamed(reach.high.x), tamed(reach.high.y), tamed(reach.high.z)};
    return padded(reach);
}

lf_box lf__thing_reach(const lf_scene *scene, lf_thing thing, double ahead) {
    uint32_t top = lf__thing_part(scene, thing);
    lf_box reach = lf__part_reach(scene, top, ahead);
    bool parts_go = ahead > 0 && lf__instance_at(scene, thing.instance.index)->part_velocities > 0;
    if (!parts_go && lf__part_at(scene, top)->changed != scene->steps)
        return reach;
    for (uint32_t i = top; i != LF__NOWHERE; i = lf__part_after(scene, i, top))
        if (lf__part_at(scene, i)->form.kind != LF_SHAPE_SOLID)
            reach = lf_box_union(reach, lf__part_reach(scene, i, ahead));
    return reach;
}
