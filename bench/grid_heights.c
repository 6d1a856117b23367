/// A million heights in random order: batches of landfall, the barest loops, and peers that are asked by rays straight down.
#include "grid.h"

#include <stdlib.h>

enum {
    LEAN_BATCH,
    HIT_BATCH,
    ONE_BY_ONE,
    SCALAR_LEAN,
    BARE_SCALAR,
    BARE_GATHERS,
    DOWN_1,
    DOWN_16,
    DOWN_PATCHES,
    ASKED
};

/// Rays cost the peers a hundred times as much: they are asked this part of the points.
enum { PART = 8, PIECE = 4096 };

typedef struct height_asker {
    const grid_rivals *rivals;
    const lf_ground *ground;
    const lf_vec3 *points;
    int64_t count;
    double *heights; ///< landfall and the bare loops
    lf_hit *hits;
    bench_embree *embree;
    const bench_embree_rays *singles;
    bench_answer *answers; ///< the peers
    int width;
    bool present;
} height_asker;

static void ask_lean(void *user) {
    const height_asker *asker = user;
    lf_ground_heights_many(asker->ground, asker->points, 0, asker->count, LF_VERTICAL_DOWN, asker->heights, 0,
                           NULL);
}

static void ask_hits(void *user) {
    const height_asker *asker = user;
    for (int64_t first = 0; first < asker->count; first += PIECE) {
        int64_t count = asker->count - first < PIECE ? asker->count - first : PIECE;
        lf_ground_height_many(asker->ground, asker->points + first, 0, count, LF_VERTICAL_DOWN, asker->hits,
                              0, NULL);
        for (int64_t i = 0; i < count; i++)
            asker->heights[first + i] = asker->hits[i].point.z;
    }
}

static void ask_one_by_one(void *user) {
    const height_asker *asker = user;
    lf_hit hit;
    for (int64_t i = 0; i < asker->count; i++) {
        lf_ground_height(asker->ground, asker->points[i], LF_VERTICAL_DOWN, &hit, NULL);
        asker->heights[i] = hit.point.z;
    }
}

static void ask_bare_scalar(void *user) {
    const height_asker *asker = user;
    grid_bare_scalar(asker->rivals->field, asker->points, asker->count, asker->heights);
}

static void ask_bare_gathers(void *user) {
    const height_asker *asker = user;
    grid_bare_gathers(asker->rivals->field, asker->points, asker->count, asker->heights);
}

static void ask_down(void *user) {
    const height_asker *asker = user;
    bench_embree_first_packets(asker->embree, asker->singles, asker->width, asker->answers);
}

/// Anywhere but on the far border, as floats, a metre above everything.
static lf_vec3 *make_points(const bench_field *field, int64_t count) {
    lf_vec3 *points = bench_take((size_t)count, sizeof *points);
    bench_random random = {3};
    double most = bench_field_extent(field) * (1.0 - 1e-6);
    for (int64_t i = 0; i < count; i++) {
        points[i].x = (float)bench_random_between(&random, 0.0, most);
        points[i].y = (float)bench_random_between(&random, 0.0, most);
        points[i].z = (float)ceil(field->high + 1.0);
    }
    return points;
}

static bench_embree_rays *make_down(const lf_vec3 *points, int64_t count) {
    bench_rays rays = {bench_take((size_t)count, sizeof *rays.rays), count};
    lf_vec3 down = {0.0, 0.0, -1.0};
    for (int64_t i = 0; i < count; i++)
        rays.rays[i] = lf_ray_towards(points[i], down);
    bench_embree_rays *singles = bench_embree_rays_make(&rays);
    bench_rays_close(&rays);
    return singles;
}

static void open_askers(height_asker askers[ASKED], const grid_rivals *rivals, int64_t count) {
    lf_vec3 *points = make_points(rivals->field, count);
    bench_embree_rays *singles = make_down(points, count / PART);
    lf_hit *hits = bench_take(PIECE, sizeof *hits);
    for (int i = 0; i < ASKED; i++) {
        bool peer = i >= DOWN_1;
        height_asker asker = {
            .rivals = rivals, .points = points, .hits = hits, .singles = singles, .width = 1};
        asker.ground = rivals->ground[i == SCALAR_LEAN ? SCALAR : LEAN];
        asker.count = peer ? count / PART : count;
        asker.heights = bench_take((size_t)count, sizeof *asker.heights);
        asker.answers = bench_take(peer ? (size_t)count : 1, sizeof *asker.answers);
        asker.embree = !peer ? NULL : i == DOWN_PATCHES ? rivals->patches : rivals->triangles;
        asker.present = peer ? asker.embree != NULL : i != BARE_GATHERS || grid_has_gathers();
        askers[i] = asker;
    }
    askers[DOWN_16].width = 16;
}

