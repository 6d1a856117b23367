/// Tables 7.1 and 7.2 of Gottstein's thesis: polygons per second with her ways to find collisions, and with ours.
///
/// A mover has 100 polygons and behaviours: it moves, turns back at the walls of the world and from whatever it touches, changes its heading
/// at times, and its box is found again from its polygons, as her language does it. What does not move is a box of six. All ways see the same
/// collisions, so that all movers go the same way.
///
/// Her ways: compare all boxes; first compare flags of 32 bits, one for each cell of a grid of 4 x 4 x 2 over the world that a box is
/// in; refine cells that both are in by grids of the same kind, down to the size of the boxes; and, proposed at the end, lists of
/// what is in each cell. Movers are compared with the boxes that do not move. "Drawing" transforms and clips every vertex. Her rates stand beside
/// ours: a Silicon Graphics 4D/310VGX of 1994.
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 32, WAYS = 5, LIST = 640, MOVERS = 40, POLYGONS = 100, BANDS = 10 };

static const char *const way_names[WAYS] = {"no division", "one-level grid", "deeper", "cell lists",
                                            "landfall"};

/// A mover: its polygons, of four corners each, about its middle, where it is and how it moves.
typedef struct walker {
    double corners[POLYGONS][4][3];
    double at[3], velocity[3], heading, half;
    uint64_t mood; ///< of its random numbers
    bool touched;
} walker;

/// One way to find the collisions of all steps.
typedef struct stroll {
    const scene_world *world;
    int way;
    int64_t steps;
    int depth; ///< of subdivision
    uint32_t *flags;
    int lists[CELLS][LIST]; ///< boxes that do not move, by cell
    int list_counts[CELLS];
    int64_t *seen; ///< by which mover a box has been looked at last
    int64_t look;
    walker walkers[MOVERS];
    double boxes[MOVERS][6]; ///< of the movers, now
    double path;             ///< sum of all places: is it the same for all ways?
    lf_pairs *pairs;
    lf_pairs_id *ids;
    int64_t found, drawn;
} stroll;

static bool boxes_touch(const double *a, const double *b) {
    for (int k = 0; k < 3; k++)
        if (a[k] > b[3 + k] || b[k] > a[3 + k])
            return false;
    return true;
}

static const int divisions[3] = {4, 4, 2};

/// First and last cell of a box along each axis.
static void span(const double *box, const double *low, const double *step, int first[3], int last[3]) {
    for (int k = 0; k < 3; k++) {
        double from = floor((box[k] - low[k]) / step[k]), to = floor((box[3 + k] - low[k]) / step[k]);
        first[k] = from < 0 ? 0 : from >= divisions[k] ? divisions[k] - 1 : (int)from;
        last[k] = to < 0 ? 0 : to >= divisions[k] ? divisions[k] - 1 : (int)to;
    }
}

/// A bit for each cell that a box is in, of the grid over a region.
static uint32_t flags_of(const double *box, const double *low, const double *step) {
    int first[3], last[3];
    uint32_t flags = 0;
    span(box, low, step, first, last);
    for (int x = first[0]; x <= last[0]; x++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int z = first[2]; z <= last[2]; z++)
                flags |= 1u << ((x * 4 + y) * 2 + z);
    return flags;
}

static void steps_of(const double *low, const double *high, double step[3]) {
    for (int k = 0; k < 3; k++)
        step[k] = (high[k] - low[k]) / divisions[k];
}

/// Cells that both are in are divided again; at the bottom, or when both are everywhere, the boxes are compared.
static bool touch_deeper(const double *a, const double *b, const double *low, const double *high, int depth) {
    double step[3];
    steps_of(low, high, step);
    uint32_t common = flags_of(a, low, step) & flags_of(b, low, step);
    if (common == 0)
        return false;
    if (depth == 0 || common == 0xffffffffu)
        return boxes_touch(a, b);
    for (; common; common &= common - 1) {
        int cell = __builtin_ctz(common), at[3] = {cell / 8, cell / 2 % 4, cell % 2};
        double inner_low[3], inner_high[3];
        for (int k = 0; k < 3; k++) {
            inner_low[k] = low[k] + at[k] * step[k];
            inner_high[k] = inner_low[k] + step[k];
        }
        if (touch_deeper(a, b, inner_low, inner_high, depth - 1))
            return true;
    }
    return false;
}

