/// A scene as a ground: a group that has the scene's shapes as parts, refitted when they move.
#include "base/base.h"
#include "geom/geometry.h"
#include "scene/watch.h"
#include "scene/world.h"

/// Columns of a matrix are at right angles, within rounding.
#define WORLD_SQUARE 1e-12

// ---------------------------------------------------------------------------------------------------
// Shapes as parts
// ---------------------------------------------------------------------------------------------------

static lf_vec3 turn_column(const lf_vec3 rows[3], int k) {
    return k == 0   ? (lf_vec3){rows[0].x, rows[1].x, rows[2].x}
           : k == 1 ? (lf_vec3){rows[0].y, rows[1].y, rows[2].y}
                    : (lf_vec3){rows[0].z, rows[1].z, rows[2].z};
}

/// A box whose sides stay at right angles is a box again: its pose and its half sides.
static bool world_box(const lf__part *part, lf_pose *pose, lf_vec3 *half) {
    lf_vec3 axes[3];
    double lengths[3];
    for (int k = 0; k < 3; k++) {
        axes[k] = turn_column(part->turn, k);
        lengths[k] = lf_vec3_length(axes[k]);
        axes[k] = lf_vec3_scale(axes[k], 1 / lengths[k]);
    }
    for (int k = 0; k < 3; k++)
        if (!(fabs(lf_vec3_dot(axes[k], axes[(k + 1) % 3])) <= WORLD_SQUARE))
            return false;
    if (lf__rows_determinant(part->turn) < 0)
        axes[0] = lf_vec3_scale(axes[0], -1);
    *half = (lf_vec3){0.5 * part->form.size.x * lengths[0], 0.5 * part->form.size.y * lengths[1],
                      0.5 * part->form.size.z * lengths[2]};
    pose->rows[0] = (lf_vec3){axes[0].x, axes[1].x, axes[2].x};
    pose->rows[1] = (lf_vec3){axes[0].y, axes[1].y, axes[2].y};
    pose->rows[2] = (lf_vec3){axes[0].z, axes[1].z, axes[2].z};
    return half->x > 0 && half->y > 0 && half->z > 0;
}

/// The triangles of a shape.
typedef struct world_soup {
    lf_scene *scene;
    const lf_vec3 *turn;
    bool mirrored;
    lf_status status;
} world_soup;

static bool world_gather(void *user, const lf_vec3 corners[3], int64_t polygon) {
    world_soup *s = user;
    lf_vec3 turned[3];
    (void)polygon;
    for (int k = 0; k < 3; k++)
        turned[s->mirrored ? 2 - k : k] = lf__rows_point(s->turn, corners[k]);
    s->status = lf__triangles_add(s->scene, turned);
    return s->status == LF_OK;
}

/// The shape's triangles, turned as by its transforms, as a model; the instance's rotation is in the pose.
static lf_status world_model(lf_scene *scene, lf__part *part, lf__world_part *own) {
    bool kept = own->model && own->model_changes == part->form_changes &&
                lf__rows_same(own->model_turn, part->maps.turn);
    if (kept)
        return LF_OK;
    lf_model_destroy(own->model);
    own->model = NULL;
    world_soup s = {.scene = scene, .turn = part->maps.turn};
    s.mirrored = lf__rows_determinant(part->maps.turn) < 0;
    scene->soup.count = 0;
    lf__form_triangles(&part->form, 3, 1, world_gather, &s);
    if (s.status == LF_OK)
        s.status = lf__soup_model(scene, &own->model);
    if (s.status != LF_OK)
        return s.status;
    own->model_changes = part->form_changes;
    for (int k = 0; k < 3; k++)
        own->model_turn[k] = part->maps.turn[k];
    return LF_OK;
}

