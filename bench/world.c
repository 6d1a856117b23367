/// A city of 100,000 boxes and 1,000 meshes on a grid of 1025 x 1025 samples, against Embree's instances: rays, lines of sight, and
/// parts that move. And what a group of a single grid costs.
#include "embree_world.h"
#include "field.h"

#include <landfall/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CITY_RINGS 12 ///< corners of the domes that are the meshes

typedef struct city {
    bench_field field;
    lf_grid *grid;
    lf_model *dome;
    lf_group *group, *single;
    const lf_ground *ground;
    lf_group_part *parts;
    int64_t part_count, box_count, mesh_count;
    bench_embree_world *embree, *moving;
    float *grid_vertices;
    uint32_t *grid_corners;
    float dome_vertices[3 * (CITY_RINGS * CITY_RINGS + 1)];
    uint32_t dome_corners[6 * CITY_RINGS * CITY_RINGS];
    int64_t dome_vertex_count, dome_triangle_count;
    int64_t *movers; ///< one part in a hundred
    int64_t mover_count;
    lf_pose *poses; ///< where these go, in turns
    int turn;
} city;

/// The unit box, from -1 to 1, with the corners and faces of landfall's boxes.
static const float cube[25] = {-1, -1, -1, 1,  -1, -1, -1, 1, -1, 1, 1, -1, -1,
                               -1, 1,  1,  -1, 1,  -1, 1,  1, 1,  1, 1, 0};
static const uint32_t cube_corners[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static double ground_at(const bench_field *f, double x, double y) {
    int64_t i = (int64_t)fmin(x / BENCH_SPACING, (double)(f->samples - 1));
    int64_t j = (int64_t)fmin(y / BENCH_SPACING, (double)(f->samples - 1));
    return (double)f->heights[j * f->samples + i];
}

static void make_dome(city *c) {
    int64_t n = 0, t = 0;
    for (int r = 0; r < CITY_RINGS; r++)
        for (int k = 0; k < CITY_RINGS; k++) {
            double up = 1.5 * r / CITY_RINGS, around = 6.28318530717958648 * k / CITY_RINGS;
            c->dome_vertices[n++] = (float)(15 * cos(up) * cos(around));
            c->dome_vertices[n++] = (float)(15 * cos(up) * sin(around));
            c->dome_vertices[n++] = (float)(20 * sin(up) - 2);
            if (r + 1 == CITY_RINGS)
                continue;
            uint32_t a = (uint32_t)(r * CITY_RINGS + k),
                     b = (uint32_t)(r * CITY_RINGS + (k + 1) % CITY_RINGS);
            const uint32_t two[6] = {a, b, b + CITY_RINGS, a, b + CITY_RINGS, a + CITY_RINGS};
            for (int i = 0; i < 6; i++)
                c->dome_corners[t++] = two[i];
        }
    c->dome_vertex_count = n / 3;
    c->dome_triangle_count = t / 3;
    lf_vec3 vertices[CITY_RINGS * CITY_RINGS];
    int64_t corners[6 * CITY_RINGS * CITY_RINGS];
    for (int64_t i = 0; i < c->dome_vertex_count; i++)
        vertices[i] = (lf_vec3){(double)c->dome_vertices[3 * i], (double)c->dome_vertices[3 * i + 1],
                                (double)c->dome_vertices[3 * i + 2]};
    for (int64_t i = 0; i < t; i++)
        corners[i] = c->dome_corners[i];
    lf_model_def def = lf_model_def_default();
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = c->dome_vertex_count,
                                 .corners = corners,
                                 .polygon_count = c->dome_triangle_count};
    if (lf_model_create(&def, &c->dome, NULL) != LF_OK)
        bench_stop("the dome cannot be made");
}

/// Columns of a part's matrix; a box is the unit box, scaled.
static void matrix_of(const lf_group_part *part, float m[12]) {
    lf_vec3 s = part->ground ? (lf_vec3){1, 1, 1} : part->box.high;
    const lf_vec3 *r = part->pose.rows;
    const double all[12] = {r[0].x * s.x,
                            r[1].x * s.x,
                            r[2].x * s.x,
                            r[0].y * s.y,
                            r[1].y * s.y,
                            r[2].y * s.y,
                            r[0].z * s.z,
                            r[1].z * s.z,
                            r[2].z * s.z,
                            part->pose.translation.x,
                            part->pose.translation.y,
                            part->pose.translation.z};
    for (int i = 0; i < 12; i++)
        m[i] = (float)all[i];
}

