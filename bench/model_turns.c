/// Figure 7 of Funfzig and others: both models in unit boxes, the second turns once about z at each of several distances.
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Room for pairs; more are counted, not kept.
enum { ROOM = 1 << 20 };

typedef enum turn_mode { MODE_ALL, MODE_TOUCH, MODES } turn_mode;

static const char *const mode_names[MODES] = {"all pairs", "yes or no"};

/// One contestant's way through the frames of one distance.
typedef struct turn_run {
    model_rivals *rivals;
    int which; ///< a peer, or -1 for landfall
    turn_mode mode;
    const lf_pose *poses;            ///< one per frame
    const collider_pose *peer_poses; ///< the same
    int frames, step;                ///< of the full turn, every step-th is asked
    lf_model_pair *pairs;
    int64_t found, touching;
} turn_run;

static collider_pose peer_pose(const lf_pose *pose) {
    collider_pose out;
    memcpy(out.turn, pose->rows, sizeof out.turn);
    memcpy(out.shift, &pose->translation, sizeof out.shift);
    return out;
}

static void run_ours(turn_run *run) {
    lf_model_question question = lf_model_question_default();
    question.a = question.b = run->rivals->model;
    for (int frame = 0; frame < run->frames; frame += run->step) {
        int64_t count = 0;
        bool touching = false;
        question.pose_b = run->poses[frame];
        if (run->mode == MODE_ALL) {
            lf_model_pairs(&question, run->pairs, ROOM, &count, NULL);
            touching = count > 0;
        } else {
            lf_model_touch(&question, &touching, NULL);
        }
        run->found += count;
        run->touching += touching;
    }
}

static void run_peer(turn_run *run) {
    const collider_kind *kind = run->rivals->kind[run->which];
    void *model = run->rivals->peer[run->which];
    lf_pose still = lf_pose_identity();
    collider_pose first = peer_pose(&still);
    for (int frame = 0; frame < run->frames; frame += run->step) {
        int64_t count = kind->pairs(model, &first, model, &run->peer_poses[frame], run->mode == MODE_ALL);
        run->found += count;
        run->touching += count > 0;
    }
}

static void run_turn(void *user) {
    turn_run *run = user;
    run->found = run->touching = 0;
    if (run->which < 0)
        run_ours(run);
    else
        run_peer(run);
}

/// What one shape needs in one mode, over all distances.
typedef struct turn_sums {
    double micros[PEERS + 1]; ///< sums of the means
    double ratio_apart;       ///< FCL OBBRSS to landfall where the spheres are apart
} turn_sums;

/// Every frame is asked with --large, else every tenth (25th when quick) of the turn; where the models are far apart always every
/// one. kDOP trees are carried over whole for every pose: two frames say enough.
static int step_of(int which, bool apart, const bench_report *report) {
    if (which == 1)
        return FRAMES / 2;
    return apart || report->large ? 1 : report->quick ? 25 : 10;
}

double model_distance(int index) {
    return 1.3 - 0.1 * index;
}

void model_poses(double distance, lf_pose poses[FRAMES]) {
    for (int frame = 0; frame < FRAMES; frame++) {
        double angle = 6.283185307179586 * frame / FRAMES;
        lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, angle, &poses[frame]);
        poses[frame].translation = (lf_vec3){distance, 0, 0};
    }
}

static void race_distance(model_rivals *rivals, turn_mode mode, double distance, bench_report *report,
                          lf_model_pair *pairs, bench_table *table, turn_sums *sums) {
    turn_run runs[PEERS + 1];
    bench_contestant contestants[PEERS + 1];
    bool apart = distance > 1.9;
    static lf_pose poses[FRAMES];
    static collider_pose peer_poses[FRAMES];
    model_poses(distance, poses);
    for (int frame = 0; frame < FRAMES; frame++)
        peer_poses[frame] = peer_pose(&poses[frame]);
    for (int i = 0; i <= PEERS; i++) {
        runs[i] = (turn_run){rivals, i - 1, mode, poses, peer_poses, FRAMES, step_of(i - 1, apart, report),
                             pairs,  0,     0};
        contestants[i] =
            (bench_contestant){i == 0 ? "landfall" : rivals->kind[i - 1]->name, NULL, run_turn, &runs[i]};
    }
    bench_times times;
    bench_race(contestants, PEERS + 1, apart ? 5 : 1, apart, &times);
    bench_table_row(table);
    bench_table_cell(table, "%.2f", distance);
    bench_table_cell(table, "%.0f", 100.0 * (double)runs[0].touching * runs[0].step / FRAMES);
    bench_table_cell(table, "%.1f", (double)runs[0].found * runs[0].step / FRAMES);
    for (int i = 0; i <= PEERS; i++) {
        double micros = 1e6 * times.seconds[i] * runs[i].step / FRAMES;
        sums->micros[i] += micros;
        bench_table_cell(table, "%.2f", micros);
    }
    double fcl =
        runs[1].step == runs[0].step && mode == MODE_ALL ? (double)runs[1].found : (double)runs[1].touching;
    double ours = mode == MODE_ALL ? (double)runs[0].found : (double)runs[0].touching;
    bench_table_cell(table, "%.0f", fcl - ours);
    if (apart)
        sums->ratio_apart = times.ratio[1];
}

static void race_mode(model_rivals *rivals, turn_mode mode, bench_report *report, lf_model_pair *pairs) {
    static const char *const heads[] = {"distance",   "touch %", "pairs",   "landfall us", "FCL OBBRSS",
                                        "FCL kDOP18", "ODE",     "GImpact", "FCL - ours",  NULL};
    bench_table table;
    turn_sums sums = {{0}, 0};
    char title[160], bar[64];
    snprintf(title, sizeof title, "%s: %s, microseconds per frame", rivals->shape->name, mode_names[mode]);
    bench_table_start(&table, title, heads);
    race_distance(rivals, mode, 2, report, pairs, &table, &sums);
    memset(sums.micros, 0, sizeof sums.micros);
    for (int i = 0; i < DISTANCES; i++)
        race_distance(rivals, mode, model_distance(i), report, pairs, &table, &sums);
    bench_table_row(&table);
    bench_table_cell(&table, "mean");
    bench_table_cell(&table, " ");
    bench_table_cell(&table, " ");
    for (int i = 0; i <= PEERS; i++)
        bench_table_cell(&table, "%.2f", sums.micros[i] / DISTANCES);
    bench_table_end(&table, report);
    const char *word = mode == MODE_ALL ? "pairs" : "touch";
    snprintf(bar, sizeof bar, "model-%s-%s-fcl", rivals->shape->name, word);
    bench_bar(report, bar, sums.micros[1] / sums.micros[0], 12);
    if (mode == MODE_ALL) {
        snprintf(bar, sizeof bar, "model-%s-%s-ode", rivals->shape->name, word);
        bench_bar(report, bar, sums.micros[3] / sums.micros[0], 7);
    } else {
        snprintf(bar, sizeof bar, "model-%s-apart-fcl", rivals->shape->name);
        // With AVX2 half of what is wanted of AVX-512 will do.
        bench_bar(report, bar, sums.ratio_apart, lf_isa_best() >= LF_ISA_AVX512 ? 20 : 10);
    }
}

void model_turns(model_rivals *rivals, bench_report *report) {
    lf_model_pair *pairs = bench_take(ROOM, sizeof *pairs);
    for (int mode = 0; mode < MODES; mode++)
        race_mode(rivals, (turn_mode)mode, report, pairs);
    free(pairs);
}
