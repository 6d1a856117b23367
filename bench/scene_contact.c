/// When do two boxes touch? landfall, Bullet's convex casts and FCL's continuous collision on the same motions, and what each misses.
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 4, SAMPLES = 512 };

/// What motions of a kind have in common.
typedef struct motion_kind {
    const char *name;
    double thin, way;
    bool turned;
    bool aimed; ///< b goes towards a, so that about every third pair meets; else few do
    double wanted;
} motion_kind;

/// Motions of one kind.
typedef struct motions {
    const char *name;
    int64_t count;
    bool turned;
    cast_box *a, *b;
    lf_moving_box *box_a, *box_b;
    lf_moving_block *block_a, *block_b;
    lf_contact_result *meetings;
} motions;

/// Numbers that are floats, so that all see the same.
static double some(bench_random *random, double low, double high) {
    return (double)(float)bench_random_between(random, low, high);
}

/// A rotation by three plane turns, rounded to floats.
static void turn_box(cast_box *box, bench_random *random) {
    lf_pose pose;
    lf_vec3 axis = {bench_random_between(random, -1, 1), bench_random_between(random, -1, 1), 1.5};
    lf_pose_turn((lf_vec3){0, 0, 0}, axis, bench_random_between(random, 0, 6), &pose);
    memcpy(box->turn, pose.rows, sizeof box->turn);
}

static void make_box(cast_box *box, double thin, bool turned, bench_random *random) {
    memset(box, 0, sizeof *box);
    for (int k = 0; k < 3; k++) {
        box->turn[k][k] = 1;
        box->half[k] = some(random, 0.2, 1) * (k == 2 ? thin : 1);
        box->from[k] = some(random, -4, 4);
    }
    if (turned)
        turn_box(box, random);
}

/// Each goes some way; where they are aimed b goes besides towards a.
static void set_off(cast_box *a, cast_box *b, const motion_kind *kind, bench_random *random) {
    double eager = kind->aimed ? bench_random_between(random, 0, 1.6) : 0;
    for (int k = 0; k < 3; k++) {
        double drift = some(random, -kind->way, kind->way);
        double other = kind->aimed ? drift + some(random, -1, 1) : some(random, -kind->way, kind->way);
        a->to[k] = (double)(float)(a->from[k] + drift);
        b->to[k] = (double)(float)(b->from[k] + other + eager * (a->from[k] - b->from[k]));
    }
}

static void our_box(const cast_box *box, lf_moving_box *aligned, lf_moving_block *block) {
    lf_vec3 from = {box->from[0], box->from[1], box->from[2]}, to = {box->to[0], box->to[1], box->to[2]};
    lf_vec3 half = {box->half[0], box->half[1], box->half[2]}, velocity = lf_vec3_sub(to, from);
    *aligned =
        (lf_moving_box){{lf_vec3_sub(from, half), lf_vec3_add(from, half)}, velocity, {0, 0, 0}, {0, 0, 0}};
    *block = (lf_moving_block){from, half, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, velocity};
    for (int k = 0; k < 3; k++) // the columns of the rotation
        block->axes[k] = (lf_vec3){box->turn[0][k], box->turn[1][k], box->turn[2][k]};
}

static bool start_together(const motions *set, int64_t i) {
    lf_contact_result meeting;
    lf_contact_blocks(&set->block_a[i], &set->block_b[i], 0, &meeting);
    return meeting.meets;
}

