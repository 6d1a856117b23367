/// Figure 7 of Funfzig and others: both models in unit boxes, the second turns once about z at each of several distances.
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Space for pairs; more are counted, not kept.
enum { SPACE = 1 << 20 };

/// A distance at which spheres around two unit boxes share no point.
#define APART 2.0

static const char *const mode_names[MODES] = {"all pairs", "yes or no"};

/// One contestant's way through the frames of one distance.
typedef struct turn_run {
    model_rivals *rivals;
    int which; ///< a peer, or -1 for landfall
    turn_mode mode;
    const lf_pose *poses;            ///< one per frame
    const collider_pose *peer_poses; ///< the same
    int step;                        ///< of the full turn, every step-th frame is asked
    int turns;                       ///< so often
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
    lf_model_query question = lf_model_query_default();
    question.a = question.b = run->rivals->model;
    for (int frame = 0; frame < FRAMES; frame += run->step) {
        int64_t count = 0;
        bool touching = false;
        question.pose_b = run->poses[frame];
        if (run->mode == MODE_ALL) {
            lf_model_pairs(&question, run->pairs, SPACE, &count, NULL);
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
    for (int frame = 0; frame < FRAMES; frame += run->step) {
        int64_t count = kind->pairs(model, NULL, model, &run->peer_poses[frame], run->mode == MODE_ALL);
        run->found += count;
        run->touching += count > 0;
    }
}

static void run_turn(void *user) {
    turn_run *run = user;
    run->found = run->touching = 0;
    for (int turn = 0; turn < run->turns; turn++)
        if (run->which < 0)
            run_ours(run);
        else
            run_peer(run);
}

/// A few frames, not timed: nobody begins with empty caches. kDOP trees would not notice.
static void warm_up(void *user) {
    turn_run few = *(turn_run *)user;
    few.step = FRAMES / 4;
    few.turns = 1;
    if (few.which != 1)
        run_turn(&few);
}

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

/// The poses of one distance, for everybody.
typedef struct turn_poses {
    lf_pose ours[FRAMES];
    collider_pose peers[FRAMES];
} turn_poses;

static const turn_poses *poses_at(double distance) {
    static turn_poses poses;
    model_poses(distance, poses.ours);
    for (int frame = 0; frame < FRAMES; frame++)
        poses.peers[frame] = peer_pose(&poses.ours[frame]);
    return &poses;
}

static bench_contestant contestant_of(turn_run *run) {
    const char *name = run->which < 0 ? "landfall" : run->rivals->kind[run->which]->name;
    return (bench_contestant){name, warm_up, run_turn, run};
}

/// Everybody in one mode.
typedef struct turn_race {
    model_rivals *rivals;
    turn_mode mode;
    const bench_report *report;
    lf_model_pair *pairs; ///< space for landfall's
    bench_table table;
} turn_race;

/// Everybody at one distance: a row of the table, and the microseconds per frame.
static void race_distance(turn_race *race, double distance, double micros[PEERS + 1]) {
    bench_table *table = &race->table;
    turn_run runs[PEERS + 1];
    bench_contestant contestants[PEERS + 1];
    bool apart = distance == APART;
    const turn_poses *poses = poses_at(distance);
    for (int i = 0; i <= PEERS; i++) {
        runs[i] = (turn_run){.rivals = race->rivals,
                             .which = i - 1,
                             .mode = race->mode,
                             .poses = poses->ours,
                             .peer_poses = poses->peers,
                             .step = step_of(i - 1, apart, race->report),
                             .turns = 1,
                             .pairs = race->pairs};
        contestants[i] = contestant_of(&runs[i]);
    }
    bench_times times;
    bench_race(contestants, PEERS + 1, apart ? 5 : 1, apart, &times);
    bench_table_row(table);
    bench_table_cell(table, "%.2f", distance);
    bench_table_cell(table, "%.0f", 100.0 * (double)runs[0].touching * runs[0].step / FRAMES);
    bench_table_cell(table, "%.1f", (double)runs[0].found * runs[0].step / FRAMES);
    for (int i = 0; i <= PEERS; i++) {
        micros[i] = 1e6 * times.seconds[i] * runs[i].step / FRAMES;
        bench_table_cell(table, "%.3f", micros[i]);
    }
    bool pairs = race->mode == MODE_ALL;
    bench_table_cell(table, "%.0f",
                     pairs ? (double)(runs[1].found - runs[0].found)
                           : (double)(runs[1].touching - runs[0].touching));
}

/// Bounding spheres apart, landfall and FCL OBBRSS alone. A turn takes landfall a hundredth of a millisecond, less than caches take to fill:
/// many turns make a pass.
static double race_apart(model_rivals *rivals) {
    const turn_poses *poses = poses_at(APART);
    turn_run runs[2];
    bench_contestant contestants[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = (turn_run){.rivals = rivals,
                             .which = i - 1,
                             .mode = MODE_TOUCH,
                             .poses = poses->ours,
                             .peer_poses = poses->peers,
                             .step = 1,
                             .turns = 50};
        contestants[i] = contestant_of(&runs[i]);
    }
    bench_times times;
    bench_race(contestants, 2, 21, true, &times);
    if (runs[0].touching != 0 || runs[1].touching != 0)
        bench_stop("models that are apart touch");
    printf("spheres apart: landfall %.1f ns, FCL OBBRSS %.1f ns\n", 1e9 * times.seconds[0] / (FRAMES * 50),
           1e9 * times.seconds[1] / (FRAMES * 50));
    return times.ratio[1];
}

static double mean_of(const double micros[DISTANCES]) {
    double sum = 0;
    for (int i = 0; i < DISTANCES; i++)
        sum += micros[i];
    return sum / DISTANCES;
}

static void report_mode(model_rivals *rivals, turn_mode mode, bench_report *report) {
    char bar[64];
    const char *name = rivals->shape->name, *word = mode == MODE_ALL ? "pairs" : "touch";
    double ours = mean_of(rivals->micros[mode][0]);
    snprintf(bar, sizeof bar, "model-%s-%s-fcl", name, word);
    bench_bar_relaxed(report, bar, mean_of(rivals->micros[mode][1]) / ours, 12, model_share());
    if (mode == MODE_ALL) {
        snprintf(bar, sizeof bar, "model-%s-%s-ode", name, word);
        bench_bar_relaxed(report, bar, mean_of(rivals->micros[mode][3]) / ours, 7, model_share());
    } else {
        snprintf(bar, sizeof bar, "model-%s-apart-fcl", name);
        bench_bar_relaxed(report, bar, race_apart(rivals), 20, model_share());
    }
}

static void race_mode(model_rivals *rivals, turn_mode mode, bench_report *report, lf_model_pair *pairs) {
    static const char *const heads[] = {"distance",   "touch %", "pairs",   "landfall us", "FCL OBBRSS",
                                        "FCL kDOP18", "ODE",     "GImpact", "FCL - ours",  NULL};
    turn_race race = {.rivals = rivals, .mode = mode, .report = report, .pairs = pairs};
    bench_table *table = &race.table;
    char title[160];
    double micros[PEERS + 1];
    snprintf(title, sizeof title, "%s: %s, microseconds per frame", rivals->shape->name, mode_names[mode]);
    bench_table_start(table, title, heads);
    race_distance(&race, APART, micros);
    for (int d = 0; d < DISTANCES; d++) {
        race_distance(&race, model_distance(d), micros);
        for (int i = 0; i <= PEERS; i++)
            rivals->micros[mode][i][d] = micros[i];
    }
    bench_table_row(table);
    bench_table_cell(table, "mean");
    bench_table_cell(table, " ");
    bench_table_cell(table, " ");
    for (int i = 0; i <= PEERS; i++)
        bench_table_cell(table, "%.3f", mean_of(rivals->micros[mode][i]));
    bench_table_end(table, report);
    report_mode(rivals, mode, report);
}

void model_turns(model_rivals *rivals, bench_report *report) {
    lf_model_pair *pairs = bench_take(SPACE, sizeof *pairs);
    for (int mode = 0; mode < MODES; mode++)
        race_mode(rivals, (turn_mode)mode, report, pairs);
    free(pairs);
}