static lf_pose stand_at(const city *c, double x, double y, double half, double angle) {
    lf_pose pose;
    lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, angle, &pose);
    pose.translation =
        (lf_vec3){(double)(float)x, (double)(float)y, (double)(float)(ground_at(&c->field, x, y) + half - 2)};
    return pose;
}

static void make_parts(city *c, bench_random *random) {
    double side = bench_field_extent(&c->field);
    c->part_count = 1 + c->box_count + c->mesh_count;
    c->parts = bench_take((size_t)c->part_count, sizeof *c->parts);
    c->parts[0] = (lf_group_part){.ground = lf_grid_ground(c->grid), .pose = lf_pose_identity()};
    for (int64_t i = 1; i < c->part_count; i++) {
        bool box = i <= c->box_count;
        lf_vec3 half = {(double)(float)bench_random_between(random, 5, 20),
                        (double)(float)bench_random_between(random, 5, 20),
                        (double)(float)bench_random_between(random, 4, 35)};
        double x = bench_random_between(random, 50, side - 50),
               y = bench_random_between(random, 50, side - 50);
        c->parts[i] = (lf_group_part){
            .pose = stand_at(c, x, y, box ? half.z : 0, bench_random_between(random, 0, 1.5)), .layers = 2};
        if (box)
            c->parts[i].box = (lf_box){lf_vec3_scale(half, -1), half};
        else
            c->parts[i].ground = lf_model_ground(c->dome);
    }
}

static void fill_embree(city *c, bench_embree_world *world) {
    int grid = bench_embree_world_shape(world, c->grid_vertices, c->field.samples * c->field.samples,
                                        c->grid_corners, 2 * (c->field.samples - 1) * (c->field.samples - 1));
    int box = bench_embree_world_shape(world, cube, 8, cube_corners, 12);
    int dome = bench_embree_world_shape(world, c->dome_vertices, c->dome_vertex_count, c->dome_corners,
                                        c->dome_triangle_count);
    for (int64_t i = 0; i < c->part_count; i++) {
        float m[12];
        matrix_of(&c->parts[i], m);
        bench_embree_world_add(world, i == 0 ? grid : i <= c->box_count ? box : dome, m);
    }
    bench_embree_world_build(world);
}

static void make_triangles(city *c) {
    int64_t n = c->field.samples;
    c->grid_vertices = bench_take(3 * (size_t)(n * n) + 1, sizeof *c->grid_vertices);
    c->grid_corners = bench_take(6 * (size_t)((n - 1) * (n - 1)), sizeof *c->grid_corners);
    float *v = c->grid_vertices;
    uint32_t *t = c->grid_corners;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            *v++ = (float)(BENCH_SPACING * (double)i);
            *v++ = (float)(BENCH_SPACING * (double)j);
            *v++ = c->field.heights[j * n + i];
            if (i + 1 == n || j + 1 == n)
                continue;
            uint32_t a = (uint32_t)(j * n + i), d = a + (uint32_t)n;
            const uint32_t two[6] = {a, a + 1, d, a + 1, d + 1, d};
            for (int k = 0; k < 6; k++)
                *t++ = two[k];
        }
}

static void open_city(city *c, const bench_report *report) {
    bench_random random = {11};
    c->box_count = report->quick ? 10000 : 100000;
    c->mesh_count = c->box_count / 100;
    bench_field_landscape(&c->field, LF_LANDSCAPE_HILLS, report->quick ? 257 : 1025);
    c->grid = bench_field_grid(&c->field);
    make_dome(c);
    make_parts(c, &random);
    make_triangles(c);
    lf_group_def group = lf_group_def_default();
    group.parts = c->parts;
    group.part_count = c->part_count;
    if (lf_group_create(&group, &c->group, NULL) != LF_OK)
        bench_stop("the group cannot be made");
    c->ground = lf_group_ground(c->group);
    group.part_count = 1;
    if (lf_group_create(&group, &c->single, NULL) != LF_OK)
        bench_stop("the group cannot be made");
    c->embree = bench_embree_world_open(false);
    fill_embree(c, c->embree);
}

