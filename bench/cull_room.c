/// The second environment of the thesis: a room with four things that stand and several that fly, of a hundred polygons each, around an eye that turns
/// on the spot by six degrees a redraw. With 20 of them there are 2380 polygons, as published; so those that stand have 95 each.
#include "cull.h"

#include <math.h>
#include <stdlib.h>

enum { STILLS = 4, REDRAWS = 60, ROUNDS = 10, SIZES = 4, METHODS = 4 };

/// A room, its movers' velocities, and who culls in it.
typedef struct room {
    cull_world *world;
    int64_t movers;
    lf_vec3 velocity[CULL_THINGS];
    lf_cull *cull;
    uint32_t methods;
    int64_t touches; ///< of movers with what stands
} room;

static const lf_box bounds = {{0, 0, 0}, {10, 10, 4}};

/// A ball of `around` by `up` quadrilaterals.
static void add_ball(cull_world *world, lf_vec3 at, lf_vec3 half, int around, int up) {
    cull_world_thing(world, at);
    for (int i = 0; i < around; i++)
        for (int j = 0; j < up; j++) {
            lf_vec3 corners[4];
            for (int c = 0; c < 4; c++) {
                double a = 2 * CULL_PI * (i + (c == 1 || c == 2)) / around;
                double b = CULL_PI * (j + (c > 1)) / up;
                corners[c] = (lf_vec3){half.x * sin(b) * cos(a), half.y * sin(b) * sin(a), -half.z * cos(b)};
            }
            cull_world_polygon(world, corners);
        }
}

static void open_room(room *r, int64_t movers, uint32_t methods) {
    bench_random random = {1};
    *r = (room){.world = cull_world_open(), .movers = movers, .methods = methods};
    for (int64_t i = 0; i < movers; i++) {
        double half = bench_random_between(&random, 0.15, 0.35);
        lf_vec3 at = {bench_random_between(&random, 1, 9), bench_random_between(&random, 1, 9),
                      bench_random_between(&random, 1, 3)};
        r->velocity[i] =
            (lf_vec3){bench_random_between(&random, -0.1, 0.1), bench_random_between(&random, -0.1, 0.1),
                      bench_random_between(&random, -0.1, 0.1)};
        add_ball(r->world, at, (lf_vec3){half, half, half}, 10, 10);
    }
    for (int i = 0; i < STILLS; i++)
        add_ball(r->world, (lf_vec3){i & 1 ? 7.5 : 2.5, i & 2 ? 7.5 : 2.5, 1}, (lf_vec3){0.5, 0.5, 1}, 19, 5);
    for (int k = 0; k < REDRAWS; k++)
        cull_world_eye(r->world, (lf_vec3){5, 5, 2}, k * CULL_PI / 30);
    r->cull = cull_world_culler(r->world);
}

static void close_room(room *r) {
    lf_cull_destroy(r->cull);
    cull_world_close(r->world);
}

static lf_box box_of(const cull_world *world, int64_t item) {
    return (lf_box){lf_vec3_add(world->boxes[item].low, world->at[item]),
                    lf_vec3_add(world->boxes[item].high, world->at[item])};
}

/// Behaviours: movers bounce off the walls of the room, and are compared with what stands.
static void move_all(room *r) {
    for (int64_t i = 0; i < r->movers; i++) {
        double *at = &r->world->at[i].x, *velocity = &r->velocity[i].x;
        const double *low = &r->world->boxes[i].low.x, *high = &r->world->boxes[i].high.x;
        for (int k = 0; k < 3; k++) {
            double next = at[k] + velocity[k];
            if (next + low[k] < (&bounds.low.x)[k] || next + high[k] > (&bounds.high.x)[k])
                velocity[k] = -velocity[k];
            at[k] += velocity[k];
        }
        lf_box box = box_of(r->world, i);
        lf_cull_move(r->cull, i, box);
        for (int64_t j = r->movers; j < r->world->count; j++)
            r->touches += lf_box_overlap(box, box_of(r->world, j));
    }
}

/// Polygons of what a look with some methods keeps.
static int64_t kept_polygons(room *r, const lf_view *eye, uint32_t methods) {
    int64_t items[CULL_THINGS], polygons = 0;
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_result seen = {.items = items, .capacity = CULL_THINGS};
    rules.methods = methods;
    rules.filters = lf_gottstein_filters();
    if (lf_cull_query(r->cull, eye, &rules, &seen, NULL) != LF_OK)
        bench_stop("a look into the room failed");
    for (int64_t i = 0; i < seen.count; i++)
        polygons += r->world->first[items[i] + 1] - r->world->first[items[i]];
    return polygons;
}