static void make_motions(motions *set, const motion_kind *kind, int64_t count) {
    bench_random random = {5};
    *set = (motions){kind->name, count, kind->turned, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    set->a = bench_take((size_t)count, sizeof *set->a);
    set->b = bench_take((size_t)count, sizeof *set->b);
    set->box_a = bench_take((size_t)count, sizeof *set->box_a);
    set->box_b = bench_take((size_t)count, sizeof *set->box_b);
    set->block_a = bench_take((size_t)count, sizeof *set->block_a);
    set->block_b = bench_take((size_t)count, sizeof *set->block_b);
    set->meetings = bench_take((size_t)count, sizeof *set->meetings);
    for (int64_t i = 0; i < count; i++) // Bullet's casts want boxes that are apart at first
        do {
            make_box(&set->a[i], kind->thin, kind->turned, &random);
            make_box(&set->b[i], kind->thin, kind->turned, &random);
            set_off(&set->a[i], &set->b[i], kind, &random);
            our_box(&set->a[i], &set->box_a[i], &set->block_a[i]);
            our_box(&set->b[i], &set->box_b[i], &set->block_b[i]);
        } while (start_together(set, i));
}

static void close_motions(motions *set) {
    free(set->meetings);
    free(set->block_b);
    free(set->block_a);
    free(set->box_b);
    free(set->box_a);
    free(set->b);
    free(set->a);
}

static void run_single(void *user) {
    motions *set = user;
    for (int64_t i = 0; i < set->count; i++)
        if (set->turned)
            lf_contact_blocks(&set->block_a[i], &set->block_b[i], 1, &set->meetings[i]);
        else
            lf_contact_boxes(&set->box_a[i], &set->box_b[i], 1, &set->meetings[i]);
}

static void run_batch(void *user) {
    motions *set = user;
    lf_contact_batch batch = {set->box_a, set->box_b, sizeof *set->box_a, sizeof *set->box_b,
                              set->count, 1,          set->meetings,      NULL};
    lf_contact_boxes_many(&batch, NULL);
}

typedef struct peer_run {
    const cast_kind *kind;
    void *world;
    double *times;
} peer_run;

static void run_peer(void *user) {
    peer_run *run = user;
    run->kind->cast(run->world, run->times);
}

/// Do two blocks surely touch at one of many moments? By landfall's distance of bodies, which shares nothing with its closed forms.
static bool sampled_contact(const motions *set, int64_t i) {
    lf_vec3 corners[2][8];
    lf_body body[2];
    for (int s = 0; s <= SAMPLES; s++) {
        for (int who = 0; who < 2; who++) {
            const lf_moving_block *block = who ? &set->block_b[i] : &set->block_a[i];
            lf_vec3 at = lf_vec3_along(block->centre, (double)s / SAMPLES, block->velocity);
            for (int c = 0; c < 8; c++) { // a little smaller, so that rounding cannot make a contact
                lf_vec3 p = lf_vec3_along(at, (c & 1 ? 1 : -1) * block->half.x * (1 - 1e-6), block->axes[0]);
                p = lf_vec3_along(p, (c & 2 ? 1 : -1) * block->half.y * (1 - 1e-6), block->axes[1]);
                corners[who][c] =
                    lf_vec3_along(p, (c & 4 ? 1 : -1) * block->half.z * (1 - 1e-6), block->axes[2]);
            }
            body[who] = (lf_body){.kind = LF_BODY_POINTS, .points = corners[who], .count = 8};
            body[who].rows[0].x = body[who].rows[1].y = body[who].rows[2].z = 1;
        }
        double distance = 1;
        lf_body_distance(&body[0], &body[1], &distance);
        if (distance == 0)
            return true;
    }
    return false;
}

/// Contacts that somebody else sees, or samples show, and landfall does not.
static int64_t ours_missed(const motions *set, int64_t looked) {
    int64_t missed = 0;
    for (int64_t i = 0; i < looked; i++)
        missed += !set->meetings[i].meets && sampled_contact(set, i);
    return missed;
}

/// Contacts that a peer does not see although they are deeper than a thousandth of the boxes.
static int64_t peer_missed(const motions *set, const double *times, int64_t *contacts) {
    int64_t missed = 0;
    *contacts = 0;
    for (int64_t i = 0; i < set->count; i++) {
        lf_moving_block a = set->block_a[i], b = set->block_b[i];
        lf_contact_result meeting;
        a.half = lf_vec3_scale(a.half, 0.999);
        b.half = lf_vec3_scale(b.half, 0.999);
        lf_contact_blocks(&a, &b, 0.999, &meeting);
        *contacts += meeting.meets;
        missed += meeting.meets && times[i] < 0;
    }
    return missed;
}

static void race(motions *set, double wanted, bench_table *table, bench_report *report) {
    const cast_kind *kinds[PEERS] = {cast_bullet_subsimplex(), cast_bullet_continuous(), cast_fcl_default(),
                                     cast_fcl_advancement()};
    peer_run runs[PEERS];
    bench_contestant contestants[PEERS + 2] = {{"landfall", NULL, run_single, set}};
    bench_times times;
    char bar[64];
    int first = 1;
    if (!set->turned)
        contestants[first++] = (bench_contestant){"landfall batch", NULL, run_batch, set};
    for (int i = 0; i < PEERS; i++) {
        runs[i] = (peer_run){kinds[i], kinds[i]->make(set->a, set->b, set->count),
                             bench_take((size_t)set->count, sizeof(double))};
        contestants[first + i] = (bench_contestant){kinds[i]->name, NULL, run_peer, &runs[i]};
    }
    bench_race(contestants, PEERS + first, report->rounds < 5 ? report->rounds : 5, true, &times);
    int64_t ours = ours_missed(set, report->quick ? 100 : set->count / 4);
    double best = 1e300;
    for (int i = 0; i < PEERS + first; i++) {
        int64_t contacts = 0, missed = i < first ? ours : peer_missed(set, runs[i - first].times, &contacts);
        bench_table_row(table);
        bench_table_cell(table, "%s", set->name);
        bench_table_cell(table, "%s", contestants[i].name);
        bench_table_cell(table, "%.1f", 1e9 * times.seconds[i] / (double)set->count);
        bench_table_cell(table, "%.1f", times.ratio[i]);
        bench_table_cell(table, "%lld", (long long)missed);
        if (i >= first) {
            bench_table_cell(table, "%lld", (long long)contacts);
            best = times.ratio[i] < best ? times.ratio[i] : best;
        }
    }
    snprintf(bar, sizeof bar, "scene-contact-%s", set->name);
    bench_bar(report, bar, best, wanted);
    if (!set->turned) {
        snprintf(bar, sizeof bar, "scene-contact-batch-%s", set->name);
        bench_bar(report, bar, best / times.ratio[1], 10);
    }
    snprintf(bar, sizeof bar, "scene-contact-none-missed-%s", set->name);
    bench_bar(report, bar, ours == 0, 1);
    for (int i = 0; i < PEERS; i++) {
        kinds[i]->drop(runs[i].world);
        free(runs[i].times);
    }
    close_motions(set);
}

void scene_contact(bench_report *report) {
    static const char *const heads[] = {"motion", "method", "ns", "ratio", "missed", "of contacts", NULL};
    static const motion_kind kinds[] = {{"aligned", 1, 6, false, true, 10},
                                        {"fast-thin", 0.02, 60, false, true, 10},
                                        {"oriented", 1, 6, true, true, 4},
                                        {"aligned-by-chance", 1, 6, false, false, 10},
                                        {"oriented-by-chance", 1, 6, true, false, 4}};
    bench_table table;
    motions set;
    int64_t count = report->quick ? 400 : 4000;
    bench_table_start(&table, "first time of contact of two boxes: nanoseconds per question", heads);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        make_motions(&set, &kinds[k], count);
        race(&set, kinds[k].wanted, &table, report);
    }
    bench_table_end(&table, report);
}
