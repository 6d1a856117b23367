/// Culling many boxes by a view against Bullet's box tree, and what each of our methods costs.
#include "cull.h"
#include "dbvt.h"

#include <math.h>
#include <stdlib.h>

enum { VIEWS = 16 };

/// One world, its rivals and their answers.
typedef struct cull_case {
    int64_t count;
    lf_box *boxes;
    lf_cull *cull;
    bench_dbvt *dbvt;
    lf_view views[VIEWS];
    lf_polyhedron volumes[VIEWS];
    int64_t *ours, *theirs;
    uint8_t *marks;
    int64_t our_count, their_count;
    uint32_t methods;
} cull_case;

/// Boxes of up to 2 m, 10 m apart in the mean, and eyes among them; an eighth of the world's width can be seen, and numbers are
/// floats, so that nobody has to round.
static void make_world(cull_case *c) {
    bench_random random = {1};
    double side = 10 * cbrt((double)c->count);
    c->boxes = bench_take((size_t)c->count, sizeof *c->boxes);
    for (int64_t i = 0; i < c->count; i++) {
        float at[3], half[3];
        for (int k = 0; k < 3; k++) {
            at[k] = (float)bench_random_between(&random, 0, side);
            half[k] = (float)bench_random_between(&random, 0.1, 1);
        }
        c->boxes[i] = (lf_box){{at[0] - half[0], at[1] - half[1], at[2] - half[2]},
                               {at[0] + half[0], at[1] + half[1], at[2] + half[2]}};
    }
    for (int v = 0; v < VIEWS; v++) {
        lf_view *view = &c->views[v];
        *view = lf_view_default();
        view->at = (lf_vec3){bench_random_between(&random, 0.2, 0.8) * side,
                             bench_random_between(&random, 0.2, 0.8) * side, 0.5 * side};
        double turn = 6.283185307179586 * v / VIEWS;
        view->forward = (lf_vec3){cos(turn), sin(turn), bench_random_between(&random, -0.3, 0.3)};
        view->nearest = 0.1;
        view->farthest = 2 * side;
        if (lf_view_volume(view, &c->volumes[v], NULL) != LF_OK)
            bench_stop("a view is wrong");
    }
}

static void look_ours(void *user) {
    cull_case *c = user;
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = c->methods;
    rules.filters = lf_gottstein_filters();
    c->our_count = 0;
    for (int v = 0; v < VIEWS; v++) {
        lf_cull_result seen = {.items = c->ours, .capacity = c->count};
        if (lf_cull_query(c->cull, &c->views[v], &rules, &seen, NULL) != LF_OK)
            bench_stop("a look failed");
        c->our_count += seen.count;
    }
}

static void look_theirs(void *user) {
    cull_case *c = user;
    c->their_count = 0;
    for (int v = 0; v < VIEWS; v++)
        c->their_count +=
            bench_dbvt_cull(c->dbvt, c->volumes[v].planes, c->volumes[v].plane_count, c->theirs);
}

/// Is a box outside of a plane by more than single precision can be off?
static bool clearly_outside(const lf_polyhedron *volume, const lf_box *box, double doubt) {
    for (int k = 0; k < volume->plane_count; k++) {
        lf_vec3 n = volume->planes[k].normal;
        lf_vec3 deep = {n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                        n.z > 0 ? box->low.z : box->high.z};
        if (lf_vec3_dot(n, deep) - volume->planes[k].offset > doubt)
            return true;
    }
    return false;
}

/// Boxes that one keeps and the other does not, though they are not within rounding of a plane: there should be none.
static int64_t differences(cull_case *c) {
    int64_t wrong = 0;
    double doubt = 1e-5 * 10 * cbrt((double)c->count);
    for (int v = 0; v < VIEWS; v++) {
        lf_cull_result seen = {.items = c->ours, .capacity = c->count};
        lf_cull_query(c->cull, &c->views[v], NULL, &seen, NULL);
        int64_t count = bench_dbvt_cull(c->dbvt, c->volumes[v].planes, c->volumes[v].plane_count, c->theirs);
        for (int64_t i = 0; i < c->count; i++)
            c->marks[i] = 0;
        for (int64_t i = 0; i < seen.count; i++)
            c->marks[c->ours[i]] |= 1;
        for (int64_t i = 0; i < count; i++)
            c->marks[c->theirs[i]] |= 2;
        for (int64_t i = 0; i < c->count; i++) {
            bool outside = clearly_outside(&c->volumes[v], &c->boxes[i], doubt);
            bool inside = !clearly_outside(&c->volumes[v], &c->boxes[i], -doubt);
            wrong +=
                (c->marks[i] == 1 && outside) || (c->marks[i] == 2 && inside) || (c->marks[i] == 0 && inside);
        }
    }
    return wrong;
}

