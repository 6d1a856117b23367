// The same triangles as a grid and as a mesh give the same answers.
#include "grid_oracle.h"
#include <landfall/mesh.h>
#include <stdlib.h>

/// Heights of meshes are planes in doubles; this many metres off, and this share of the largest coordinate.
#define HEIGHT_SLACK 1e-10
#define EXTENT_SLACK 1e-13

typedef struct twin {
    grid_bench bench;
    lf_vec3 *vertices;
    int64_t *corners;
    uint64_t *users; ///< 2 * element + triangle
    int64_t polygon_count;
    lf_mesh *mesh;
    const lf_ground *ground;
    lf_hit *hits;
    double most; ///< largest coordinate
} twin;

/// Two triangles of a cell, in the order of their corners that a grid has.
static void add_cell(twin *twin, int64_t i, int64_t j) {
    static const int samples[4][3] = {{0, 1, 2}, {1, 3, 2}, {0, 1, 3}, {0, 3, 2}};
    const exact_grid *grid = &twin->bench.exact;
    int64_t first = j * grid->columns + i;
    int64_t corners[4] = {first, first + 1, first + grid->columns, first + grid->columns + 1};
    bool rising =
        grid->surface == LF_SURFACE_RISING || (grid->surface == LF_SURFACE_ALTERNATING && (i + j) % 2 != 0);
    for (int triangle = 0; triangle < 2; triangle++) {
        const int *three = samples[2 * rising + triangle];
        if (isnan(grid->heights[corners[three[0]]]) || isnan(grid->heights[corners[three[1]]]) ||
            isnan(grid->heights[corners[three[2]]]))
            continue;
        twin->users[twin->polygon_count] = (uint64_t)(2 * (j * (grid->columns - 1) + i) + triangle);
        for (int k = 0; k < 3; k++)
            twin->corners[3 * twin->polygon_count + k] = corners[three[k]];
        twin->polygon_count++;
    }
}

static void list_triangles(twin *twin) {
    const exact_grid *grid = &twin->bench.exact;
    int64_t samples = grid->columns * grid->rows;
    twin->vertices = test_space(samples, sizeof *twin->vertices);
    twin->corners = test_space(6 * samples, sizeof *twin->corners);
    twin->users = test_space(2 * samples, sizeof *twin->users);
    twin->hits = test_space(2 * samples, sizeof *twin->hits);
    twin->most = (double)(grid->columns + grid->rows);
    for (int64_t i = 0; i < samples; i++) {
        double height = isnan(grid->heights[i]) ? 0 : grid->heights[i];
        twin->vertices[i] = (lf_vec3){(double)(i % grid->columns), (double)(i / grid->columns), height};
        twin->most = fmax(twin->most, fabs(height));
    }
    for (int64_t j = 0; j < grid->rows - 1; j++)
        for (int64_t i = 0; i < grid->columns - 1; i++)
            add_cell(twin, i, j);
}

/// False when all cells are holes: then there is no mesh.
static bool open_twin(twin *twin, const nasty_grid *nasty) {
    *twin = (struct twin){0};
    grid_bench_open(&twin->bench, nasty);
    list_triangles(twin);
    if (twin->polygon_count == 0)
        return false;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){.vertices = twin->vertices,
                                 .vertex_count = twin->bench.exact.columns * twin->bench.exact.rows,
                                 .corners = twin->corners,
                                 .polygon_count = twin->polygon_count,
                                 .users = twin->users};
    lf_error error = {0};
    if (lf_mesh_create(&def, &twin->mesh, &error) != LF_OK)
        fail_msg("no mesh: %s", error.text);
    twin->ground = lf_mesh_ground(twin->mesh);
    return true;
}

static void close_twin(twin *twin) {
    lf_mesh_destroy(twin->mesh);
    free(twin->hits);
    free(twin->users);
    free(twin->corners);
    free(twin->vertices);
    grid_bench_close(&twin->bench);
}

static bool close_to(double a, double b, double slack) {
    return a == b || fabs(a - b) <= slack;
}

/// The grid's hit among the mesh's: same triangle, same t, same weights.
static bool has_twin(const lf_hit *hit, const lf_hit *others, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (others[i].user == (uint64_t)(2 * hit->element + hit->triangle))
            return close_to(others[i].t, hit->t, 3e-14 * hit->t);
    return false;
}