static void share_table(bench_report *report) {
    static const char *const heads[] = {"culled by",       "alone %",         "one after the other %",
                                        "published alone", "published after", NULL};
    static const char *const names[METHODS] = {"bit flags", "bounds", "sphere", "volume"};
    static const int published[METHODS + 1][2] = {{9, 9}, {15, 6}, {50, 35}, {52, 2}, {48, 48}};
    static bench_table table;
    double alone[METHODS] = {0}, after[METHODS + 1] = {0};
    room r;
    open_room(&r, 20, 0);
    double all = (double)r.world->first[r.world->count];
    int looks = ROUNDS * REDRAWS;
    for (int look = 0; look < looks; look++) {
        const lf_view *eye = &r.world->eyes[look % REDRAWS];
        double left = all;
        uint32_t methods = 0;
        move_all(&r);
        for (int k = 0; k < METHODS; k++) {
            alone[k] += all - (double)kept_polygons(&r, eye, 2u << k);
            methods |= 2u << k;
            double kept = (double)kept_polygons(&r, eye, methods);
            after[k] += left - kept;
            left = kept;
        }
        after[METHODS] += left;
    }
    bench_table_start(&table, "table 7.10: the room, share of 2380 polygons culled", heads);
    for (int k = 0; k <= METHODS; k++) {
        double share = 100 / (all * looks);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", k < METHODS ? names[k] : "(drawn)");
        bench_table_cell(&table, "%.0f", share * (k < METHODS ? alone[k] : after[k]));
        bench_table_cell(&table, "%.0f", share * after[k]);
        bench_table_cell(&table, "%d", published[k][0]);
        bench_table_cell(&table, "%d", published[k][1]);
    }
    bench_table_end(&table, report);
    close_room(&r);
}

/// Ten turns of the eye: everything moves, what can be seen is drawn.
static void look_round(void *user) {
    room *r = user;
    int64_t items[CULL_THINGS];
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = r->methods;
    rules.filters = lf_gottstein_filters();
    for (int look = 0; look < ROUNDS * REDRAWS; look++) {
        const lf_view *eye = &r->world->eyes[look % REDRAWS];
        lf_cull_result seen = {.items = items, .capacity = CULL_THINGS};
        lf_polyhedron volume;
        move_all(r);
        lf_cull_query(r->cull, eye, &rules, &seen, NULL);
        lf_view_volume(eye, &volume, NULL);
        for (int64_t i = 0; i < seen.count; i++)
            cull_world_draw(r->world, &volume, eye, items[i]);
    }
}

/// Million polygons per second, by real and by user time.
static void race(int64_t movers, int row, double rates[2][CULL_WAYS][SIZES], const bench_report *report) {
    static room rooms[CULL_WAYS];
    bench_contestant rivals[CULL_WAYS];
    bench_times times;
    for (int k = 0; k < CULL_WAYS; k++) {
        open_room(&rooms[k], movers, cull_way_methods[k]);
        rivals[k] = (bench_contestant){cull_way_names[k], NULL, look_round, &rooms[k]};
    }
    bench_race(rivals, CULL_WAYS, report->rounds < 5 ? report->rounds : 5, true, &times);
    double polygons = 1e-6 * (double)rooms[0].world->first[rooms[0].world->count] * ROUNDS * REDRAWS;
    for (int k = 0; k < CULL_WAYS; k++) {
        if (rooms[k].touches != rooms[0].touches)
            bench_stop("the rooms do not do the same");
        rates[0][k][row] = polygons / times.real[k];
        rates[1][k][row] = polygons / times.seconds[k];
        close_room(&rooms[k]);
    }
}

void cull_room_tables(bench_report *report) {
    static const char *const titles[2] = {"table 7.11: million polygons per second of real time, by movers",
                                          "table 7.12: million polygons per second of user time, by movers"},
                             *const figures[2] = {"figure-26", "figure-27"};
    static const int published[2][SIZES][5] = {{{13636, 14542, 15729, 14380, 15500},
                                                {13867, 14358, 15438, 14480, 14844},
                                                {11714, 12343, 12878, 12058, 12819},
                                                {10531, 10641, 10962, 10499, 11746}},
                                               {{19310, 19501, 22080, 20254, 21963},
                                                {17500, 17726, 19994, 18224, 18874},
                                                {16999, 16835, 18757, 17453, 18036},
                                                {15950, 15385, 18242, 16030, 17702}}};
    static bench_table table;
    double rates[2][CULL_WAYS][SIZES], movers[SIZES];
    const char *heads[CULL_WAYS + 3] = {"movers"};
    share_table(report);
    for (int row = 0; row < SIZES; row++) {
        movers[row] = 10 * (row + 1);
        race(10 * (row + 1), row, rates, report);
    }
    for (int k = 0; k < CULL_WAYS; k++)
        heads[k + 1] = cull_way_names[k];
    heads[CULL_WAYS + 1] = "published per s";
    for (int clock = 0; clock < 2; clock++) {
        bench_figure figure = {.name = figures[clock],
                               .title = titles[clock] + 12,
                               .x = "movers",
                               .y = "million polygons per second",
                               .series = cull_way_names,
                               .series_count = CULL_WAYS,
                               .at = movers,
                               .count = SIZES};
        bench_table_start(&table, titles[clock], heads);
        for (int row = 0; row < SIZES; row++) {
            const int *old = published[clock][row];
            bench_table_row(&table);
            bench_table_cell(&table, "%.0f", movers[row]);
            for (int k = 0; k < CULL_WAYS; k++)
                bench_table_cell(&table, "%.1f", rates[clock][k][row]);
            bench_table_cell(&table, "%d %d %d %d %d", old[0], old[1], old[2], old[3], old[4]);
        }
        bench_table_end(&table, report);
        for (int k = 0; k < CULL_WAYS; k++)
            figure.values[k] = rates[clock][k];
        bench_figure_draw(&figure, report);
    }
}
