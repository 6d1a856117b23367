/// Golden answers of contacts, scenes, globes and stores.
#include "golden.h"
#include <stdio.h>
#include <stdlib.h>

static lf_moving_box moving_box(golden_random *random) {
    lf_vec3 low = golden_point(random, -10, 10), size = golden_point(random, 0.1, 2);
    return (lf_moving_box){.box = {low, lf_vec3_add(low, size)}, .velocity = golden_point(random, -3, 3)};
}

static void contact_answer(const lf_contact_result *meeting) {
    golden_whole(meeting->meets);
    golden_real(meeting->time);
    golden_vec3(meeting->normal);
}

void golden_contacts(void) {
    golden_random random = {41};
    lf_contact_result meeting;
    golden_group("contact_boxes", 0);
    for (int i = 0; i < 500; i++) {
        lf_moving_box a = moving_box(&random), b = moving_box(&random);
        golden_ok(lf_contact_boxes(&a, &b, 10, &meeting), "lf_contact_boxes");
        contact_answer(&meeting);
    }
    golden_group("contact_spheres", 0);
    for (int i = 0; i < 500; i++) {
        lf_moving_sphere a = {golden_point(&random, -5, 5), golden_between(&random, 0.1, 2),
                              golden_point(&random, -3, 3)};
        lf_moving_sphere b = {golden_point(&random, -5, 5), golden_between(&random, 0.1, 2),
                              golden_point(&random, -3, 3)};
        golden_ok(lf_contact_spheres(&a, &b, 10, &meeting), "lf_contact_spheres");
        contact_answer(&meeting);
    }
    golden_group("contact_spinning_boxes", 1e-9);
    for (int i = 0; i < 60; i++) {
        lf_moving_box a = moving_box(&random), b = moving_box(&random);
        a.spin = golden_point(&random, -1, 1);
        a.pivot = a.box.low;
        golden_ok(lf_contact_boxes(&a, &b, 5, &meeting), "lf_contact_boxes");
        golden_whole(meeting.meets);
        golden_real(meeting.time);
    }
}

static void add_instance(lf_scene *scene, lf_shape_kind kind, golden_random *random) {
    lf_part_def part = lf_part_def_default();
    lf_object_def object = lf_object_def_default();
    lf_instance_def place = lf_instance_def_default();
    lf_object made;
    lf_part top;
    lf_instance instance;
    part.shape.kind = kind;
    part.shape.size = golden_point(random, 0.5, 2);
    part.shape.radius = golden_between(random, 0.3, 1);
    golden_ok(lf_object_create(scene, &object, &made, &top, NULL), "lf_object_create");
    golden_ok(lf_part_add(scene, top, &part, NULL, NULL), "lf_part_add");
    place.object = made;
    place.motion = LF_MOTION_CARRIED;
    place.pose.translation = golden_point(random, -8, 8);
    place.velocity = golden_point(random, -1, 1);
    golden_ok(lf_instance_create(scene, &place, &instance, NULL), "lf_instance_create");
}

static void scene_steps(lf_shape_kind kind, lf_watch_precision level) {
    golden_random random = {51};
    lf_scene_def def = lf_scene_def_default();
    lf_watch_def watch = lf_watch_def_default();
    lf_scene *scene = NULL;
    lf_watch made;
    golden_ok(lf_scene_create(&def, &scene, NULL), "lf_scene_create");
    for (int i = 0; i < 40; i++)
        add_instance(scene, kind, &random);
    watch.precision = level;
    watch.ahead = 1;
    golden_ok(lf_watch_create(scene, &watch, &made, NULL), "lf_watch_create");
    for (int step = 0; step < 30; step++) {
        const lf_event *events;
        int64_t count;
        golden_ok(lf_scene_step(scene, 0.1, NULL), "lf_scene_step");
        golden_ok(lf_scene_events(scene, &events, &count), "lf_scene_events");
        golden_whole(count);
        for (int64_t k = 0; k < count; k++) {
            golden_whole((int64_t)events[k].kind);
            golden_whole(events[k].a.instance.index * 1000 + events[k].b.instance.index);
            golden_real(events[k].time);
            golden_real(events[k].wait);
        }
    }
    for (int i = 0; i < 100; i++) {
        lf_part_info info = {.instance = {0, 0}};
        lf_hit hit;
        lf_vec3 a = golden_point(&random, -12, 12), b = golden_point(&random, -12, 12);
        lf_ray ray = lf_ray_between(a, b);
        golden_ok(lf_scene_ray_first(scene, &ray, &hit, NULL), "lf_scene_ray_first");
        lf_part_describe(scene, lf_scene_part_of(scene, hit.part), &info);
        golden_whole(info.instance.index);
        golden_real(hit.t);
    }
    lf_scene_destroy(scene);
}