static void compare_ray(grid_oracle *oracle, twin *twin, const lf_ray *ray) {
    lf_hit first, other;
    int64_t count, other_count;
    bool any;
    const lf_ground *ground = twin->bench.best.ground;
    lf_hit *hits = twin->bench.hits;
    assert_int_equal(lf_ground_ray_first(ground, ray, &first, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_first(twin->ground, ray, &other, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(twin->ground, ray, &any, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_all(ground, ray, hits, twin->bench.space, &count, NULL), LF_OK);
    assert_int_equal(
        lf_ground_ray_all(twin->ground, ray, twin->hits, twin->polygon_count, &other_count, NULL), LF_OK);
    oracle->questions++;
    *(first.kind == LF_HIT_NONE ? &oracle->misses : &oracle->hits) += 1;
    oracle->meetings += count;
    bool same = count == other_count && any == (first.kind != LF_HIT_NONE);
    for (int64_t i = 0; same && i < count; i++)
        same = has_twin(&hits[i], twin->hits, other_count);
    if (!same)
        grid_oracle_wrong(oracle, &twin->bench, ray, "a mesh of the same triangles is met differently",
                          other_count ? twin->hits : NULL);
    if ((first.kind == LF_HIT_NONE) != (other.kind == LF_HIT_NONE) ||
        !close_to(first.t, other.t, 3e-14 * fabs(other.t)))
        grid_oracle_wrong(oracle, &twin->bench, ray, "first: a mesh of the same triangles is met elsewhere",
                          &other);
}

/// On an edge the mesh may name any triangle there: its heights are rounded, and the nearest counts.
static bool is_there(const twin *twin, const lf_hit *other, lf_vec3 point) {
    const exact_grid_hit *hits;
    lf_ray line = {point, {0, 0, -1}, -LF_INFINITY, LF_INFINITY};
    int64_t count = exact_grid_meet(&twin->bench.exact, &line, &hits);
    for (int64_t i = 0; i < count; i++)
        if (other->user == (uint64_t)(2 * hits[i].element + hits[i].triangle))
            return true;
    return false;
}

static void compare_height(grid_oracle *oracle, twin *twin, lf_vec3 point) {
    double slack = HEIGHT_SLACK + EXTENT_SLACK * (twin->most + fabs(point.z));
    lf_ray line = {point, {0, 0, -1}, 0, LF_INFINITY};
    for (int look = 0; look < 2; look++) {
        lf_hit hit, other;
        lf_vertical way = look ? LF_VERTICAL_UP : LF_VERTICAL_DOWN;
        assert_int_equal(lf_ground_height(twin->bench.best.ground, point, way, &hit, NULL), LF_OK);
        assert_int_equal(lf_ground_height(twin->ground, point, way, &other, NULL), LF_OK);
        oracle->questions++;
        *(hit.kind == LF_HIT_NONE ? &oracle->misses : &oracle->hits) += 1;
        bool found = hit.kind != LF_HIT_NONE;
        bool same = found == (other.kind != LF_HIT_NONE);
        if (same && found)
            same = is_there(twin, &other, point) && close_to(hit.point.z, other.point.z, slack) &&
                   close_to(hit.t, other.t, slack);
        else if (same)
            same = (hit.reason == LF_REASON_NONE) == (other.reason == LF_REASON_NONE);
        if (!same)
            grid_oracle_wrong(oracle, &twin->bench, &line, "a mesh of the same triangles has another height",
                              &other);
    }
}

static void a_mesh_answers_the_same(void **state) {
    (void)state;
    test_random random = test_random_start(4300);
    grid_oracle oracle = {.name = "grid and mesh"};
    for (int64_t round = 0; round < test_rounds(12) * NASTY_RELIEFS; round++) {
        nasty_grid nasty;
        twin twin;
        nasty_grid_make(&nasty, (nasty_relief)(round % NASTY_RELIEFS),
                        (lf_surface)(round / NASTY_RELIEFS % 3), round % 7 == 0 ? 12 : 0, &random);
        nasty_grid_place_plainly(&nasty);
        nasty.def.extend = false;
        bool open = open_twin(&twin, &nasty);
        for (int64_t i = 0; i < 3 * NASTY_LINES && open; i++) {
            lf_ray ray = nasty_grid_ray((nasty_line)(i % NASTY_LINES), &nasty, &random);
            compare_ray(&oracle, &twin, &ray);
            compare_height(&oracle, &twin, nasty_grid_point(&nasty, &random));
        }
        close_twin(&twin);
    }
    grid_oracle_close(&oracle, 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_answers_the_same),
    };
    return cmocka_run_group_tests_name("oracle: grid and mesh", tests, NULL, NULL);
}
