/// What tests of scenes share: small worlds.
#ifndef LF_TESTS_SCENES_H
#define LF_TESTS_SCENES_H

#include "support.h"

/// A scene; asserts that there is one.
lf_scene *test_scene(void);

/// A part under a solid: a shape of a kind, of a size and a radius of half its x, at a place.
lf_part test_part(lf_scene *scene, lf_part above, lf_shape_kind kind, lf_vec3 size, lf_vec3 at);

/// An object of one such shape at its origin.
lf_object test_object(lf_scene *scene, lf_shape_kind kind, lf_vec3 size);

/// An instance of an object at a place, carried by a velocity (measured, where that is zero).
lf_instance test_instance(lf_scene *scene, lf_object object, lf_vec3 at, lf_vec3 velocity);

/// An instance of a box of its own.
lf_instance test_box(lf_scene *scene, lf_vec3 size, lf_vec3 at, lf_vec3 velocity);

/// The topmost part of an instance.
lf_part test_top(const lf_scene *scene, lf_instance instance);

/// Make a step and give its events.
const lf_event *test_step(lf_scene *scene, double dt, int64_t *count);

/// The only event of a step; asserts that it is the only one, and its kind.
lf_event test_only(lf_scene *scene, double dt, lf_event_kind kind);

/// A step in which nothing is told.
void test_quiet(lf_scene *scene, double dt);

#endif
