/// Locales, and parts that move against each other: the quadtree's paper asks one terrain after the other.
#include "mesh.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Locales
// ---------------------------------------------------------------------------------------------------

/// Plots of 10 m by 10 m, side by side, each with a floor and a ceiling 3 m above it.
typedef struct plots {
    int64_t count;
    lf_mesh **meshes;
    lf_locale *list;
    char (*names)[32];
    lf_locales *locales;
    lf_vec3 *points;
    int64_t point_count;
    int64_t found[2]; ///< sums of indices: by the tree, one after the other
} plots;

static void make_plots(plots *p) {
    static const int64_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7}, starts[] = {0, 4, 8};
    int64_t side = (int64_t)ceil(sqrt((double)p->count));
    bench_random random = {4};
    p->meshes = bench_take((size_t)p->count, sizeof *p->meshes);
    p->list = bench_take((size_t)p->count, sizeof *p->list);
    p->names = bench_take((size_t)p->count, sizeof *p->names);
    p->points = bench_take((size_t)p->point_count, sizeof *p->points);
    for (int64_t i = 0; i < p->count; i++) {
        lf_vec3 vertices[8];
        double x = 10 * (double)(i % side), y = 10 * (double)(i / side),
               z = bench_random_between(&random, 0, 5);
        for (int k = 0; k < 8; k++)
            vertices[k] = (lf_vec3){x + (k % 4 == 1 || k % 4 == 2 ? 10 : 0), y + (k % 4 >= 2 ? 10 : 0),
                                    z + (k < 4 ? 0 : 3)};
        lf_mesh_def def = lf_mesh_def_default();
        def.polygons = (lf_polygons){.vertices = vertices,
                                     .vertex_count = 8,
                                     .starts = starts,
                                     .corners = corners,
                                     .polygon_count = 2};
        if (lf_mesh_create(&def, &p->meshes[i], NULL) != LF_OK)
            bench_stop("a plot cannot be made");
        snprintf(p->names[i], sizeof p->names[i], "plot %lld", (long long)i);
        p->list[i] = (lf_locale){p->names[i], lf_mesh_ground(p->meshes[i]), NULL};
    }
    if (lf_locales_create(p->list, p->count, NULL, &p->locales, NULL) != LF_OK)
        bench_stop("locales cannot be made");
    for (int64_t i = 0; i < p->point_count; i++)
        p->points[i] = (lf_vec3){bench_random_between(&random, 0, 10 * (double)side),
                                 bench_random_between(&random, 0, 10 * (double)side),
                                 bench_random_between(&random, 0, 8)};
}

static void find_by_tree(void *user) {
    plots *p = user;
    p->found[0] = 0;
    for (int64_t i = 0; i < p->point_count; i++) {
        int64_t indices[4], count;
        lf_locales_at(p->locales, p->points[i], indices, 4, &count, NULL);
        for (int64_t k = 0; k < count && k < 4; k++)
            p->found[0] += indices[k] + 1;
    }
}

/// As published: is there a floor below and a ceiling above?
static void find_in_turn(void *user) {
    plots *p = user;
    p->found[1] = 0;
    for (int64_t i = 0; i < p->point_count; i++)
        for (int64_t k = 0; k < p->count; k++) {
            lf_hit hit;
            lf_ground_height(p->list[k].floor, p->points[i], LF_VERTICAL_DOWN, &hit, NULL);
            if (hit.kind == LF_HIT_NONE)
                continue;
            lf_ground_height(p->list[k].floor, p->points[i], LF_VERTICAL_UP, &hit, NULL);
            p->found[1] += hit.kind != LF_HIT_NONE ? k + 1 : 0;
        }
}

void mesh_locales(bench_report *report) {
    static const char *const heads[] = {"locales", "landfall ns", "one after the other ns", "ratio", NULL};
    static bench_table table;
    if (!bench_wanted(report, "park"))
        return;
    bench_table_start(&table, "in which locale is a point?", heads);
    for (int64_t count = 10; count <= 10000; count *= 10) {
        plots p = {.count = count, .point_count = count > 100 ? 200 : 2000};
        bench_times times;
        make_plots(&p);
        const bench_contestant both[] = {{"landfall", NULL, find_by_tree, &p},
                                         {"in turn", NULL, find_in_turn, &p}};
        bench_race(both, 2, report->rounds < 3 ? report->rounds : 3, true, &times);
        if (p.found[0] != p.found[1])
            bench_stop("%lld locales: others are found by the tree", (long long)count);
        bench_table_row(&table);
        bench_table_cell(&table, "%lld", (long long)count);
        bench_table_cell(&table, "%.0f", 1e9 * times.seconds[0] / (double)p.point_count);
        bench_table_cell(&table, "%.0f", 1e9 * times.seconds[1] / (double)p.point_count);
        bench_table_cell(&table, "%.1f", times.ratio[1]);
        if (count == 10000)
            bench_bar(report, "locales-10000", times.ratio[1], 100);
        lf_locales_destroy(p.locales);
        for (int64_t i = 0; i < count; i++)
            lf_mesh_destroy(p.meshes[i]);
        free(p.points);
        free(p.names);
        free(p.list);
        free(p.meshes);
    }
    bench_table_end(&table, report);
}

// ---------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------

static const lf_polygons *ordering;

static double middle_of(int64_t polygon) {
    return ordering->vertices[ordering->corners[ordering->starts ? ordering->starts[polygon] : 3 * polygon]]
        .x;
}

static int by_middle(const void *a, const void *b) {
    double x = middle_of(*(const int64_t *)a), y = middle_of(*(const int64_t *)b);
    return (x > y) - (x < y);
}

