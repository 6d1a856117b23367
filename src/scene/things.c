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
    if (ahead > 0) {
        lf_vec3 velocity = lf__part_velocity(scene, part), spin = instance->spin;
        if (spin.x != 0 || spin.y != 0 || spin.z != 0) {
            lf_vec3 pivot = instance->pose.translation;
            double radius = farthest(now, pivot) * (1 + 1e-12);
            lf_vec3 half = {radius, radius, radius};
            now = (lf_box){lf_vec3_sub(pivot, half), lf_vec3_add(pivot, half)};
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
    if (ahead <= 0 || lf__instance_at(scene, thing.instance.index)->part_velocities == 0)
        return reach;
    for (uint32_t i = top; i != LF__NOWHERE; i = lf__part_after(scene, i, top))
        if (lf__part_at(scene, i)->form.kind != LF_SHAPE_SOLID)
            reach = lf_box_union(reach, lf__part_reach(scene, i, ahead));
    return reach;
}