/// What the other ways cost, each alone.
static void time_methods(cull_case *c, bench_table *table, const bench_times *planes) {
    double each = 1e9 / ((double)c->count * VIEWS);
    for (int k = 1; k < 5; k++) {
        bench_times times;
        const bench_contestant alone = {"method", NULL, look_ours, c};
        c->methods = 1u << k;
        bench_race(&alone, 1, 3, true, &times);
        bench_table_cell(table, "%.2f", times.seconds[0] * each);
    }
    c->methods = LF_CULL_PLANES;
    (void)planes;
}

static void bench_count(int64_t count, bench_report *report, bench_table *table, bench_table *methods) {
    cull_case c = {.count = count, .methods = LF_CULL_PLANES};
    lf_cull_def def = lf_cull_def_default();
    bench_times times;
    char name[64];
    snprintf(name, sizeof name, "cull-%lldk", (long long)(count / 1000));
    if (!bench_wanted(report, name))
        return;
    make_world(&c);
    def.boxes = c.boxes;
    def.count = count;
    double start = bench_clock();
    if (lf_cull_create(&def, &c.cull, NULL) != LF_OK)
        bench_stop("no memory for %lld boxes", (long long)count);
    double made = bench_clock();
    c.dbvt = bench_dbvt_open(c.boxes, count);
    double theirs = bench_clock();
    c.ours = bench_take((size_t)count, sizeof *c.ours);
    c.theirs = bench_take((size_t)count, sizeof *c.theirs);
    c.marks = bench_take((size_t)count, 1);
    const bench_contestant rivals[] = {{"landfall", NULL, look_ours, &c}, {"dbvt", NULL, look_theirs, &c}};
    bench_race(rivals, 2, report->rounds, true, &times);
    double each = 1e9 / ((double)count * VIEWS);
    int64_t wrong = differences(&c);
    bench_table_row(table);
    bench_table_cell(table, "%lld", (long long)count);
    bench_table_cell(table, "%.1f", 100.0 * (double)c.our_count / ((double)count * VIEWS));
    bench_table_cell(table, "%.3f", times.seconds[0] * each);
    bench_table_cell(table, "%.2f", times.seconds[1] * each);
    bench_table_cell(table, "%.1f", times.ratio[1]);
    bench_table_cell(table, "%.1f", 1e3 * (made - start));
    bench_table_cell(table, "%.1f", 1e3 * (theirs - made));
    bench_table_cell(table, "%lld", (long long)wrong);
    bench_table_row(methods);
    bench_table_cell(methods, "%lld", (long long)count);
    bench_table_cell(methods, "%.2f", times.seconds[0] * each);
    time_methods(&c, methods, &times);
    bench_bar(report, name, times.ratio[1], 14);
    snprintf(name, sizeof name, "cull-%lldk-right", (long long)(count / 1000));
    bench_bar(report, name, wrong == 0 ? 1 : 0, 1);
    free(c.marks);
    free(c.theirs);
    free(c.ours);
    bench_dbvt_close(c.dbvt);
    lf_cull_destroy(c.cull);
    free(c.boxes);
}

int main(int argc, char **argv) {
    static bench_table table, methods;
    static const char *const heads[] = {"boxes",          "seen %", "landfall ns/box",
                                        "dbvt ns/box",    "ratio",  "ours made ms",
                                        "theirs made ms", "wrong",  NULL};
    static const char *const method_heads[] = {"boxes",  "planes", "flags", "bounds",
                                               "sphere", "volume", NULL};
    bench_report report;
    bench_report_start(&report, argc, argv, "Culling by views: landfall against Bullet's box tree.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), bench_dbvt_name(), bench_machine(), report.rounds);
    bench_table_start(&table, "what a view leaves, 16 views", heads);
    bench_table_start(&methods, "each way alone, ns per box", method_heads);
    for (int64_t count = 10000; count <= (report.quick ? 10000 : 1000000); count *= 10)
        bench_count(count, &report, &table, &methods);
    bench_table_end(&table, &report);
    bench_table_end(&methods, &report);
    if (bench_wanted(&report, "moving"))
        cull_moving_tables(&report);
    if (bench_wanted(&report, "maze"))
        cull_maze_tables(&report);
    if (bench_wanted(&report, "room"))
        cull_room_tables(&report);
    return bench_report_end(&report);
}