void golden_scenes(void) {
    golden_group("scene_boxes", 0);
    scene_steps(LF_SHAPE_BOX, LF_WATCH_BOXES);
    golden_group("scene_convex", 1e-9);
    scene_steps(LF_SHAPE_CYLINDER, LF_WATCH_CONVEX);
}

#define TILE 9

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    (void)user, (void)wait, (void)detail;
    // One raster of the whole globe, of which every level takes every so many samples.
    int64_t step = (int64_t)1 << (3 - key.level), columns = 2 * 8 * 8 + 1;
    float *all = golden_heights(columns, 8 * 8 + 1, 61, false),
          *heights = malloc(TILE * TILE * sizeof *heights);
    if (!heights)
        return LF_TILE_FAILED;
    for (int64_t j = 0; j < TILE; j++)
        for (int64_t i = 0; i < TILE; i++) {
            int64_t column = (key.column * (TILE - 1) + i) * step, row = (key.row * (TILE - 1) + j) * step;
            bool pole = row == 0 || row == 64;
            heights[j * TILE + i] = 1000 * all[row * columns + (pole ? 0 : column % (columns - 1))];
        }
    free(all);
    tile->heights = tile->owner = heights;
    tile->columns = tile->rows = TILE;
    tile->children = key.level < 3 ? LF_TILE_CHILDREN_ALL : 0;
    tile->bounded = true;
    tile->low = -1;
    tile->high = 100000;
    return LF_TILE_READY;
}

static void release(void *user, lf_tile *tile) {
    (void)user;
    free(tile->owner);
}

void golden_globes(void) {
    golden_random random = {71};
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe = NULL;
    def.provider = (lf_globe_provider){NULL, fetch, release};
    def.level_count = 4;
    golden_ok(lf_globe_create(&def, &globe, NULL), "lf_globe_create");
    golden_group("globe_heights", 0);
    for (int i = 0; i < 200; i++) {
        lf_globe_elevation ground;
        double lon = golden_between(&random, -180, 180), lat = golden_between(&random, -90, 90);
        golden_ok(lf_globe_height_finest(globe, lon, lat, &ground), "lf_globe_height_finest");
        golden_whole(ground.tile.level);
        golden_real(ground.height);
    }
    golden_group("globe_rays", 1e-10);
    for (int i = 0; i < 60; i++) {
        lf_hit hit;
        lf_vec3 from = golden_point(&random, -1e7, 1e7), to = golden_point(&random, -4e6, 4e6);
        lf_ray ray = lf_ray_between(from, to);
        golden_ok(lf_ground_ray_first(lf_globe_ground_finest(globe), &ray, &hit, NULL),
                  "lf_ground_ray_first");
        golden_whole((int64_t)hit.kind);
        golden_real(hit.t);
    }
    lf_globe_destroy(globe);
}

void golden_stores(const char *folder) {
    static const lf_codec codecs[] = {LF_CODEC_RAW, LF_CODEC_PACK};
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 0) {
        printf("no .lf files: this machine is big-endian\n");
        return;
    }
    golden_group("store", 0);
    for (int c = 0; c < 2; c++) {
        char path[512];
        lf_grid *grid = golden_grid(97, LF_SURFACE_FALLING, codecs[c], true);
        lf_store_def def = lf_store_def_default();
        lf_store *store = NULL;
        lf_error error = {LF_OK, 0, ""};
        snprintf(path, sizeof path, "%s/golden.lf", folder);
        def.grid = grid;
        def.crs = "EPSG:25832";
        golden_ok(lf_store_write(path, &def, &error), error.text);
        golden_ok(lf_store_open(path, NULL, true, &store, &error), error.text);
        golden_whole((int64_t)(lf_store_describe(store).hash >> 12));
        for (int64_t k = 0; k < 97 * 97; k++)
            golden_real(lf_grid_sample(lf_store_grid(store), k % 97, k / 97));
        lf_store_close(store);
        lf_grid_destroy(grid);
        remove(path);
    }
}