/// A round body of ten bands with ten sides each, as large as fits into a mover's box.
static void make_walker(walker *w, const double *box, const double *velocity, uint64_t number) {
    const double pi = 3.14159265358979323846;
    double least = 1e9;
    *w = (walker){.mood = number};
    for (int k = 0; k < 3; k++) {
        w->at[k] = 0.5 * (box[k] + box[3 + k]);
        w->velocity[k] = velocity[k];
        least = fmin(least, 0.5 * (box[3 + k] - box[k]));
    }
    w->half = least;
    for (int p = 0; p < POLYGONS; p++)
        for (int c = 0; c < 4; c++) {
            double around = 2 * pi * (p % BANDS + (c == 1 || c == 2)) / BANDS,
                   up = pi * ((double)(p / BANDS + c / 2) / BANDS - 0.5);
            w->corners[p][c][0] = least * cos(up) * cos(around);
            w->corners[p][c][1] = least * cos(up) * sin(around);
            w->corners[p][c][2] = least * sin(up);
        }
}

/// The behaviours of a mover, and its box afterwards, from all its corners.
static void behave(walker *w, const double *low, const double *high, double box[6]) {
    bench_random random = {w->mood};
    if (w->touched) // it turns back from what it has touched
        for (int k = 0; k < 3; k++)
            w->velocity[k] = -w->velocity[k];
    w->touched = false;
    w->heading += 0.05;
    if (bench_random_below(&random, 100) == 0) { // and has another idea at times
        double x = w->velocity[0];
        w->velocity[0] = w->velocity[1];
        w->velocity[1] = -x;
    }
    w->mood = random.state;
    for (int k = 0; k < 3; k++) {
        if (w->at[k] - w->half + w->velocity[k] < low[k] || w->at[k] + w->half + w->velocity[k] > high[k])
            w->velocity[k] = -w->velocity[k];
        w->at[k] += w->velocity[k];
        box[k] = LF_INFINITY;
        box[3 + k] = -LF_INFINITY;
    }
    double cosine = cos(w->heading), sine = sin(w->heading);
    for (int p = 0; p < POLYGONS; p++)
        for (int c = 0; c < 4; c++) {
            const double *from = w->corners[p][c];
            double at[3] = {w->at[0] + cosine * from[0] - sine * from[1],
                            w->at[1] + sine * from[0] + cosine * from[1], w->at[2] + from[2]};
            for (int k = 0; k < 3; k++) {
                box[k] = at[k] < box[k] ? at[k] : box[k];
                box[3 + k] = at[k] > box[3 + k] ? at[k] : box[3 + k];
            }
        }
}

static int64_t step_flat(stroll *it, const double *movers, const double *low, const double *high) {
    const scene_world *world = it->world;
    const double *stills = world->boxes + 6 * world->movers;
    int64_t found = 0;
    double step[3];
    steps_of(low, high, step);
    for (int64_t i = 0; i < world->movers && it->way > 0; i++)
        it->flags[i] = flags_of(movers + 6 * i, low, step);
    for (int64_t i = 0; i < world->movers; i++)
        for (int64_t j = 0; j < world->stills; j++) {
            if (it->way > 0 && !(it->flags[i] & it->flags[world->movers + j]))
                continue;
            const double *a = movers + 6 * i, *b = stills + 6 * j;
            bool touch = it->way == 2 ? touch_deeper(a, b, low, high, it->depth) : boxes_touch(a, b);
            it->walkers[i].touched |= touch;
            found += touch;
        }
    return found;
}

static int64_t step_lists(stroll *it, const double *movers, const double *low, const double *high) {
    const scene_world *world = it->world;
    const double *stills = world->boxes + 6 * world->movers;
    int64_t found = 0;
    double step[3];
    steps_of(low, high, step);
    for (int64_t i = 0; i < world->movers; i++) {
        it->look++;
        for (uint32_t flags = flags_of(movers + 6 * i, low, step); flags; flags &= flags - 1) {
            int cell = __builtin_ctz(flags);
            for (int j = 0; j < it->list_counts[cell]; j++) {
                int other = it->lists[cell][j];
                if (it->seen[other] == it->look)
                    continue;
                it->seen[other] = it->look;
                bool touch = boxes_touch(movers + 6 * i, stills + 6 * other);
                it->walkers[i].touched |= touch;
                found += touch;
            }
        }
    }
    return found;
}

static int64_t step_ours(stroll *it, const double *movers) {
    lf_pairs_found found = {NULL, 0};
    lf_pairs_move_many(it->pairs, it->ids, (const lf_box *)(const void *)movers, it->world->movers, NULL);
    lf_pairs_find(it->pairs, &found);
    for (int64_t k = 0; k < found.count; k++)
        it->walkers[found.pairs[k].user_a < found.pairs[k].user_b ? found.pairs[k].user_a
                                                                  : found.pairs[k].user_b]
            .touched = true;
    return found.count;
}

static const double view[3][4] = {{0.8, -0.6, 0, 1}, {0.6, 0.8, 0, 2}, {0, 0, 1, 20}};