/// A terrain cut into stripes of as many polygons each, as parts of a group.
typedef struct stripes {
    int64_t count;
    lf_mesh **meshes;
    lf_group *group;
    const lf_ground *ground;
    const mesh_points *points;
    double sum;
} stripes;

static lf_mesh *make_stripe(const lf_polygons *all, const int64_t *order, int64_t count) {
    int64_t corners = 0;
    for (int64_t i = 0; i < count; i++)
        corners += all->starts ? all->starts[order[i] + 1] - all->starts[order[i]] : 3;
    int64_t *starts = bench_take((size_t)count + 1, sizeof *starts),
            *numbers = bench_take((size_t)corners, sizeof *numbers);
    starts[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t first = all->starts ? all->starts[order[i]] : 3 * order[i];
        int64_t size = all->starts ? all->starts[order[i] + 1] - first : 3;
        for (int64_t k = 0; k < size; k++)
            numbers[starts[i] + k] = all->corners[first + k];
        starts[i + 1] = starts[i] + size;
    }
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    def.polygons = (lf_polygons){.vertices = all->vertices,
                                 .vertex_count = all->vertex_count,
                                 .starts = starts,
                                 .corners = numbers,
                                 .polygon_count = count};
    if (lf_mesh_create(&def, &mesh, NULL) != LF_OK)
        bench_stop("a stripe cannot be made");
    free(numbers);
    free(starts);
    return mesh;
}

static void make_stripes(stripes *s, const mesh_rivals *rivals, const int64_t *order) {
    lf_group_part *parts = bench_take((size_t)s->count, sizeof *parts);
    lf_group_def def = lf_group_def_default();
    int64_t all = rivals->polygons.polygon_count;
    s->meshes = bench_take((size_t)s->count, sizeof *s->meshes);
    for (int64_t i = 0; i < s->count; i++) {
        int64_t first = i * all / s->count, last = (i + 1) * all / s->count;
        s->meshes[i] = make_stripe(&rivals->polygons, order + first, last - first);
        parts[i] = (lf_group_part){.ground = lf_mesh_ground(s->meshes[i]), .pose = lf_pose_identity()};
    }
    def.parts = parts;
    def.part_count = s->count;
    if (lf_group_create(&def, &s->group, NULL) != LF_OK)
        bench_stop("a group cannot be made");
    s->ground = lf_group_ground(s->group);
    free(parts);
}

static void drop_stripes(stripes *s) {
    lf_group_destroy(s->group);
    for (int64_t i = 0; i < s->count; i++)
        lf_mesh_destroy(s->meshes[i]);
    free(s->meshes);
}

static void ask_stripes(void *user) {
    stripes *s = user;
    s->sum = 0;
    for (int64_t i = 0; i < s->points->count; i++) {
        lf_hit hit;
        lf_ground_height(s->ground, s->points->points[i], LF_VERTICAL_DOWN, &hit, NULL);
        s->sum += hit.kind == LF_HIT_NONE ? 0 : hit.t;
    }
}

/// As published: each quadtree in turn, and the nearest answer.
static void ask_in_turn(void *user) {
    stripes *s = user;
    s->sum = 0;
    for (int64_t i = 0; i < s->points->count; i++) {
        double least = LF_INFINITY;
        for (int64_t k = 0; k < s->count; k++) {
            lf_hit hit;
            lf_ground_height(lf_mesh_ground(s->meshes[k]), s->points->points[i], LF_VERTICAL_DOWN, &hit,
                             NULL);
            least = hit.kind != LF_HIT_NONE && hit.t < least ? hit.t : least;
        }
        s->sum += isinf(least) ? 0 : least;
    }
}

void mesh_groups(const mesh_rivals *rivals, bench_report *report) {
    static const char *const heads[] = {"parts", "landfall ns", "one after the other ns",
                                        "ratio", "of one mesh", NULL};
    static bench_table table;
    char title[120];
    int64_t all = rivals->polygons.polygon_count, *order = bench_take((size_t)all, sizeof *order);
    mesh_points points;
    double whole = 0;
    mesh_points_make(&points, rivals, MESH_AREA, report->quick ? 500 : 5000);
    for (int64_t i = 0; i < all; i++)
        order[i] = i;
    ordering = &rivals->polygons;
    qsort(order, (size_t)all, sizeof *order, by_middle);
    snprintf(title, sizeof title, "%s: heights on parts that can move against each other",
             rivals->terrain.name);
    bench_table_start(&table, title, heads);
    for (int64_t count = 1; count <= 512; count *= 8) {
        stripes s = {.count = count, .points = &points}, again;
        bench_times times;
        make_stripes(&s, rivals, order);
        again = s;
        const bench_contestant both[] = {{"landfall", NULL, ask_stripes, &s},
                                         {"in turn", NULL, ask_in_turn, &again}};
        bench_race(both, 2, report->rounds < 3 ? report->rounds : 3, true, &times);
        if (!(fabs(s.sum - again.sum) <= 1e-6 * fabs(s.sum)))
            bench_stop("%lld parts: the group has other heights", (long long)count);
        whole = count == 1 ? times.seconds[0] : whole;
        bench_table_row(&table);
        bench_table_cell(&table, "%lld", (long long)count);
        bench_table_cell(&table, "%.0f", 1e9 * times.seconds[0] / (double)points.count);
        bench_table_cell(&table, "%.0f", 1e9 * times.seconds[1] / (double)points.count);
        bench_table_cell(&table, "%.1f", times.ratio[1]);
        bench_table_cell(&table, "%.1f", times.seconds[0] / whole);
        if (count == 64)
            mesh_plain_bar(rivals, report, "group-of-64", times.ratio[1], 4);
        drop_stripes(&s);
    }
    bench_table_end(&table, report);
    mesh_points_close(&points);
    free(order);
}