static void close_city(city *c) {
    bench_embree_world_close(c->embree);
    lf_group_destroy(c->single);
    lf_group_destroy(c->group);
    lf_model_destroy(c->dome);
    lf_grid_destroy(c->grid);
    bench_field_close(&c->field);
    free(c->grid_corners);
    free(c->grid_vertices);
    free(c->parts);
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

typedef struct ray_case {
    const city *c;
    bench_rays rays;
    bench_embree_rays *theirs;
    lf_hit *hits;
    bench_answer *answers;
    bool *blocked, *ours_blocked;
    uint8_t *verdicts;
    lf_vec3 *a, *b;
    const lf_ground *ground;
} ray_case;

static void rays_ours(void *user) {
    ray_case *r = user;
    for (int64_t i = 0; i < r->rays.count; i++)
        lf_ground_ray_first(r->ground, &r->rays.rays[i], &r->hits[i], NULL);
}

static void rays_ours_many(void *user) {
    ray_case *r = user;
    lf_ground_ray_first_many(r->ground, r->rays.rays, 0, r->rays.count, r->hits, 0, NULL);
}

static void rays_embree(void *user) {
    const ray_case *r = user;
    bench_embree_first(bench_embree_world_scene(r->c->embree), r->theirs, r->answers);
}

static void any_ours(void *user) {
    ray_case *r = user;
    for (int64_t i = 0; i < r->rays.count; i++)
        lf_ground_ray_any(r->ground, &r->rays.rays[i], &r->ours_blocked[i], NULL);
}

static void any_embree(void *user) {
    const ray_case *r = user;
    bench_embree_any(bench_embree_world_scene(r->c->embree), r->theirs, r->blocked);
}

static void sight_ours(void *user) {
    ray_case *r = user;
    lf_sight_rules rules = lf_sight_rules_default();
    for (int64_t i = 0; i < r->rays.count; i++) {
        lf_verdict verdict;
        lf_sight_verdict(r->ground, &rules, r->a[i], r->b[i], &verdict, NULL);
        r->verdicts[i] = (uint8_t)verdict;
    }
}

static void sight_ours_many(void *user) {
    ray_case *r = user;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight_verdicts(r->ground, &rules, r->a, 0, r->b, 0, r->rays.count, r->verdicts, NULL);
}

static void open_rays(ray_case *r, const city *c, int64_t count) {
    *r = (ray_case){.c = c, .ground = c->ground};
    r->rays = (bench_rays){bench_take((size_t)count, sizeof *r->rays.rays), count};
    r->hits = bench_take((size_t)count, sizeof *r->hits);
    r->answers = bench_take((size_t)count, sizeof *r->answers);
    r->blocked = bench_take((size_t)count, sizeof *r->blocked);
    r->ours_blocked = bench_take((size_t)count, sizeof *r->ours_blocked);
    r->verdicts = bench_take((size_t)count, 1);
    r->a = bench_take((size_t)count, sizeof *r->a);
    r->b = bench_take((size_t)count, sizeof *r->b);
}

static void close_rays(ray_case *r) {
    bench_embree_rays_close(r->theirs);
    free(r->rays.rays);
    free(r->hits);
    free(r->answers);
    free(r->blocked);
    free(r->ours_blocked);
    free(r->verdicts);
    free(r->a);
    free(r->b);
}

static lf_vec3 rounded(lf_vec3 v) {
    return (lf_vec3){(double)(float)v.x, (double)(float)v.y, (double)(float)v.z};
}

/// From places in the city, some metres above the ground: in all level directions, a little up or down; or to another such place
/// within 1500 m.
static void aim(ray_case *r, bool pairs, bench_random *random) {
    const bench_field *f = &r->c->field;
    double side = bench_field_extent(f);
    for (int64_t i = 0; i < r->rays.count; i++) {
        double x = bench_random_between(random, 1600, side - 1600),
               y = bench_random_between(random, 1600, side - 1600);
        lf_vec3 from = rounded((lf_vec3){x, y, ground_at(f, x, y) + bench_random_between(random, 10, 60)});
        double angle = bench_random_between(random, 0, 6.28318),
               far = bench_random_between(random, 100, 1500);
        lf_vec3 d = {cos(angle), sin(angle), bench_random_between(random, -0.15, 0.05)};
        r->rays.rays[i] = (lf_ray){from, rounded(d), 0, LF_INFINITY};
        if (!pairs)
            continue;
        double tx = x + far * d.x, ty = y + far * d.y;
        lf_vec3 to = rounded((lf_vec3){tx, ty, ground_at(f, tx, ty) + bench_random_between(random, 10, 60)});
        r->a[i] = from, r->b[i] = to;
        r->rays.rays[i] = lf_ray_between(from, to);
        r->rays.rays[i].direction = rounded(r->rays.rays[i].direction);
        r->b[i] = lf_vec3_add(from, r->rays.rays[i].direction);
    }
    r->theirs = bench_embree_rays_make(&r->rays);
}

static double differing_rays(ray_case *r) {
    int64_t differ = 0;
    rays_ours(r);
    rays_embree(r);
    for (int64_t i = 0; i < r->rays.count; i++) {
        bool ours = r->hits[i].kind != LF_HIT_NONE, theirs = r->answers[i].item >= 0;
        differ += ours != theirs ||
                  (ours && fabs(r->hits[i].t - (double)r->answers[i].t) > 0.01 + 1e-5 * r->hits[i].t);
    }
    return (double)differ / (double)r->rays.count;
}

static double differing_sights(ray_case *r) {
    int64_t differ = 0;
    sight_ours_many(r);
    any_embree(r);
    for (int64_t i = 0; i < r->rays.count; i++)
        differ += (r->verdicts[i] == LF_VERDICT_BLOCKED) != r->blocked[i];
    return (double)differ / (double)r->rays.count;
}

/// Nodes and cells of all structures that one pass visits.
static lf_counters work_of(const ray_case *r, int kind) {
    lf_cursor *cursor;
    lf_sight_rules rules = lf_sight_rules_default();
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory");
    for (int64_t i = 0; i < r->rays.count; i++) {
        lf_verdict verdict;
        bool blocked;
        if (kind == 0)
            lf_ground_ray_first(r->ground, &r->rays.rays[i], &r->hits[i], cursor);
        else if (kind == 1)
            lf_ground_ray_any(r->ground, &r->rays.rays[i], &blocked, cursor);
        else
            lf_sight_verdict(r->ground, &rules, r->a[i], r->b[i], &verdict, cursor);
    }
    lf_counters work = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    return work;
}

static void race_rays(const city *c, bench_report *report) {
    static const char *const heads[] = {"question", "landfall ns", "batch ns", "Embree ns", "ratio",
                                        "batch",    "differ",      "nodes",    "parts",     NULL};
    bench_random random = {5};
    bench_table table;
    ray_case r;
    int64_t count = report->quick ? 20000 : 100000;
    bench_table_start(&table, "a city: rays and lines of sight", heads);
    for (int kind = 0; kind < 3; kind++) {
        static const char *const names[] = {"first hit", "any hit", "line of sight"};
        if (!bench_wanted(report, names[kind]))
            continue;
        open_rays(&r, c, count);
        aim(&r, kind == 2, &random);
        double differ = kind == 2 ? differing_sights(&r) : differing_rays(&r);
        bench_contestant who[3] = {{"landfall", NULL,
                                    kind == 0   ? rays_ours
                                    : kind == 1 ? any_ours
                                                : sight_ours,
                                    &r},
                                   {"batch", NULL,
                                    kind == 0   ? rays_ours_many
                                    : kind == 1 ? any_ours
                                                : sight_ours_many,
                                    &r},
                                   {bench_embree_name(), NULL, kind == 0 ? rays_embree : any_embree, &r}};
        bench_times times;
        bench_race(who, 3, report->rounds, true, &times);
        double each = 1e9 / (double)count, batch = times.seconds[2] / times.seconds[1];
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[kind]);
        bench_table_cell(&table, "%.0f", times.seconds[0] * each);
        bench_table_cell(&table, "%.0f", times.seconds[1] * each);
        bench_table_cell(&table, "%.0f", times.seconds[2] * each);
        bench_table_cell(&table, "%.2f", times.ratio[2]);
        bench_table_cell(&table, "%.2f", batch);
        bench_table_cell(&table, "%.4f", differ);
        lf_counters work = work_of(&r, kind);
        bench_table_cell(&table, "%.1f", (double)work.nodes / (double)count);
        bench_table_cell(&table, "%.1f", (double)work.cells / (double)count);
        if (kind == 0)
            bench_bar(report, "rays in a city / Embree", times.ratio[2], 1.5);
        if (kind == 2) {
            bench_bar(report, "lines of sight in a city / Embree", times.ratio[2], 1.5);
            bench_bar(report, "the same as a batch / Embree", batch, 2);
        }
        if (differ > 0.01)
            bench_stop("%s: %.1f %% of the answers differ", names[kind], 100 * differ);
        close_rays(&r);
    }
    bench_table_end(&table, report);
}

