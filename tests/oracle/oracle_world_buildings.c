/// Buildings of a world file against their definition: every wall, roof and floor of every footprint is tested.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 25      // samples of the raster
#define STEP 10.0    // metres between them
#define BUILDINGS 24 // of a world
#define RINGS 3
#define CORNERS 24

typedef struct ring {
    lf_vec2 at[CORNERS];
    int count;
} ring;

typedef struct building {
    ring rings[RINGS];
    int ring_count;
    double height, base;
} building;

typedef struct town {
    building list[BUILDINGS];
    lf_raster *raster;
    lf_grid *grid;
    lf_world_file *world;
    const lf_ground *land, *all;
} town;

// ---- Making -------------------------------------------------------------------------------------

/// A star about a centre: every ring of it is simple.
static ring make_star(test_random *random, lf_vec2 centre, double low, double high) {
    ring ring = {.count = 3 + (int)test_random_below(random, CORNERS - 2)};
    bool backwards = test_random_below(random, 2) == 0;
    for (int i = 0; i < ring.count; i++) {
        double angle = 2 * 3.14159265358979323846 * (backwards ? ring.count - i : i) / ring.count;
        double radius = test_random_between(random, low, high);
        ring.at[i] = (lf_vec2){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
        if (test_random_below(random, 3) == 0) // on a lattice: edges along axes and through samples
            ring.at[i] = (lf_vec2){0.25 * round(4 * ring.at[i].x), 0.25 * round(4 * ring.at[i].y)};
    }
    return ring;
}

/// A square on the lattice of the raster, a star, or a larger one with one or two courtyards.
static building make_building(test_random *random) {
    building b = {.ring_count = 1, .height = test_random_between(random, 1, 60)};
    lf_vec2 at = {test_random_between(random, 30, 210), test_random_between(random, 30, 210)};
    int64_t kind = test_random_below(random, 4);
    if (kind == 0) {
        double h = 0.5 * (double)(4 + test_random_below(random, 20));
        at = (lf_vec2){round(at.x / 5) * 5, round(at.y / 5) * 5};
        b.rings[0] = (ring){
            {{at.x - h, at.y - h}, {at.x + h, at.y - h}, {at.x + h, at.y + h}, {at.x - h, at.y + h}}, 4};
    } else {
        b.rings[0] = make_star(random, at, kind == 1 ? 4 : 22, kind == 1 ? 20 : 24);
        // A polygon of few corners comes nearer to its centre than these: holes only where there is space.
        if (kind > 1 && b.rings[0].count < 8)
            b.rings[0] = make_star(random, at, 23, 24);
    }
    bool space = kind > 1 && b.rings[0].count >= 8;
    for (int i = 0; space && i < kind - 1; i++) {
        lf_vec2 centre = {at.x + (i == 0 ? 7.5 : -7.5),
                          at.y + (kind == 3 ? test_random_between(random, -4, 4) : 0)};
        b.rings[b.ring_count++] = make_star(random, centre, 1, 6);
    }
    return b;
}

static void write_raster(test_random *random, const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "ncols %d\nnrows %d\nxllcenter 0\nyllcenter 0\ncellsize %g\n", SIDE, SIDE, STEP);
    for (int i = 0; i < SIDE * SIDE; i++)
        fprintf(file, "%.2f%c", test_random_between(random, 0, 30), i % SIDE == SIDE - 1 ? '\n' : ' ');
    fclose(file);
}

static void write_houses(const town *town, const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "{\"type\": \"FeatureCollection\", \"features\": [\n");
    for (int i = 0; i < BUILDINGS; i++) {
        const building *b = &town->list[i];
        fprintf(
            file,
            "%s{\"type\": \"Feature\", \"id\": %d, \"properties\": {\"h\": %.17g}, \"geometry\": {\"type\": "
            "\"Polygon\", \"coordinates\": [",
            i > 0 ? ",\n" : "", 100 + i, b->height);
        for (int r = 0; r < b->ring_count; r++) {
            fprintf(file, "%s[", r > 0 ? ", " : "");
            for (int k = 0; k <= b->rings[r].count; k++) {
                lf_vec2 p = b->rings[r].at[k % b->rings[r].count];
                fprintf(file, "%s[%.17g, %.17g]", k > 0 ? ", " : "", p.x, p.y);
            }
            fprintf(file, "]");
        }
        fprintf(file, "]}}");
    }
    fprintf(file, "]}\n");
    fclose(file);
}

