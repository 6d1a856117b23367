/// Worlds of moving boxes, and those who keep track of them.
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The nearest number of 1/1024: sums and halves of such are floats, too.
static double fine(double x) {
    return rint(x * 1024) / 1024;
}

static void put_box(scene_world *world, int64_t i, const double low[3], const double size[3]) {
    for (int k = 0; k < 3; k++) {
        world->boxes[6 * i + k] = fine(low[k]);
        world->boxes[6 * i + 3 + k] = fine(low[k]) + fine(size[k]);
    }
}

static void open_world(scene_world *world, const char *name, int64_t movers, int64_t stills) {
    memset(world, 0, sizeof *world);
    snprintf(world->name, sizeof world->name, "%s", name);
    world->movers = movers;
    world->stills = stills;
    world->boxes = bench_take((size_t)(movers + stills), 6 * sizeof(double));
    world->velocity = bench_take((size_t)movers, 3 * sizeof(double));
}

/// Movers anywhere within the bounds, with some size and some speed (a step's way at most).
static void put_movers(scene_world *world, double least, double most, double speed, bench_random *random) {
    const double *low = &world->bounds.low.x, *high = &world->bounds.high.x;
    for (int64_t i = 0; i < world->movers; i++) {
        double at[3], size[3];
        for (int k = 0; k < 3; k++) {
            size[k] = bench_random_between(random, least, most);
            at[k] = bench_random_between(random, low[k], high[k] - size[k]);
            world->velocity[3 * i + k] = fine(bench_random_between(random, -speed, speed));
        }
        put_box(world, i, at, size);
    }
}

void scene_world_step(scene_world *world) {
    const double *low = &world->bounds.low.x, *high = &world->bounds.high.x;
    for (int64_t i = 0; i < world->movers; i++)
        for (int k = 0; k < 3; k++) {
            double *velocity = &world->velocity[3 * i + k], *box = &world->boxes[6 * i + k];
            if (box[0] + *velocity < low[k] || box[3] + *velocity > high[k])
                *velocity = -*velocity;
            box[0] += *velocity;
            box[3] += *velocity;
        }
}

/// Film a world and put it back to where it was.
static void shoot(scene_world *world, int frames) {
    size_t bytes = (size_t)world->movers * 6 * sizeof(double);
    world->frames = frames;
    world->film = bench_take((size_t)frames, bytes);
    for (int i = 0; i < frames; i++) {
        memcpy((char *)world->film + (size_t)i * bytes, world->boxes, bytes);
        scene_world_step(world);
    }
    memcpy(world->boxes, world->film, bytes);
}

void scene_world_space(scene_world *world, int64_t movers) {
    bench_random random = {1};
    char name[32];
    snprintf(name, sizeof name, "%lld+4", (long long)movers);
    open_world(world, name, movers, 4);
    world->bounds = (lf_box){{0, 0, 0}, {10, 10, 4}};
    put_movers(world, 0.3, 0.7, 0.05, &random);
    for (int64_t i = 0; i < 4; i++) {
        double low[3] = {i & 1 ? 7.0 : 2.0, i & 2 ? 7.0 : 2.0, 0}, size[3] = {1, 1, 2};
        put_box(world, movers + i, low, size);
    }
    shoot(world, 500);
}

void scene_world_maze(scene_world *world, int64_t movers) {
    bench_random random = {2};
    char name[32];
    snprintf(name, sizeof name, "%lld+600", (long long)movers);
    open_world(world, name, movers, 600);
    world->bounds = (lf_box){{0, 0, 0}, {90, 90, 4.5}};
    put_movers(world, 0.4, 1.8, 0.05, &random);
    for (int64_t i = 0; i < 600; i++) { // walls of 4.5 x 4.5 x 0.3 m on the lines of a grid
        bool along = bench_random_below(&random, 2);
        double low[3] = {4.5 * (double)bench_random_below(&random, 20),
                         4.5 * (double)bench_random_below(&random, 20), 0};
        double size[3] = {along ? 4.5 : 0.3, along ? 0.3 : 4.5, 4.5};
        put_box(world, movers + i, low, size);
    }
    shoot(world, 1000);
}

