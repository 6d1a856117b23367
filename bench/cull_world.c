/// Worlds of things made of polygons.
#include "cull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cull_way_names[CULL_WAYS + 1] = {
    "none", "all four of the thesis", "all but the volume", "bit flags, bounds", "sphere", "planes (ours)",
    NULL};
const uint32_t cull_way_methods[CULL_WAYS] = {0, 2 | 4 | 8 | 16, 2 | 4 | 8, 2 | 4, 8, 1};

cull_world *cull_world_open(void) {
    cull_world *world = bench_take(1, sizeof *world);
    memset(world, 0, sizeof *world);
    return world;
}

void cull_world_close(cull_world *world) {
    free(world);
}

void cull_world_thing(cull_world *world, lf_vec3 at) {
    if (world->count == CULL_THINGS)
        bench_stop("too many things");
    world->boxes[world->count] = lf_box_empty();
    world->at[world->count] = at;
    world->first[world->count + 1] = world->first[world->count];
    world->count++;
}

void cull_world_polygon(cull_world *world, const lf_vec3 corners[4]) {
    lf_box *box = &world->boxes[world->count - 1];
    int64_t *next = &world->first[world->count];
    if (*next == CULL_POLYGONS)
        bench_stop("too many polygons");
    for (int c = 0; c < 4; c++) {
        world->corners[4 * *next + c] = corners[c];
        *box = lf_box_with(*box, corners[c]);
    }
    ++*next;
}

void cull_world_eye(cull_world *world, lf_vec3 at, double heading) {
    lf_view eye = lf_view_default();
    if (world->eye_count == CULL_EYES)
        bench_stop("too many eyes");
    eye.at = at;
    eye.forward = (lf_vec3){cos(heading), sin(heading), 0};
    eye.across = eye.upright = 150 * CULL_PI / 180;
    world->eyes[world->eye_count++] = eye;
}

static bool give_polygons(void *user, int64_t item, lf_cull_shape *shape) {
    static int32_t counts[CULL_POLYGONS];
    cull_world *world = user;
    int64_t polygons = world->first[item + 1] - world->first[item];
    const lf_vec3 *from = world->corners + 4 * world->first[item];
    for (int64_t p = 0; p < polygons; p++)
        counts[p] = 4;
    for (int64_t c = 0; c < 4 * polygons; c++)
        world->room[c] = lf_vec3_add(from[c], world->at[item]);
    *shape = (lf_cull_shape){world->room, counts, polygons};
    return true;
}

lf_cull *cull_world_culler(cull_world *world) {
    lf_box boxes[CULL_THINGS];
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull;
    for (int64_t i = 0; i < world->count; i++)
        boxes[i] = (lf_box){lf_vec3_add(world->boxes[i].low, world->at[i]),
                            lf_vec3_add(world->boxes[i].high, world->at[i])};
    def.boxes = boxes;
    def.count = world->count;
    def.shape = give_polygons;
    def.user = world;
    if (lf_cull_create(&def, &cull, NULL) != LF_OK)
        bench_stop("no culler");
    return cull;
}

void cull_world_draw(cull_world *world, const lf_polyhedron *volume, const lf_view *eye, int64_t item) {
    lf_vec3 corners[4], rooms[2][16];
    for (int64_t p = world->first[item]; p < world->first[item + 1]; p++) {
        const lf_vec3 *at = corners;
        int64_t count = 4;
        for (int c = 0; c < 4; c++) {
            corners[c] = lf_vec3_add(world->corners[4 * p + c], world->at[item]);
            world->depths += lf_vec3_dot(lf_vec3_sub(corners[c], eye->at), eye->forward);
        }
        for (int k = 0; k < volume->plane_count && count > 0; k++) {
            count = lf_polygon_clip(at, count, &volume->planes[k], rooms[k & 1]);
            at = rooms[k & 1];
        }
        world->drawn++;
    }
}
