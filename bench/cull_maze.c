/// The maze of the thesis: a floor and 81 walls, an eye that goes through it in a spiral, and how much each method culls. Published
/// figures stand beside ours; the layout of the walls is not published, so shares are to be compared, not counts.
#include "cull.h"

#include <math.h>
#include <stdlib.h>

enum { WALLS = 81, MOST = 3 * (WALLS + 1), CELLS = 8, POLYGONS = 6 };

#define SIDE 36.6
#define WALL 4.5
#define THICK 0.3
#define PI 3.14159265358979323846

/// Boxes, turned or not, with their polygons.
typedef struct maze {
    int64_t count;
    double turn; ///< of everything, about the middle
    lf_box boxes[MOST];
    lf_vec3 corners[MOST][4 * POLYGONS];
    lf_eye *eyes;
    int64_t eye_count, eye_room;
    int64_t drawn_polygons; ///< by the last path
    double depths;          ///< of all corners drawn: so that nobody leaves the work out
} maze;

static const int32_t fours[POLYGONS] = {4, 4, 4, 4, 4, 4};

static lf_vec3 turned(const maze *m, lf_vec3 p) {
    double x = p.x - SIDE / 2, y = p.y - SIDE / 2, c = cos(m->turn), s = sin(m->turn);
    return (lf_vec3){c * x - s * y, s * x + c * y, p.z};
}