static lf_status world_round(const lf_scene *scene, const lf__part *part, lf__world_part *own) {
    if (!own->round)
        own->round = lf__allocate(&scene->allocator, sizeof *own->round, _Alignof(lf__round));
    if (!own->round)
        return LF_NO_MEMORY;
    lf__round *round = own->round;
    *round = (lf__round){.form = part->form,
                         .sphere = part->form.kind == LF_SHAPE_SPHERE,
                         .radius = part->form.radius,
                         .half = 0.5 * part->form.size.z,
                         .box = part->core};
    for (int k = 0; k < 3; k++) {
        round->turn[k] = part->turn[k];
        round->stretch += lf_vec3_dot(part->turn[k], part->turn[k]);
    }
    round->stretch = sqrt(round->stretch);
    own->ground = lf__ground_of(&lf__round_kind, round, &scene->allocator);
    return lf__rows_inverse(round->turn, round->inverse) ? LF_OK : LF_BAD_GEOMETRY;
}

/// Put a shape into the group. A shape that is squeezed flat by its transforms is not there.
static lf_status world_set(lf_scene *scene, int64_t index) {
    lf__world *world = scene->world;
    lf__part *part = lf__part_at(scene, (uint32_t)index);
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf__world_part *own = &world->parts[index];
    lf__group_part *to = &world->group.parts[index];
    lf_pose pose = lf_pose_identity(), turn = {.translation = {0, 0, 0}};
    lf_vec3 half;
    lf_status status = LF_OK;
    memcpy(turn.rows, part->turn, sizeof turn.rows);
    *to = (lf__group_part){.layers = own->layers, .user = own->user, .first = index, .box = lf_box_empty()};
    if (part->form.kind == LF_SHAPE_BOX && world_box(part, &pose, &half)) {
        lf_box box = {lf_vec3_scale(half, -1), half};
        lf__group_part_set_box(to, &box);
        to->self.allocator = &world->group.allocator;
    } else if (part->form.kind == LF_SHAPE_SPHERE || part->form.kind == LF_SHAPE_CYLINDER) {
        status = world_round(scene, part, own);
        to->ground = &own->ground;
    } else if (part->form.kind == LF_SHAPE_MODEL && lf_pose_rigid(&turn)) {
        memcpy(pose.rows, turn.rows, sizeof pose.rows);
        to->ground = lf_model_ground(part->form.model);
    } else {
        memcpy(pose.rows, instance->pose.rows, sizeof pose.rows);
        status = world_model(scene, part, own);
        to->ground = status == LF_OK ? lf_model_ground(own->model) : NULL;
    }
    if (status != LF_OK) {
        to->ground = NULL;
        return status == LF_NO_MEMORY ? status : LF_OK;
    }
    pose.translation = lf_vec3_add(instance->pose.translation, part->shift);
    if (!to->is_box)
        to->own = lf_ground_box(to->ground);
    lf__group_pose_part(&world->group, to, &pose);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Keeping up with the scene
// ---------------------------------------------------------------------------------------------------

static bool same_place(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Note what a part is now; false: it is as it was.
static bool world_note(const lf_scene *scene, int64_t index) {
    lf__world_part *own = &scene->world->parts[index];
    const lf__part *part = lf__part_at(scene, (uint32_t)index);
    bool there = part->slot.live && part->instance != LF__NO_INDEX && part->form.kind != LF_SHAPE_SOLID &&
                 part->layers != 0 && !lf_box_is_empty(part->core);
    uint32_t generation = there ? part->slot.generation : 0;
    if (!there) {
        bool was = own->generation != 0;
        own->generation = 0;
        return was;
    }
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    uint64_t user = part->user ? part->user : instance->user;
    bool same = own->generation == generation && own->form_changes == part->form_changes &&
                lf__rows_same(own->turn, part->turn) && same_place(own->shift, part->shift) &&
                same_place(own->translation, instance->pose.translation) && own->user == user &&
                own->layers == part->layers;
    if (same)
        return false;
    if (own->generation != generation)
        own->model_changes = -1;
    own->generation = generation;
    own->form_changes = part->form_changes;
    for (int k = 0; k < 3; k++)
        own->turn[k] = part->turn[k];
    own->shift = part->shift;
    own->translation = instance->pose.translation;
    own->user = user;
    own->layers = part->layers;
    return true;
}

/// Space for as many parts as the scene has. Boxes and round shapes have pointers into the arrays.
static lf_status world_reserve(lf_scene *scene) {
    lf__world *world = scene->world;
    int64_t count = scene->parts.array.count, parts = world->space, more = world->space;
    if (count <= world->group.count)
        return LF_OK;
    lf_status status =
        lf__grow(&scene->allocator, (void **)&world->group.parts, &parts, count, sizeof *world->group.parts);
    if (status == LF_OK)
        status = lf__grow(&scene->allocator, (void **)&world->parts, &more, parts, sizeof *world->parts);
    if (status != LF_OK)
        return status;
    world->space = parts;
    for (int64_t i = world->group.count; i < count; i++) {
        world->group.parts[i] = (lf__group_part){.box = lf_box_empty(), .first = i};
        world->parts[i] = (lf__world_part){.generation = 0};
    }
    for (int64_t i = 0; i < world->group.count; i++) {
        lf__group_part *part = &world->group.parts[i];
        part->self.object = &part->own;
        part->ground = part->is_box                            ? &part->self
                       : world->parts[i].round && part->ground ? &world->parts[i].ground
                                                               : part->ground;
    }
    world->group.count = count;
    world->group.items.ready = false;
    return LF_OK;
}

lf_status lf__world_refresh(lf_scene *scene) {
    lf__world *world = scene->world;
    if (!world || (world->group.items.ready && scene->world_listed == scene->touched))
        return LF_OK;
    lf_status status = world_reserve(scene);
    bool rebuild = !world->group.items.ready;
    for (int64_t i = 0; i < world->group.count && status == LF_OK; i++) {
        if (!world_note(scene, i))
            continue;
        lf__group_part *part = &world->group.parts[i];
        bool was = !lf_box_is_empty(part->box);
        if (world->parts[i].generation == 0)
            *part = (lf__group_part){.box = lf_box_empty(), .first = i};
        else
            status = world_set(scene, i);
        rebuild |= was != !lf_box_is_empty(part->box);
        if (!rebuild)
            lf__items_moved(&world->group.items, i);
    }
    if (status == LF_OK && rebuild && world->group.count > 0)
        status = lf__items_build(&world->group.items, &world->group.parts[0].box, sizeof *world->group.parts,
                                 world->group.count);
    if (status == LF_OK)
        scene->world_listed = scene->touched;
    return status;
}

void lf__world_free(lf_scene *scene) {
    lf__world *world = scene->world;
    const lf_allocator *allocator = &scene->allocator;
    if (!world)
        return;
    for (int64_t i = 0; i < world->group.count; i++) {
        lf_model_destroy(world->parts[i].model);
        lf__free(allocator, world->parts[i].round, sizeof(lf__round), _Alignof(lf__round));
    }
    lf__items_free(&world->group.items);
    lf__free_array(allocator, world->parts, world->space, sizeof *world->parts);
    lf__free_array(allocator, world->group.parts, world->space, sizeof *world->group.parts);
    lf__free(allocator, world, sizeof *world, _Alignof(lf__world));
    scene->world = NULL;
}

const lf_ground *lf_scene_ground(lf_scene *scene) {
    if (!scene)
        return NULL;
    if (!scene->world) {
        lf__world *world = lf__allocate(&scene->allocator, sizeof *world, _Alignof(lf__world));
        if (!world)
            return NULL;
        *world = (lf__world){.group = {.allocator = scene->allocator, .frame = lf_frame_default()}};
        world->group.ground = lf__ground_of(&lf__group_kind_of_scene, &world->group, &world->group.allocator);
        lf__items_start(&world->group.items, &scene->allocator);
        scene->world = world;
    }
    return lf_scene_update(scene) == LF_OK ? &scene->world->group.ground : NULL;
}

lf_part lf_scene_part_of(const lf_scene *scene, int64_t number) {
    if (!scene || number < 0 || number >= scene->parts.array.count ||
        !lf__part_at(scene, (uint32_t)number)->slot.live)
        return (lf_part){0, 0};
    return lf__part_id(scene, (uint32_t)number);
}

lf_status lf_part_set_layers(lf_scene *scene, lf_part id, uint32_t layers) {
    if (!lf__part_to_change(scene, id))
        return LF_BAD_ARGUMENT;
    for (uint32_t i = id.index; i != LF__NO_INDEX; i = lf__part_after(scene, i, id.index))
        lf__part_at(scene, i)->layers = layers;
    scene->touched++;
    return LF_OK;
}
