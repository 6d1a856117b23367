/// The maze of the thesis: a floor and 81 walls, an eye that goes through it in a spiral, and how much each method culls. Published
/// figures stand beside ours. The plan of the maze is not published, but a way that passes all cells of eight by eight, with a wall wherever it does
/// not go, has just 81 walls; and 3,380,040 polygons in ten runs are 687 redraws, after which the eye has all but reached the middle.
#include "cull.h"

#include <math.h>
#include <stdlib.h>

enum { WALLS = 81, CELLS = 8, REDRAWS = 687, POLYGONS = 6, ROWS = LF_CULL_METHODS + 1 };

#define SIDE 36.6
#define WALL 4.5
#define THICK 0.3
#define APART 80.0 ///< floors

static lf_vec3 turned(double turn, lf_vec3 p) {
    double x = p.x - SIDE / 2, y = p.y - SIDE / 2, c = cos(turn), s = sin(turn);
    return (lf_vec3){c * x - s * y, s * x + c * y, p.z};
}

static void add_box(cull_world *world, double turn, lf_box box) {
    static const int faces[POLYGONS][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    cull_world_thing(world, (lf_vec3){0, 0, 0});
    for (int f = 0; f < POLYGONS; f++) {
        lf_vec3 corners[4];
        for (int c = 0; c < 4; c++) {
            int k = faces[f][c];
            corners[c] =
                turned(turn, (lf_vec3){k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                                       k & 4 ? box.high.z : box.low.z});
        }
        cull_world_polygon(world, corners);
    }
}

/// The number of each cell on the way: straight on while there is a new cell, then left. A border of -2 is outside.
static void number_cells(int numbers[CELLS + 2][CELLS + 2], int way[CELLS * CELLS][2]) {
    int x = 1, y = 1, dx = 1, dy = 0;
    for (int i = 0; i < (CELLS + 2) * (CELLS + 2); i++)
        numbers[i % (CELLS + 2)][i / (CELLS + 2)] = -1;
    for (int i = 0; i <= CELLS + 1; i++)
        numbers[i][0] = numbers[0][i] = numbers[i][CELLS + 1] = numbers[CELLS + 1][i] = -2;
    for (int i = 0; i < CELLS * CELLS; i++) {
        numbers[x][y] = i;
        way[i][0] = x - 1;
        way[i][1] = y - 1;
        if (numbers[x + dx][y + dy] != -1) {
            int kept = dx;
            dx = -dy;
            dy = kept;
        }
        x += dx;
        y += dy;
    }
}

static void add_floor(cull_world *world, double turn, double z) {
    int numbers[CELLS + 2][CELLS + 2], way[CELLS * CELLS][2];
    int64_t before = world->count;
    number_cells(numbers, way);
    add_box(world, turn, (lf_box){{0, 0, z - THICK}, {SIDE, SIDE, z}});
    for (int i = 0; i <= CELLS; i++)
        for (int j = 0; j <= CELLS; j++) {
            double x = THICK + i * WALL, y = THICK + j * WALL;
            int here = numbers[i + 1][j + 1], below = numbers[i + 1][j], left = numbers[i][j + 1];
            if (i < CELLS && abs(here - below) != 1)
                add_box(world, turn, (lf_box){{x, y, z}, {x + WALL, y + THICK, z + WALL}});
            if (j < CELLS && abs(here - left) != 1)
                add_box(world, turn, (lf_box){{x, y, z}, {x + THICK, y + WALL, z + WALL}});
        }
    if (world->count - before != WALLS + 1)
        bench_stop("a maze of %lld things", (long long)(world->count - before));
}

/// From a corner towards the middle, half a metre a step, corners in turns of six degrees.
static void add_way(cull_world *world, double turn) {
    int numbers[CELLS + 2][CELLS + 2], way[CELLS * CELLS][2];
    double heading = 0;
    number_cells(numbers, way);
    for (int i = 0; i + 1 < CELLS * CELLS; i++) {
        int dx = way[i + 1][0] - way[i][0], dy = way[i + 1][1] - way[i][1];
        double x = THICK + (way[i][0] + 0.5) * WALL, y = THICK + (way[i][1] + 0.5) * WALL;
        bool corner = i > 0 && (dx != way[i][0] - way[i - 1][0] || dy != way[i][1] - way[i - 1][1]);
        for (int k = 0; k < (corner ? 15 : 0); k++, heading += CULL_PI / 30)
            if (world->eye_count < REDRAWS)
                cull_world_eye(world, turned(turn, (lf_vec3){x, y, 2}), heading + turn);
        for (double s = 0; s < WALL; s += 0.5)
            if (world->eye_count < REDRAWS)
                cull_world_eye(world, turned(turn, (lf_vec3){x + s * dx, y + s * dy, 2}), heading + turn);
    }
}

static cull_world *make_maze(int floors, double turn) {
    cull_world *world = cull_world_open();
    for (int k = 0; k < floors; k++)
        add_floor(world, turn, APART * k);
    add_way(world, turn);
    return world;
}

// ---------------------------------------------------------------------------------------------------
// How much is culled
// ---------------------------------------------------------------------------------------------------

/// Over a whole way: how many things a method culls, at most and in the mean. The last one: what is drawn.
typedef struct shares {
    int64_t most[ROWS];
    double sum[ROWS];
} shares;

static void go(cull_world *world, lf_cull *cull, uint32_t methods, shares *found) {
    int64_t items[CULL_THINGS];
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = methods;
    rules.filters = lf_gottstein_filters();
    for (int64_t e = 0; e < world->eye_count; e++) {
        lf_cull_result seen = {.items = items, .capacity = CULL_THINGS};
        if (lf_cull_query(cull, &world->eyes[e], &rules, &seen, NULL) != LF_OK)
            bench_stop("a look into the maze failed");
        for (int k = 0; k < ROWS; k++) {
            int64_t count = k == LF_CULL_METHODS ? seen.count : seen.methods[k].culled;
            found->most[k] = count > found->most[k] ? count : found->most[k];
            found->sum[k] += (double)count;
        }
    }
}

/// What was published of a table: most at once, and the mean share in percent; bits, bounds, sphere, volume, drawn.
typedef struct published {
    int most[5], share[5];
} published;

/// One of the tables 7.3 to 7.7: each method alone, or one after the other.
static void count_table(const char *title, cull_world *world, bool in_order, const published *published,
                        bench_report *report) {
    static const char *const heads[] = {"culled by",      "most at once", "mean", "mean %",
                                        "published most", "published %",  NULL};
    static const char *const names[] = {"planes (ours)", "bit flags", "bounds", "sphere", "volume"};
    static bench_table table;
    lf_cull *cull = cull_world_culler(world);
    shares ordered = {{0}, {0}};
    go(world, cull, 2 | 4 | 8 | 16, &ordered);
    bench_table_start(&table, title, heads);
    for (int k = in_order ? 1 : 0; k < 6; k++) {
        shares alone = {{0}, {0}};
        int row = k == 5 ? LF_CULL_METHODS : k;
        if (!in_order && k < 5)
            go(world, cull, 1u << k, &alone);
        const shares *from = in_order || k == 5 ? &ordered : &alone;
        double redraws = (double)world->eye_count;
        bench_table_row(&table);
        bench_table_cell(&table, "%s", k == 5 ? "(drawn)" : names[k]);
        bench_table_cell(&table, "%lld", (long long)from->most[row]);
        bench_table_cell(&table, "%.0f", from->sum[row] / redraws);
        bench_table_cell(&table, "%.0f", 100 * from->sum[row] / (redraws * (double)world->count));
        for (int column = 0; column < 2; column++)
            if (k == 0)
                bench_table_cell(&table, "-");
            else
                bench_table_cell(&table, "%d", (column ? published->share : published->most)[k - 1]);
    }
    bench_table_end(&table, report);
    lf_cull_destroy(cull);
}

// ---------------------------------------------------------------------------------------------------
// What it saves
// ---------------------------------------------------------------------------------------------------

/// A way through a maze, with a choice of methods.
typedef struct journey {
    cull_world *world;
    lf_cull *cull;
    uint32_t methods;
} journey;

static void travel(void *user) {
    journey *j = user;
    int64_t items[CULL_THINGS];
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = j->methods;
    rules.filters = lf_gottstein_filters();
    j->world->drawn = 0;
    for (int64_t e = 0; e < j->world->eye_count; e++) {
        lf_cull_result seen = {.items = items, .capacity = CULL_THINGS};
        lf_polyhedron volume;
        lf_cull_query(j->cull, &j->world->eyes[e], &rules, &seen, NULL);
        lf_view_volume(&j->world->eyes[e], &volume, NULL);
        for (int64_t i = 0; i < seen.count; i++)
            cull_world_draw(j->world, &volume, &j->world->eyes[e], items[i]);
    }
}

/// Table 7.8 or 7.9 and its two figures: what was published are speedups, real and user, in the order of the ways.
static void time_table(const char *title, cull_world *world, const double published[2][CULL_WAYS],
                       const char *const figures[2], bench_report *report) {
    static const char *const heads[] = {"time",      "methods", "us per redraw", "polygons/s", "speedup",
                                        "published", NULL};
    static bench_table table;
    journey ways[CULL_WAYS];
    bench_contestant rivals[CULL_WAYS];
    bench_times times;
    for (int k = 0; k < CULL_WAYS; k++) {
        ways[k] = (journey){world, cull_world_culler(world), cull_way_methods[k]};
        rivals[k] = (bench_contestant){cull_way_names[k], NULL, travel, &ways[k]};
    }
    bench_race(rivals, CULL_WAYS, report->rounds < 5 ? report->rounds : 5, true, &times);
    bench_table_start(&table, title, heads);
    double polygons = (double)(world->eye_count * world->count * POLYGONS);
    for (int clock = 0; clock < 2; clock++) {
        const double *seconds = clock == 0 ? times.real : times.seconds;
        double places[CULL_WAYS], speedups[CULL_WAYS];
        for (int k = 0; k < CULL_WAYS; k++) {
            places[k] = k;
            speedups[k] = seconds[0] / seconds[k];
            bench_table_row(&table);
            bench_table_cell(&table, "%s", clock == 0 ? "real" : "user");
            bench_table_cell(&table, "%s", cull_way_names[k]);
            bench_table_cell(&table, "%.1f", 1e6 * seconds[k] / (double)world->eye_count);
            bench_table_cell(&table, "%.0f", polygons / seconds[k]); // culled ones count: they are done with
            bench_table_cell(&table, "%.2f", speedups[k]);
            bench_table_cell(&table, published[clock][k] > 0 ? "%.2f" : "-", published[clock][k]);
        }
        const bench_figure figure = {
            .name = figures[clock],
            .title = clock == 0 ? "Speedup by culling, real time" : "Speedup by culling, user time",
            .x = "0 none, 1 all four, 2 all but the volume, 3 bits and bounds, 4 sphere, 5 planes",
            .y = "speedup",
            .series = (const char *const[]){"landfall", "published"},
            .series_count = 2,
            .at = places,
            .count = CULL_WAYS,
            .values = {speedups, published[clock]},
            .bars = true};
        bench_figure_draw(&figure, report);
    }
    bench_table_end(&table, report);
    for (int k = 0; k < CULL_WAYS; k++)
        lf_cull_destroy(ways[k].cull);
}

void cull_maze_tables(bench_report *report) {
    static const published aligned = {{60, 71, 70, 75, 65}, {25, 34, 48, 52, 48}},
                           aligned_order = {{60, 24, 62, 6, 65}, {25, 9, 15, 3, 48}},
                           slanting = {{32, 37, 70, 73, 66}, {2, 5, 48, 51, 49}},
                           slanting_order = {{32, 29, 70, 5, 66}, {2, 3, 43, 3, 49}},
                           three_order = {{180, 72, 226, 22, 129}, {25, 9, 44, 2, 20}};
    static const double one_floor[2][CULL_WAYS] = {{1, 0.76, 1.19, 1.14, 1.24, LF_NAN},
                                                   {1, 0.27, 1.28, 1.18, 1.34, LF_NAN}},
                        three_floors[2][CULL_WAYS] = {{1, 0.98, 1.75, 1.27, 1.77, LF_NAN},
                                                      {1, 0.53, 1.94, 1.18, 1.88, LF_NAN}};
    static const char *const one_figures[2] = {"figure-22", "figure-23"}, *const three_figures[2] = {
                                                                              "figure-24", "figure-25"};
    cull_world *one = make_maze(1, 0), *slanted = make_maze(1, CULL_PI / 4), *three = make_maze(3, 0);
    printf("\nthe maze: %lld things, %lld redraws\n", (long long)one->count, (long long)one->eye_count);
    count_table("table 7.3: the maze, each method alone", one, false, &aligned, report);
    count_table("table 7.4: the maze, one after the other", one, true, &aligned_order, report);
    count_table("table 7.5: turned by 45 degrees, each alone", slanted, false, &slanting, report);
    count_table("table 7.6: turned by 45 degrees, one after the other", slanted, true, &slanting_order,
                report);
    count_table("table 7.7: three floors, one after the other", three, true, &three_order, report);
    time_table("table 7.8: one floor, with drawing", one, one_floor, one_figures, report);
    time_table("table 7.9: three floors, with drawing", three, three_floors, three_figures, report);
    cull_world_close(three);
    cull_world_close(slanted);
    cull_world_close(one);
}