static void add_box(maze *m, lf_box box) {
    static const int faces[POLYGONS][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    lf_vec3 corners[8];
    lf_box around = lf_box_empty();
    for (int k = 0; k < 8; k++) {
        corners[k] = turned(m, (lf_vec3){k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                                         k & 4 ? box.high.z : box.low.z});
        around = lf_box_with(around, corners[k]);
    }
    for (int f = 0; f < POLYGONS; f++)
        for (int c = 0; c < 4; c++)
            m->corners[m->count][4 * f + c] = corners[faces[f][c]];
    m->boxes[m->count++] = around;
}

static void add_wall(maze *m, int64_t last, double z, int i, int j, bool across) {
    double x = THICK + i * WALL, y = THICK + j * WALL;
    if (m->count < last)
        add_box(m, (lf_box){{x, y, z}, {x + (across ? THICK : WALL), y + (across ? WALL : THICK), z + WALL}});
}

/// The border, rings with a gap each, and crosswise walls until there are 81.
static void add_floor(maze *m, double z) {
    int64_t last = m->count + WALLS + 1;
    add_box(m, (lf_box){{0, 0, z - THICK}, {SIDE, SIDE, z}});
    for (int ring = 0; ring < 4; ring++)
        for (int i = ring; i < CELLS - ring; i++) {
            add_wall(m, last, z, i, ring, false);
            add_wall(m, last, z, i, CELLS - ring, false);
            if (ring == 0 || i > ring)
                add_wall(m, last, z, ring, i, true);
            add_wall(m, last, z, CELLS - ring, i, true);
        }
    for (int k = 0; k < CELLS * CELLS; k++)
        if (k % 5 == 0)
            add_wall(m, last, z, k % CELLS, k / CELLS, k % 2 == 0);
}

static void add_eye(maze *m, double x, double y, double heading) {
    lf_eye eye = lf_eye_default();
    if (m->eye_count == m->eye_room)
        bench_stop("the way through the maze is too long");
    eye.at = turned(m, (lf_vec3){x, y, 2});
    eye.forward = (lf_vec3){cos(heading + m->turn), sin(heading + m->turn), 0};
    eye.across = eye.upright = 150 * PI / 180; // 75 degrees to every side of the line of sight
    m->eyes[m->eye_count++] = eye;
}

/// From a corner to the middle, half a metre a step, corners in turns of six degrees.
static void add_way(maze *m) {
    double low = THICK + WALL / 2, high = SIDE - THICK - WALL / 2, x = low, y = low, heading = 0;
    for (int leg = 0; high - low > WALL; leg++) {
        double length = high - low;
        for (double s = 0; s < length; s += 0.5) {
            add_eye(m, x, y, heading);
            x += 0.5 * cos(heading);
            y += 0.5 * sin(heading);
        }
        for (int k = 0; k < 15; k++, heading += PI / 30)
            add_eye(m, x, y, heading);
        low += leg % 4 == 2 ? WALL : 0;
        high -= leg % 4 == 3 ? WALL : 0;
    }
}

static maze *make_maze(int floors, double turn) {
    maze *m = bench_take(1, sizeof *m);
    *m = (maze){.turn = turn, .eye_room = 4000};
    m->eyes = bench_take(4000, sizeof *m->eyes);
    for (int k = 0; k < floors; k++)
        add_floor(m, 20.0 * k);
    add_way(m);
    return m;
}

static bool give_polygons(void *user, int64_t item, lf_cull_shape *shape) {
    const maze *m = user;
    *shape = (lf_cull_shape){m->corners[item], fours, POLYGONS};
    return true;
}

static lf_cull *make_cull(maze *m) {
    lf_cull_def def = lf_cull_def_default();
    lf_cull *cull;
    def.boxes = m->boxes;
    def.count = m->count;
    def.shape = give_polygons;
    def.user = m;
    if (lf_cull_create(&def, &cull, NULL) != LF_OK)
        bench_stop("no culler for the maze");
    return cull;
}

// ---------------------------------------------------------------------------------------------------
// How much is culled
// ---------------------------------------------------------------------------------------------------

/// Over a whole way: how many things a method culls, at most and in the mean.
typedef struct shares {
    int64_t most[LF_CULL_METHODS + 1];
    double sum[LF_CULL_METHODS + 1]; ///< the last one: what is drawn
} shares;

static void go(maze *m, lf_cull *cull, uint32_t methods, shares *found) {
    int64_t items[MOST];
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = methods;
    for (int64_t e = 0; e < m->eye_count; e++) {
        lf_cull_seen seen = {.items = items, .capacity = MOST};
        if (lf_cull_look(cull, &m->eyes[e], &rules, &seen, NULL) != LF_OK)
            bench_stop("a look into the maze failed");
        for (int k = 0; k <= LF_CULL_METHODS; k++) {
            int64_t count = k == LF_CULL_METHODS ? seen.count : seen.methods[k].culled;
            found->most[k] = count > found->most[k] ? count : found->most[k];
            found->sum[k] += (double)count;
        }
    }
}

/// One of the tables 7.3 to 7.7: each method alone, or one after the other. Published are shares in percent, in the order bits, bounds, sphere,
/// volume, drawn.
static void count_table(const char *title, maze *m, bool in_order, const int published[5],
                        bench_report *report) {
    static const char *const heads[] = {"culled by", "most at once", "mean", "mean %", "published %", NULL};
    static const char *const names[] = {"planes (ours)", "bit flags", "bounds", "sphere", "volume"};
    bench_table *table = bench_take(1, sizeof *table);
    lf_cull *cull = make_cull(m);
    shares ordered = {{0}, {0}};
    go(m, cull, 2 | 4 | 8 | 16, &ordered);
    bench_table_start(table, title, heads);
    for (int k = in_order ? 1 : 0; k < 6; k++) {
        shares alone = {{0}, {0}};
        int row = k == 5 ? LF_CULL_METHODS : k;
        if (!in_order && k < 5)
            go(m, cull, 1u << k, &alone);
        const shares *from = in_order || k == 5 ? &ordered : &alone;
        bench_table_row(table);
        bench_table_cell(table, "%s", k == 5 ? "(drawn)" : names[k]);
        bench_table_cell(table, "%lld", (long long)from->most[row]);
        bench_table_cell(table, "%.0f", from->sum[row] / (double)m->eye_count);
        bench_table_cell(table, "%.0f", 100 * from->sum[row] / ((double)m->eye_count * (double)m->count));
        if (k == 0)
            bench_table_cell(table, "-");
        else
            bench_table_cell(table, "%d", published[k - 1]);
    }
    bench_table_end(table, report);
    lf_cull_destroy(cull);
    free(table);
}

// ---------------------------------------------------------------------------------------------------
// What it saves
// ---------------------------------------------------------------------------------------------------

/// A way through a maze, with a choice of methods.
typedef struct journey {
    maze *m;
    lf_cull *cull;
    uint32_t methods;
} journey;

/// "Drawing": every corner of every polygon that is left is turned into the eye's coordinates, and the polygon is clipped.
static void draw(maze *m, const lf_polyhedron *volume, const lf_eye *eye, int64_t item) {
    lf_vec3 rooms[2][16];
    for (int p = 0; p < POLYGONS; p++) {
        const lf_vec3 *at = &m->corners[item][4 * p];
        int64_t count = 4;
        for (int c = 0; c < 4; c++)
            m->depths += lf_vec3_dot(lf_vec3_sub(at[c], eye->at), eye->forward);
        for (int k = 0; k < volume->plane_count && count > 0; k++) {
            count = lf_polygon_clip(at, count, &volume->planes[k], rooms[k & 1]);
            at = rooms[k & 1];
        }
        m->drawn_polygons++;
    }
}

static void travel(void *user) {
    journey *j = user;
    int64_t items[MOST];
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = j->methods;
    j->m->drawn_polygons = 0;
    for (int64_t e = 0; e < j->m->eye_count; e++) {
        lf_cull_seen seen = {.items = items, .capacity = MOST};
        lf_polyhedron volume;
        lf_cull_look(j->cull, &j->m->eyes[e], &rules, &seen, NULL);
        lf_eye_volume(&j->m->eyes[e], &volume, NULL);
        for (int64_t i = 0; i < seen.count; i++)
            draw(j->m, &volume, &j->m->eyes[e], items[i]);
    }
}

static void time_table(const char *title, maze *m, bench_report *report) {
    static const char *const heads[] = {"methods", "us per redraw", "polygons/s", "speedup", NULL};
    static const char *const names[] = {
        "none",   "all four of the thesis", "all but the volume", "bit flags, bounds",
        "sphere", "planes (ours)"};
    static const uint32_t methods[] = {0, 2 | 4 | 8 | 16, 2 | 4 | 8, 2 | 4, 8, 1};
    bench_table *table = bench_take(1, sizeof *table);
    journey ways[6];
    bench_contestant rivals[6];
    bench_times times;
    for (int k = 0; k < 6; k++) {
        ways[k] = (journey){m, make_cull(m), methods[k]};
        rivals[k] = (bench_contestant){names[k], NULL, travel, &ways[k]};
    }
    bench_race(rivals, 6, report->rounds < 5 ? report->rounds : 5, true, &times);
    bench_table_start(table, title, heads);
    double polygons = (double)(m->eye_count * m->count * POLYGONS);
    for (int k = 0; k < 6; k++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", names[k]);
        bench_table_cell(table, "%.1f", 1e6 * times.seconds[k] / (double)m->eye_count);
        bench_table_cell(table, "%.0f", polygons / times.seconds[k]); // culled ones count: they are done with
        bench_table_cell(table, "%.2f", times.seconds[0] / times.seconds[k]);
        lf_cull_destroy(ways[k].cull);
    }
    bench_table_end(table, report);
    free(table);
}

static void drop(maze *m) {
    free(m->eyes);
    free(m);
}

void cull_maze_tables(bench_report *report) {
    static const int aligned[5] = {25, 34, 48, 52, 48}, aligned_order[5] = {25, 9, 15, 3, 48};
    static const int turned_alone[5] = {2, 5, 48, 51, 49}, turned_order[5] = {2, 3, 43, 3, 49};
    static const int three_order[5] = {25, 9, 44, 2, 20};
    maze *one = make_maze(1, 0), *turned_one = make_maze(1, PI / 4), *three = make_maze(3, 0);
    printf("\nthe maze: %lld things, %lld redraws\n", (long long)one->count, (long long)one->eye_count);
    count_table("table 7.3: the maze, each method alone", one, false, aligned, report);
    count_table("table 7.4: the maze, one after the other", one, true, aligned_order, report);
    count_table("table 7.5: turned by 45 degrees, each alone", turned_one, false, turned_alone, report);
    count_table("table 7.6: turned by 45 degrees, one after the other", turned_one, true, turned_order,
                report);
    count_table("table 7.7: three floors, one after the other", three, true, three_order, report);
    time_table("table 7.8: one floor, with drawing", one, report);
    time_table("table 7.9: three floors, with drawing", three, report);
    drop(three);
    drop(turned_one);
    drop(one);
}