// ---------------------------------------------------------------------------------------------------
// Moving, and a group of one
// ---------------------------------------------------------------------------------------------------

static void move_ours(void *user) {
    city *c = user;
    const lf_pose *poses = c->poses + (c->turn++ & 1) * c->mover_count;
    for (int64_t i = 0; i < c->mover_count; i++)
        lf_group_set_pose(c->group, c->movers[i], &poses[i]);
}

static void move_embree(void *user) {
    city *c = user;
    const lf_pose *poses = c->poses + (c->turn & 1) * c->mover_count;
    for (int64_t i = 0; i < c->mover_count; i++) {
        lf_group_part part = c->parts[c->movers[i]];
        float m[12];
        part.pose = poses[i];
        matrix_of(&part, m);
        bench_embree_world_move(c->moving, c->movers[i], m);
    }
    bench_embree_world_build(c->moving);
}

static void race_moves(city *c, bench_report *report) {
    static const char *const heads[] = {"moved parts", "landfall us", "Embree us", "ratio", NULL};
    bench_random random = {17};
    bench_table table;
    c->mover_count = c->part_count / 100;
    c->movers = bench_take((size_t)c->mover_count, sizeof *c->movers);
    c->poses = bench_take(2 * (size_t)c->mover_count, sizeof *c->poses);
    for (int64_t i = 0; i < c->mover_count; i++) {
        c->movers[i] = 1 + bench_random_below(&random, c->part_count - 1);
        c->poses[i] = c->poses[c->mover_count + i] = c->parts[c->movers[i]].pose;
        c->poses[i].translation.x += bench_random_between(&random, -30, 30);
    }
    c->moving = bench_embree_world_open(true);
    fill_embree(c, c->moving);
    bench_contestant who[2] = {{"landfall", NULL, move_ours, c}, {bench_embree_name(), NULL, move_embree, c}};
    bench_times times;
    bench_race(who, 2, report->rounds, true, &times);
    bench_table_start(&table, "one part in a hundred moves: refit, and Embree's tree built again", heads);
    bench_table_row(&table);
    bench_table_cell(&table, "%lld", (long long)c->mover_count);
    bench_table_cell(&table, "%.0f", 1e6 * times.seconds[0]);
    bench_table_cell(&table, "%.0f", 1e6 * times.seconds[1]);
    bench_table_cell(&table, "%.1f", times.ratio[1]);
    bench_table_end(&table, report);
    bench_bar(report, "moving parts / Embree's rebuild", times.ratio[1], 3);
    bench_embree_world_close(c->moving);
    free(c->poses);
    free(c->movers);
}