/// Carry a corner into the view and clip it.
static bool corner_kept(const double at[3]) {
    double seen[3];
    for (int k = 0; k < 3; k++)
        seen[k] = view[k][0] * at[0] + view[k][1] * at[1] + view[k][2] * at[2] + view[k][3];
    return fabs(seen[0]) <= seen[2] && fabs(seen[1]) <= seen[2];
}

/// Six polygons of four corners for each box.
static int64_t draw_box(const double *box) {
    int64_t kept = 0;
    for (int face = 0; face < 6; face++)
        for (int corner = 0; corner < 4; corner++) {
            int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            double at[3];
            at[axis] = box[axis + 3 * (face & 1)];
            at[u] = box[u + 3 * (corner & 1)];
            at[v] = box[v + 3 * (corner >> 1)];
            kept += corner_kept(at);
        }
    return kept;
}

static int64_t draw_walker(const walker *w) {
    double cosine = cos(w->heading), sine = sin(w->heading);
    int64_t kept = 0;
    for (int p = 0; p < POLYGONS; p++)
        for (int c = 0; c < 4; c++) {
            const double *from = w->corners[p][c];
            double at[3] = {w->at[0] + cosine * from[0] - sine * from[1],
                            w->at[1] + sine * from[0] + cosine * from[1], w->at[2] + from[2]};
            kept += corner_kept(at);
        }
    return kept;
}

static void run_stroll(void *user) {
    stroll *it = user;
    const scene_world *world = it->world;
    const double *low = &world->bounds.low.x, *high = &world->bounds.high.x;
    it->found = it->drawn = 0;
    it->path = 0;
    for (int64_t i = 0; i < world->movers; i++)
        make_walker(&it->walkers[i], world->boxes + 6 * i, world->velocity + 3 * i, (uint64_t)i + 1);
    for (int64_t step = 0; step < it->steps; step++) {
        for (int64_t i = 0; i < world->movers; i++)
            behave(&it->walkers[i], low, high, it->boxes[i]);
        const double *movers = it->boxes[0];
        it->found += it->way == 4   ? step_ours(it, movers)
                     : it->way == 3 ? step_lists(it, movers, low, high)
                                    : step_flat(it, movers, low, high);
        for (int64_t i = 0; i < world->movers; i++) {
            it->drawn += draw_walker(&it->walkers[i]);
            it->path += it->walkers[i].at[0] + it->walkers[i].at[1];
        }
        for (int64_t i = world->movers; i < world->movers + world->stills; i++)
            it->drawn += draw_box(world->boxes + 6 * i);
    }
}

/// How often a cell is divided until it is no larger than the mean box, along the axis that needs it most.
static int depth_of(const scene_world *world) {
    const double *low = &world->bounds.low.x, *high = &world->bounds.high.x;
    int depth = 0;
    for (int k = 0; k < 3; k++) {
        double mean = 0, length = (high[k] - low[k]) / divisions[k];
        for (int64_t i = 0; i < world->movers + world->stills; i++)
            mean += (world->boxes[6 * i + 3 + k] - world->boxes[6 * i + k]) /
                    (double)(world->movers + world->stills);
        int here = 0;
        for (; length > mean && here < 4; here++)
            length /= divisions[k];
        depth = here > depth ? here : depth;
    }
    return depth;
}

static void open_stroll(stroll *it, const scene_world *world, int way, int64_t steps) {
    const double *low = &world->bounds.low.x, *high = &world->bounds.high.x;
    int64_t all = world->movers + world->stills;
    double step[3];
    memset(it, 0, sizeof *it);
    it->world = world;
    it->way = way;
    it->steps = steps;
    it->depth = depth_of(world);
    it->flags = bench_take((size_t)all, sizeof *it->flags);
    it->seen = bench_take((size_t)all, sizeof *it->seen);
    memset(it->seen, 0, (size_t)all * sizeof *it->seen);
    it->ids = bench_take((size_t)all, sizeof *it->ids);
    steps_of(low, high, step);
    for (int64_t i = 0; i < world->stills; i++) {
        it->flags[world->movers + i] = flags_of(world->boxes + 6 * (world->movers + i), low, step);
        for (uint32_t flags = it->flags[world->movers + i]; flags; flags &= flags - 1)
            it->lists[__builtin_ctz(flags)][it->list_counts[__builtin_ctz(flags)]++] = (int)i;
    }
    if (way < 4)
        return;
    if (lf_pairs_create(NULL, &it->pairs, NULL) != LF_OK)
        bench_stop("no memory for pairs");
    for (int64_t i = 0; i < all; i++) {
        lf_pairs_item item = lf_pairs_item_default();
        memcpy(&item.box, world->boxes + 6 * i, sizeof item.box);
        item.moves = i < world->movers;
        item.groups = item.moves ? 1 : 2;
        item.meets = item.moves ? 2 : 0;
        item.user = (uint64_t)i;
        lf_pairs_add(it->pairs, &item, &it->ids[i], NULL);
    }
}

