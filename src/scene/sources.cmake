# The files of the room "scene".
list(APPEND core_sources scene/flat.c scene/k_flat.c scene/k_pairs.c scene/pairs.c scene/pairs_find.c scene/pairs_settle.c)
list(APPEND core_sources scene/boxes.c scene/follow.c scene/inside.c scene/instance.c scene/object.c scene/part.c scene/ray.c
     scene/ray_shape.c scene/scene.c scene/shape.c scene/tags.c scene/transform.c scene/triangles.c scene/velocity.c scene/watch.c)
list(APPEND core_sources scene/judge.c scene/land.c scene/look.c scene/look_shapes.c scene/members.c scene/solid.c
     scene/step.c scene/table.c scene/things.c scene/watch_ground.c scene/watch_look.c)