void scene_world_crowd(scene_world *world, int64_t movers) {
    bench_random random = {3};
    char name[32];
    if (movers >= 1000)
        snprintf(name, sizeof name, "%lldk", (long long)movers / 1000);
    else
        snprintf(name, sizeof name, "%lld", (long long)movers);
    open_world(world, name, movers, 0);
    double side = ceil(cbrt(8.0 * (double)movers));
    world->bounds = (lf_box){{0, 0, 0}, {side, side, side}};
    put_movers(world, 0.5, 1.5, 0.05, &random);
    shoot(world, movers > 20000 ? 24 : movers > 2000 ? 60 : 200);
}

void scene_world_close(scene_world *world) {
    free(world->film);
    free(world->velocity);
    free(world->boxes);
    memset(world, 0, sizeof *world);
}

// ---------------------------------------------------------------------------------------------------
// Trackers
// ---------------------------------------------------------------------------------------------------

static lf_box box_at(const double *six) {
    return (lf_box){{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

static void open_ours(scene_tracker *tracker) {
    const scene_world *world = tracker->world;
    if (lf_pairs_create(NULL, &tracker->pairs, NULL) != LF_OK)
        bench_stop("no memory for pairs");
    tracker->ids = bench_take((size_t)(world->movers + world->stills), sizeof *tracker->ids);
    for (int64_t i = 0; i < world->movers + world->stills; i++) {
        lf_pairs_item item = lf_pairs_item_default();
        item.box = box_at(world->boxes + 6 * i);
        item.user = (uint64_t)i;
        item.moves = i < world->movers;
        if (lf_pairs_add(tracker->pairs, &item, &tracker->ids[i], NULL) != LF_OK)
            bench_stop("a box was refused");
    }
}

void scene_tracker_open(scene_tracker *tracker, const scene_world *world, const movers_kind *kind,
                        int64_t steps) {
    memset(tracker, 0, sizeof *tracker);
    tracker->world = world;
    tracker->kind = kind;
    tracker->steps = steps;
    tracker->capacity = 16 * (world->movers + world->stills) + 1024;
    tracker->keys = bench_take((size_t)tracker->capacity, sizeof *tracker->keys);
    if (kind)
        tracker->peer = kind->make(world->boxes, world->movers, world->stills);
    else
        open_ours(tracker);
}

void scene_tracker_close(scene_tracker *tracker) {
    if (tracker->kind)
        tracker->kind->drop(tracker->peer);
    lf_pairs_destroy(tracker->pairs);
    free(tracker->ids);
    free(tracker->keys);
}

void scene_tracker_step(scene_tracker *tracker, const double *boxes) {
    if (tracker->kind) {
        tracker->count = tracker->kind->step(tracker->peer, boxes, tracker->keys, tracker->capacity);
        return;
    }
    lf_pairs_move_many(tracker->pairs, tracker->ids, (const lf_box *)(const void *)boxes,
                       tracker->world->movers, NULL);
    lf_pairs_found found;
    if (lf_pairs_find(tracker->pairs, &found) != LF_OK)
        bench_stop("pairs were not found");
    tracker->count = found.count;
    for (int64_t i = 0; i < found.count && i < tracker->capacity; i++)
        tracker->keys[i] = found.pairs[i].user_a << 32 | found.pairs[i].user_b;
}

const double *scene_tracker_frame(scene_tracker *tracker) {
    if (tracker->frame + 1 == tracker->world->frames)
        tracker->way = -1;
    else if (tracker->frame == 0)
        tracker->way = 1;
    tracker->frame += tracker->way;
    return tracker->world->film + tracker->frame * tracker->world->movers * 6;
}

void scene_tracker_run(void *user) {
    scene_tracker *tracker = user;
    for (int64_t i = 0; i < tracker->steps; i++) {
        scene_tracker_step(tracker, scene_tracker_frame(tracker));
        tracker->sum += tracker->count;
    }
}