/// The height of the land alone.
static double land_at(const town *town, double x, double y) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(town->land, (lf_vec3){x, y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    assert_int_not_equal(hit.kind, LF_HIT_NONE);
    return hit.point.z;
}

/// The lowest ground along an edge: at its ends, and where it crosses an edge or a diagonal of a cell.
static double edge_low(const town *town, lf_vec2 a, lf_vec2 b) {
    double low = fmin(land_at(town, a.x, a.y), land_at(town, b.x, b.y));
    const double from[4] = {a.x, a.y, a.x + a.y, a.x - a.y}, to[4] = {b.x, b.y, b.x + b.y, b.x - b.y};
    for (int axis = 0; axis < 4; axis++)
        for (int k = -SIDE; k <= 2 * SIDE; k++) {
            double t = (k * STEP - from[axis]) / (to[axis] - from[axis]);
            if (t > 0 && t < 1)
                low = fmin(low, land_at(town, a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)));
        }
    return low;
}

static void find_base(const town *town, building *b) {
    b->base = INFINITY;
    for (int r = 0; r < b->ring_count; r++)
        for (int k = 0; k < b->rings[r].count; k++)
            b->base =
                fmin(b->base, edge_low(town, b->rings[r].at[k], b->rings[r].at[(k + 1) % b->rings[r].count]));
}

static town *make_town(uint64_t salt) {
    test_random random = test_random_start(salt);
    town *town = test_space(1, sizeof *town);
    lf_raster_def raster = lf_raster_def_default();
    lf_error error = {0};
    write_raster(&random, test_path("land.asc"));
    for (int i = 0; i < BUILDINGS; i++)
        town->list[i] = make_building(&random);
    write_houses(town, test_path("houses.geojson"));
    const char *path =
        test_text_file("town.world.json",
                       "{\"landfall_world\": 1, \"parts\": [{\"raster\": \"land.asc\"}, {\"crs\": \"world\", "
                       "\"buildings\": {\"file\": \"houses.geojson\", \"height\": \"h\"}}]}");
    if (lf_world_file_open(path, NULL, &town->world, &error) != LF_OK)
        fail_msg("%s", error.text);
    town->all = lf_world_file_describe(town->world).ground;
    assert_int_equal(lf_world_file_describe(town->world).building_count, BUILDINGS);
    assert_int_equal(lf_raster_read(test_path("land.asc"), &raster, &town->raster, &error), LF_OK);
    lf_grid_def def = lf_raster_grid_def(town->raster);
    assert_int_equal(lf_grid_create(&def, &town->grid, &error), LF_OK);
    town->land = lf_grid_ground(town->grid);
    for (int i = 0; i < BUILDINGS; i++)
        find_base(town, &town->list[i]);
    return town;
}

static void free_town(town *town) {
    lf_world_file_close(town->world);
    lf_grid_destroy(town->grid);
    lf_raster_close(town->raster);
    free(town);
}

// ---- The definition -----------------------------------------------------------------------------

/// Within the outline and in no hole.
static bool covers(const building *b, double x, double y) {
    bool inside = false;
    for (int r = 0; r < b->ring_count; r++)
        for (int k = 0; k < b->rings[r].count; k++) {
            lf_vec2 p = b->rings[r].at[k], q = b->rings[r].at[(k + 1) % b->rings[r].count];
            if ((p.y > y) != (q.y > y) && x < p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x))
                inside = !inside;
        }
    return inside;
}

/// The highest surface at or below z.
static double brute_height(const town *town, lf_vec3 p) {
    double best = land_at(town, p.x, p.y);
    if (best > p.z)
        best = -INFINITY;
    for (int i = 0; i < BUILDINGS; i++) {
        const building *b = &town->list[i];
        double roof = b->base + b->height;
        if (covers(b, p.x, p.y))
            best = fmax(best, roof <= p.z ? roof : b->base <= p.z ? b->base : -INFINITY);
    }
    return best;
}

typedef struct first {
    double t, second; ///< of the nearest surface, and of the nearest of another owner
    int owner;        ///< building, or -1 for the land
} first;

static void meet(first *first, double t, int owner) {
    if (!(t >= 0 && t <= 1))
        return;
    if (t < first->t) {
        first->second = owner == first->owner ? first->second : first->t;
        first->t = t;
        first->owner = owner;
    } else if (owner != first->owner) {
        first->second = fmin(first->second, t);
    }
}

