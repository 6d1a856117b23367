/// Scenes in perspective pictures.
#include <landfall/picture.h>
#include <landfall/scene.h>

static uint8_t byte_of(float share) {
    return (uint8_t)(255 * share + 0.5F);
}

bool lf_render_scene(void *scene, const lf_ray *ray, lf_render_thing *thing) {
    lf_scene_hit hit;
    lf_paint paint;
    if (lf_scene_ray_first(scene, ray, &hit, NULL) != LF_OK || lf_instance_is_none(hit.instance) ||
        lf_part_colour(scene, hit.part, &paint) != LF_OK)
        return false;
    thing->t = hit.t;
    thing->normal = hit.normal;
    thing->colour =
        (lf_colour){byte_of(paint.red), byte_of(paint.green), byte_of(paint.blue), byte_of(paint.opacity)};
    return true;
}