static void race_single(const city *c, bench_report *report) {
    static const char *const heads[] = {"question", "grid ns", "group of it ns", "cost", NULL};
    bench_random random = {23};
    bench_table table;
    int64_t count = report->quick ? 20000 : 100000;
    ray_case alone, grouped;
    open_rays(&alone, c, count);
    open_rays(&grouped, c, count);
    aim(&alone, false, &random);
    random.state = 23;
    aim(&grouped, false, &random);
    alone.ground = lf_grid_ground(c->grid);
    grouped.ground = lf_group_ground(c->single);
    bench_contestant who[2] = {{"grid", NULL, rays_ours, &alone}, {"group", NULL, rays_ours, &grouped}};
    bench_times times;
    bench_race(who, 2, report->rounds, true, &times);
    if (memcmp(alone.hits, grouped.hits, (size_t)count * sizeof *alone.hits) != 0)
        bench_stop("a group of one grid differs from the grid");
    bench_table_start(&table, "a group of one grid", heads);
    bench_table_row(&table);
    bench_table_cell(&table, "first hit");
    bench_table_cell(&table, "%.0f", times.seconds[0] * 1e9 / (double)count);
    bench_table_cell(&table, "%.0f", times.seconds[1] * 1e9 / (double)count);
    bench_table_cell(&table, "%.3f", times.ratio[1]);
    bench_table_end(&table, report);
    bench_bar(report, "a grid / a group of it", 1 / times.ratio[1], 1 / 1.1);
    close_rays(&alone);
    close_rays(&grouped);
}