static first brute_ray(const town *town, lf_vec3 o, lf_vec3 d) {
    first first = {INFINITY, INFINITY, -2};
    lf_ray ray = {o, d, 0, 1};
    lf_hit hit;
    assert_int_equal(lf_ground_ray_first(town->land, &ray, &hit, NULL), LF_OK);
    if (hit.kind != LF_HIT_NONE)
        meet(&first, hit.t, -1);
    for (int i = 0; i < BUILDINGS; i++) {
        const building *b = &town->list[i];
        for (int side = 0; side < 2; side++) {
            double t = (b->base + side * b->height - o.z) / d.z;
            if (covers(b, o.x + t * d.x, o.y + t * d.y))
                meet(&first, t, i);
        }
        for (int r = 0; r < b->ring_count; r++)
            for (int k = 0; k < b->rings[r].count; k++) {
                lf_vec2 p = b->rings[r].at[k], q = b->rings[r].at[(k + 1) % b->rings[r].count];
                double ex = q.x - p.x, ey = q.y - p.y, cross = d.x * ey - d.y * ex;
                double t = ((p.x - o.x) * ey - (p.y - o.y) * ex) / cross;
                double s = ((p.x - o.x) * d.y - (p.y - o.y) * d.x) / cross, z = o.z + t * d.z;
                if (s >= 0 && s <= 1 && z >= b->base && z <= b->base + b->height)
                    meet(&first, t, i);
            }
    }
    return first;
}

// ---- Tests --------------------------------------------------------------------------------------

static void heights(void **state) {
    (void)state;
    int64_t roofs = 0;
    for (uint64_t seed = 0; seed < (uint64_t)test_rounds(20); seed++) {
        town *town = make_town(7000 + seed);
        test_random random = test_random_start(seed);
        for (int i = 0; i < 1000; i++) {
            lf_vec3 p = {test_random_between(&random, 1, 239), test_random_between(&random, 1, 239),
                         i % 2 ? INFINITY : test_random_between(&random, 0, 80)};
            lf_hit hit;
            double expected = brute_height(town, p);
            assert_int_equal(lf_ground_height(town->all, p, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
            assert_int_equal(hit.kind != LF_HIT_NONE, expected > -INFINITY);
            if (hit.kind != LF_HIT_NONE && fabs(hit.point.z - expected) > 1e-9)
                fail_msg("seed %llu, %.17g,%.17g,%g: %.17g, expected %.17g", (unsigned long long)seed, p.x,
                         p.y, p.z, hit.point.z, expected);
            roofs += hit.part == 1;
        }
        free_town(town);
    }
    assert_true(roofs > 2000);
}

static void rays(void **state) {
    (void)state;
    int64_t walls = 0;
    for (uint64_t seed = 0; seed < (uint64_t)test_rounds(20); seed++) {
        town *town = make_town(9000 + seed);
        test_random random = test_random_start(seed);
        for (int i = 0; i < 1000; i++) {
            lf_vec3 a = {test_random_between(&random, -20, 260), test_random_between(&random, -20, 260),
                         test_random_between(&random, 0, 90)};
            lf_vec3 b = {test_random_between(&random, -20, 260), test_random_between(&random, -20, 260),
                         test_random_between(&random, 0, 90)};
            lf_ray ray = {a, lf_vec3_sub(b, a), 0, 1};
            first expected = brute_ray(town, ray.origin, ray.direction);
            lf_hit hit;
            assert_int_equal(lf_ground_ray_first(town->all, &ray, &hit, NULL), LF_OK);
            assert_int_equal(hit.kind == LF_HIT_NONE, expected.owner == -2);
            if (hit.kind == LF_HIT_NONE)
                continue;
            if (fabs(hit.t - expected.t) > 1e-9)
                fail_msg("seed %llu, ray %d: t %.17g, expected %.17g", (unsigned long long)seed, i, hit.t,
                         expected.t);
            if (expected.second > expected.t + 1e-9) {
                assert_int_equal(hit.part, expected.owner >= 0);
                if (expected.owner >= 0)
                    assert_int_equal(hit.user, 100 + expected.owner);
            }
            walls += hit.part == 1;
        }
        free_town(town);
    }
    assert_true(walls > 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(heights), cmocka_unit_test(rays)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