static void close_askers(height_asker askers[ASKED]) {
    for (int i = 0; i < ASKED; i++) {
        free(askers[i].answers);
        free(askers[i].heights);
    }
    free(askers[0].hits);
    bench_embree_rays_close((bench_embree_rays *)askers[0].singles);
    free((lf_vec3 *)askers[0].points);
}

/// Nanoseconds per height, 0 for those who were not asked.
static void race(height_asker askers[ASKED], int rounds, double nanoseconds[ASKED]) {
    static void (*const runs[ASKED])(void *user) = {[LEAN_BATCH] = ask_lean,
                                                    [HIT_BATCH] = ask_hits,
                                                    [ONE_BY_ONE] = ask_one_by_one,
                                                    [SCALAR_LEAN] = ask_lean,
                                                    [BARE_SCALAR] = ask_bare_scalar,
                                                    [BARE_GATHERS] = ask_bare_gathers,
                                                    [DOWN_1] = ask_down,
                                                    [DOWN_16] = ask_down,
                                                    [DOWN_PATCHES] = ask_down};
    bench_contestant contestants[ASKED];
    int who[ASKED], count = 0;
    for (int i = 0; i < ASKED; i++) {
        nanoseconds[i] = 0.0;
        if (!askers[i].present)
            continue;
        bench_contestant contestant = {"", NULL, runs[i], &askers[i]};
        who[count] = i;
        contestants[count++] = contestant;
    }
    bench_times times;
    bench_race(contestants, count, rounds, true, &times);
    for (int i = 0; i < count; i++)
        nanoseconds[who[i]] = 1e9 * times.seconds[0] * times.ratio[i] / (double)askers[who[i]].count;
}

/// Heights that are farther from landfall's than so many metres.
static int64_t count_far(const height_asker *ours, const height_asker *other, double metres) {
    int64_t far = 0;
    for (int64_t i = 0; i < other->count; i++) {
        bool hit = !other->embree || other->answers[i].item >= 0;
        double height = other->embree ? other->points[i].z - other->answers[i].t : other->heights[i];
        far += !hit || !(fabs(height - ours->heights[i]) <= metres);
    }
    return far;
}

static int64_t count_unequal(const height_asker askers[ASKED]) {
    int64_t unequal = 0;
    for (int who = HIT_BATCH; who <= SCALAR_LEAN; who++)
        for (int64_t i = 0; i < askers[LEAN_BATCH].count; i++)
            unequal += askers[who].heights[i] != askers[LEAN_BATCH].heights[i];
    return unequal;
}

static void note_bars(const grid_rivals *rivals, bench_report *report, const double nanoseconds[ASKED]) {
    double bare = nanoseconds[BARE_SCALAR], gathers = nanoseconds[BARE_GATHERS];
    bare = gathers > 0.0 && gathers < bare ? gathers : bare;
    if (rivals->triangles)
        grid_speed_bar(rivals, report, "heights", nanoseconds[DOWN_1] / nanoseconds[LEAN_BATCH],
                       rivals->field->samples > 2000 ? 40.0 : 60.0);
    grid_bar(rivals, report, "heights-of-bare", bare / nanoseconds[LEAN_BATCH], 1.0 / 1.6);
}

void grid_ask_heights(const grid_rivals *rivals, bench_report *report, grid_totals *totals) {
    static const char *const heads[] = {
        "",         "l heights", "l hits",   "l single", "scalar l heights", "bare scalar", "bare gathers",
        "Embree 1", "Embree 16", "E grid 1", NULL};
    char name[160];
    snprintf(name, sizeof name, "%s heights", rivals->field->name);
    if (!bench_wanted(report, name))
        return;
    height_asker askers[ASKED];
    double nanoseconds[ASKED];
    open_askers(askers, rivals, report->quick ? 1 << 14 : 1 << 20);
    race(askers, report->rounds, nanoseconds);
    int64_t unequal = count_unequal(askers);
    totals->compared += 3 * askers[LEAN_BATCH].count;
    totals->unequal += unequal;
    bench_table *table = bench_take(1, sizeof *table);
    snprintf(name, sizeof name, "%s: a batch of heights in random order; off: more than 2 cm from landfall's",
             rivals->field->name);
    bench_table_start(table, name, heads);
    static const char *const rows[] = {"ns per height", "off"};
    for (int row = 0; row < 2; row++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", rows[row]);
        for (int i = 0; i < ASKED; i++)
            if (!askers[i].present)
                bench_table_cell(table, "-");
            else if (row == 0)
                bench_table_cell(table, "%.2f", nanoseconds[i]);
            else
                bench_table_cell(table, "%lld", (long long)count_far(&askers[LEAN_BATCH], &askers[i], 0.02));
    }
    bench_table_end(table, report);
    free(table);
    note_bars(rivals, report, nanoseconds);
    close_askers(askers);
}