static void close_stroll(stroll *it) {
    lf_pairs_destroy(it->pairs);
    free(it->ids);
    free(it->seen);
    free(it->flags);
}

/// A table and its two figures, of which rows are the numbers of movers.
typedef struct chapter {
    const char *title;
    const char *figures[2]; ///< real, user
    int count;
    int64_t movers[4];
    int published[2][4][3]; ///< real, user; by movers; no division, one-level grid, deeper
    void (*make)(scene_world *world, int64_t movers);
} chapter;

static const chapter chapters[2] = {
    {"table 7.1: million polygons per second, several movers and four others",
     {"figure-18", "figure-19"},
     4,
     {10, 20, 30, 40},
     {{{13650, 13636, 13754}, {13426, 13867, 13564}, {11548, 11714, 10931}, {10186, 10531, 10108}},
      {{20825, 19310, 18708}, {17634, 17500, 17608}, {16615, 16999, 16448}, {16013, 15950, 15561}}},
     scene_world_space},
    {"table 7.2: million polygons per second, few movers and 600 others",
     {"figure-20", "figure-21"},
     3,
     {1, 5, 10, 0},
     {{{19977, 20123, 18374}, {16182, 16192, 13896}, {12638, 12865, 10531}, {0}},
      {{30882, 33244, 29342}, {23851, 24428, 19196}, {18845, 19655, 14694}, {0}}},
     scene_world_maze},
};

/// Million polygons per second of each way, by real and by user time.
typedef struct rates {
    double of[2][WAYS][4];
} rates;

static void race(const chapter *c, int row, rates *rates, const bench_report *report) {
    static stroll strolls[WAYS];
    scene_world world;
    bench_contestant contestants[WAYS];
    bench_times times;
    int64_t steps = report->quick ? 100 : 1000;
    c->make(&world, c->movers[row]);
    for (int way = 0; way < WAYS; way++) {
        open_stroll(&strolls[way], &world, way, steps);
        contestants[way] = (bench_contestant){way_names[way], NULL, run_stroll, &strolls[way]};
    }
    bench_race(contestants, WAYS, report->rounds < 5 ? report->rounds : 5, true, &times);
    for (int way = 0; way < WAYS; way++) {
        if (strolls[way].found != strolls[0].found || strolls[way].path != strolls[0].path)
            bench_stop("%s finds %lld collisions instead of %lld, or others", way_names[way],
                       (long long)strolls[way].found, (long long)strolls[0].found);
        double polygons = 1e-6 * (double)(POLYGONS * world.movers + 6 * world.stills) * (double)steps;
        rates->of[0][way][row] = polygons / times.real[way];
        rates->of[1][way][row] = polygons / times.seconds[way];
    }
    for (int way = 0; way < WAYS; way++)
        close_stroll(&strolls[way]);
    scene_world_close(&world);
}

static void show(const chapter *c, const rates *rates, bench_report *report) {
    static const char *const heads[] = {"time",           "movers",    "no division",
                                        "one-level grid", "deeper",    "cell lists",
                                        "landfall",       "published", NULL};
    static const char *const clocks[2] = {"real", "user"};
    bench_table table;
    double at[4];
    bench_table_start(&table, c->title, heads);
    for (int clock = 0; clock < 2; clock++)
        for (int row = 0; row < c->count; row++) {
            const int *published = c->published[clock][row];
            at[row] = (double)c->movers[row];
            bench_table_row(&table);
            bench_table_cell(&table, "%s", clocks[clock]);
            bench_table_cell(&table, "%lld", (long long)c->movers[row]);
            for (int way = 0; way < WAYS; way++)
                bench_table_cell(&table, "%.1f", rates->of[clock][way][row]);
            bench_table_cell(&table, "%d %d %d per s", published[0], published[1], published[2]);
        }
    bench_table_end(&table, report);
    for (int clock = 0; clock < 2; clock++) {
        bench_figure figure = {.name = c->figures[clock],
                               .title = clock == 0 ? "Rates by real time" : "Rates by user time",
                               .x = "movers",
                               .y = "million polygons per second",
                               .series = way_names,
                               .series_count = WAYS,
                               .at = at,
                               .count = c->count};
        for (int way = 0; way < WAYS; way++)
            figure.values[way] = rates->of[clock][way];
        bench_figure_draw(&figure, report);
    }
}

void scene_published(bench_report *report) {
    for (int i = 0; i < 2; i++) {
        rates rates;
        for (int row = 0; row < chapters[i].count; row++)
            race(&chapters[i], row, &rates, report);
        show(&chapters[i], &rates, report);
    }
}