// ---------------------------------------------------------------------------------------------------
// Viewsheds
// ---------------------------------------------------------------------------------------------------

typedef struct view_case {
    const city *c;
    const lf_ground *ground;
    lf_viewshed_def def;
    lf_observer observer;
    lf_window window;
    uint8_t *seen;
    lf_viewshed_stats stats;
    bench_rays rays;
    bench_embree_rays *theirs;
    bool *blocked;
} view_case;

static void view_ours(void *user) {
    view_case *v = user;
    if (lf_viewshed_visible(v->ground, &v->def, &v->observer, v->window, v->seen, 0, &v->stats, NULL) !=
        LF_OK)
        bench_stop("no viewshed");
}

static void view_embree(void *user) {
    const view_case *v = user;
    bench_embree_any(bench_embree_world_scene(v->c->embree), v->theirs, v->blocked);
}

/// A ray from the observer to each target, less the last centimetres, where it would meet what the target stands on.
static void aim_at_targets(view_case *v) {
    const bench_field *f = &v->c->field;
    lf_vec3 eye;
    lf_reason reason;
    lf_sight_observer(v->ground, v->observer.at, v->observer.height, &eye, &reason);
    v->rays = (bench_rays){bench_take((size_t)(f->samples * f->samples), sizeof *v->rays.rays),
                           f->samples * f->samples};
    v->blocked = bench_take((size_t)v->rays.count, sizeof *v->blocked);
    for (int64_t k = 0; k < v->rays.count; k++) {
        lf_vec3 to = {BENCH_SPACING * (double)(k % f->samples), BENCH_SPACING * (double)(k / f->samples), 0};
        lf_hit hit;
        to.z = (double)f->heights[k] + v->def.target;
        lf_ground_height(v->ground, (lf_vec3){to.x, to.y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
        if (v->def.target_on == LF_TARGET_TOP)
            to.z = fmax(to.z, hit.point.z + v->def.target);
        lf_ray ray = lf_ray_between(eye, to);
        double length = lf_vec3_length(ray.direction);
        ray.t_max = length > 0.1 ? 1 - 0.05 / length : 0;
        v->rays.rays[k] = ray;
    }
    v->theirs = bench_embree_rays_make(&v->rays);
}

static double differing_targets(const view_case *v) {
    int64_t differ = 0;
    for (int64_t k = 0; k < v->rays.count; k++)
        differ += (v->seen[k] == LF_VISIBILITY_HIDDEN) != v->blocked[k];
    return (double)differ / (double)v->rays.count;
}

/// The highest sample, or one in the middle of the slopes.
static lf_vec2 observer_place(const city *c, bool peak) {
    int64_t n = c->field.samples, best = n / 2 * n + n / 2;
    for (int64_t k = 0; k < n * n && peak; k++)
        best = c->field.heights[k] > c->field.heights[best] ? k : best;
    return (lf_vec2){BENCH_SPACING * (double)(best % n) + 3, BENCH_SPACING * (double)(best / n) + 5};
}

static void race_viewsheds(const city *c, bench_report *report) {
    static const char *const heads[] = {"observer",     "targets",   "landfall ms", "grid ms",
                                        "obstacles ms", "Embree ms", "ratio",       "of the two",
                                        "visible",      "differ",    NULL};
    static const struct {
        const char *name;
        bool peak;
        double height;
        lf_target_on on;
    } cases[] = {{"street", false, 2, LF_TARGET_TOP},
                 {"tower", false, 60, LF_TARGET_TOP},
                 {"peak", true, 10, LF_TARGET_TOP},
                 {"peak", true, 10, LF_TARGET_GROUND}};
    bench_table table;
    double least = LF_INFINITY, most = 0;
    bench_table_start(&table, "a city: viewsheds", heads);
    for (int k = 0; k < 4; k++) {
        int64_t samples = c->field.samples;
        view_case world = {.c = c,
                           .ground = c->ground,
                           .def = lf_viewshed_def_default(),
                           .window = {0, 0, samples, samples},
                           .observer = {observer_place(c, cases[k].peak), cases[k].height, false}};
        world.def.target = 1.7;
        world.def.target_on = cases[k].on;
        world.seen = bench_take((size_t)(samples * samples), 1);
        aim_at_targets(&world);
        view_case grid = world, obstacles = world;
        lf_vec3 eye;
        lf_reason reason;
        lf_sight_observer(c->ground, world.observer.at, world.observer.height, &eye, &reason);
        grid.ground = lf_grid_ground(c->grid);
        grid.observer = (lf_observer){world.observer.at, eye.z, true};
        obstacles.def.rules.layers = 2;
        grid.seen = bench_take((size_t)(samples * samples), 1);
        obstacles.seen = bench_take((size_t)(samples * samples), 1);
        bench_contestant who[4] = {{"landfall", NULL, view_ours, &world},
                                   {"grid", NULL, view_ours, &grid},
                                   {"obstacles", NULL, view_ours, &obstacles},
                                   {bench_embree_name(), NULL, view_embree, &world}};
        bench_times times;
        bench_race(who, 4, report->rounds, true, &times);
        double differ = differing_targets(&world), both = 2.5 * times.seconds[1] + times.seconds[2];
        least = fmin(least, times.ratio[3]);
        most = fmax(most, times.seconds[0] / both);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", cases[k].name);
        bench_table_cell(&table, "%s", cases[k].on == LF_TARGET_TOP ? "top" : "ground");
        for (int i = 0; i < 4; i++)
            bench_table_cell(&table, "%.1f", 1e3 * times.seconds[i]);
        bench_table_cell(&table, "%.1f", times.ratio[3]);
        bench_table_cell(&table, "%.2f", times.seconds[0] / both);
        bench_table_cell(&table, "%.3f",
                         (double)world.stats.counts[LF_VISIBILITY_VISIBLE] / (double)(samples * samples));
        bench_table_cell(&table, "%.4f", differ);
        if (differ > 0.02)
            bench_stop("viewshed %s: %.1f %% of the answers differ", cases[k].name, 100 * differ);
        bench_embree_rays_close(world.theirs);
        free(world.rays.rays);
        free(world.blocked);
        free(world.seen);
        free(grid.seen);
        free(obstacles.seen);
    }
    bench_table_end(&table, report);
    bench_bar(report, "viewsheds of a city / Embree", least, 10);
    bench_bar(report, "2.5 x bare grid + obstacles only / viewsheds of a city", 1 / most, 1);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "A city of many parts against Embree's instances.");
    printf("%s; %s\n", bench_machine(), bench_embree_name());
    city *c = bench_take(1, sizeof *c);
    open_city(c, &report);
    race_rays(c, &report);
    if (bench_wanted(&report, "viewshed"))
        race_viewsheds(c, &report);
    if (bench_wanted(&report, "moves"))
        race_moves(c, &report);
    if (bench_wanted(&report, "single"))
        race_single(c, &report);
    close_city(c);
    free(c);
    return bench_report_end(&report);
}
