# The files of the room "scene".
list(APPEND core_sources scene/flat.c scene/k_flat.c scene/k_pairs.c scene/pairs.c scene/pairs_find.c scene/pairs_settle.c)
list(APPEND core_sources scene/contact_blocks.c scene/contact_bodies.c scene/contact_boxes.c scene/contact_many.c
     scene/contact_models.c scene/k_contact.c scene/contact_points.c scene/contact_spheres.c scene/contact_sweep.c scene/convex.c)
list(APPEND core_sources scene/cull.c scene/cull_look.c scene/cull_sort.c scene/k_cull.c scene/view.c
     scene/view_ground.c scene/view_outside.c scene/view_scene.c)
list(APPEND core_sources scene/boxes.c scene/follow.c scene/inside.c scene/instance.c scene/object.c scene/part.c scene/ray.c
     scene/ray_shape.c scene/scene.c scene/shape.c scene/tags.c scene/transform.c scene/triangles.c scene/velocity.c scene/watch.c)
list(APPEND core_sources scene/judge.c scene/land.c scene/look.c scene/look_shapes.c scene/members.c scene/solid.c
     scene/step.c scene/table.c scene/things.c scene/watch_ground.c scene/watch_look.c)
