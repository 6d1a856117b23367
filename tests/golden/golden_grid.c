/// Golden answers of numbers, geometry and grids.
#include "golden.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void golden_numbers(void) {
    golden_random random = {1};
    golden_group("numbers", 0);
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = golden_bits(&random);
        double number, back = 0;
        char text[LF_NUMBER_SIZE];
        memcpy(&number, &bits, sizeof number);
        if (!(number - number == 0))
            continue;
        size_t length = lf_number_write(number, text);
        golden_bytes((const uint8_t *)text, (int64_t)length);
        golden_whole(lf_number_read(text, text + length, &back) == text + length);
        golden_real(back);
    }
}

static void signs(golden_random *random) {
    golden_group("signs", 0);
    for (int i = 0; i < 2000; i++) {
        // Nearly on one line or in one plane: decided by the exact fallback.
        lf_vec3 a = golden_point(random, -10, 10), b = golden_point(random, -10, 10),
                d = golden_point(random, -10, 10);
        double share = golden_between(random, -1, 2);
        lf_vec3 c = {a.x + 0.1 * b.x, a.y + 0.1 * b.y, a.z + 0.1 * b.z};
        c.x = i % 2 ? c.x : share;
        golden_whole(lf_orient2d((lf_vec2){a.x, a.y}, (lf_vec2){b.x, b.y}, (lf_vec2){c.x, c.y}));
        golden_whole(lf_orient3d(a, b, c, d));
        golden_whole(lf_orient_line(a, d, b, c));
    }
}

static void ellipsoids(golden_random *random) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    golden_group("ellipsoid", 1e-13);
    for (int i = 0; i < 2000; i++) {
        lf_geodetic place = {golden_between(random, -180, 180), golden_between(random, -90, 90),
                             golden_between(random, -5e3, 5e5)};
        lf_vec3 centred = lf_ellipsoid_to_centred(&wgs84, place);
        lf_geodetic back = lf_ellipsoid_to_geodetic(&wgs84, centred);
        golden_vec3(centred);
        golden_vec3((lf_vec3){back.lon_deg, back.lat_deg, back.height * 1e-6});
    }
    golden_group("geodesics", 1e-12);
    for (int i = 0; i < 1000; i++) {
        lf_geodetic from = {golden_between(random, -180, 180), golden_between(random, -85, 85), 0};
        lf_geodetic to = {golden_between(random, -180, 180), golden_between(random, -85, 85), 0};
        lf_geodesic line = lf_geodesic_between(&wgs84, from, to);
        double azimuth = 0, start = golden_between(random, 0, 360), way = golden_between(random, 0, 1e6);
        lf_geodetic end = lf_geodesic_from(&wgs84, from, start, way, &azimuth);
        golden_real(line.distance);
        golden_real(line.azimuth1_deg);
        golden_vec3((lf_vec3){end.lon_deg, end.lat_deg, azimuth});
    }
}

void golden_geometry(void) {
    golden_random random = {2};
    signs(&random);
    golden_group("units", 0);
    for (int i = 0; i < 500; i++)
        golden_vec3(lf_vec3_unit(golden_point(&random, -7, 7)));
    ellipsoids(&random);
    golden_group("frames", 1e-13);
    lf_frame frame;
    golden_ok(lf_frame_centre((lf_vec3){1, 2, 3}, &frame), "lf_frame_centre");
    for (int i = 0; i < 2000; i++)
        golden_vec3(lf_frame_to_local(&frame, golden_point(&random, -9, 9)));
    golden_group("poses", 1e-13);
    for (int i = 0; i < 2000; i++) {
        lf_pose pose;
        lf_vec3 axis = golden_point(&random, -1, 1);
        golden_ok(lf_pose_turn((lf_vec3){1, 0, 2}, axis, golden_between(&random, -7, 7), &pose),
                  "lf_pose_turn");
        golden_vec3(lf_pose_to_world(&pose, golden_point(&random, -9, 9)));
    }
}

float *golden_heights(int64_t columns, int64_t rows, uint64_t seed, bool voids) {
    float *heights = malloc((size_t)(columns * rows) * sizeof *heights);
    if (!heights)
        golden_ok(LF_NO_MEMORY, "golden_heights");
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++) {
            // Bumps of three sizes on lattices, between which whole numbers are interpolated.
            int64_t sum = 0;
            for (int octave = 2; octave <= 6; octave += 2) {
                int64_t side = (int64_t)1 << octave, x = i % side, y = j % side, corner[4];
                for (int k = 0; k < 4; k++) {
                    golden_random random = {seed + (uint64_t)(i / side + k % 2) * 7919 +
                                            (uint64_t)(j / side + k / 2) * 104729 + (uint64_t)octave};
                    corner[k] = (int64_t)(golden_bits(&random) >> 54);
                }
                sum += (corner[0] * (side - x) * (side - y) + corner[1] * x * (side - y) +
                        corner[2] * (side - x) * y + corner[3] * x * y) /
                       side;
            }
            heights[j * columns + i] =
                voids && (i * 31 + j * 17) % 211 == 0 ? (float)LF_NAN : (float)((double)sum / 256);
        }
    return heights;
}

lf_grid *golden_grid(int64_t side, lf_surface surface, lf_codec codec, bool voids) {
    float *heights = golden_heights(side, side, 11, voids);
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = side;
    def.geotransform = (lf_geotransform){{1000.1, -200.3}, {0.3, 0}, {0, 0.7}};
    def.surface = surface;
    def.codec = codec;
    def.max_error = codec == LF_CODEC_RAW ? 0 : 0.05;
    golden_ok(lf_grid_create(&def, &grid, NULL), "lf_grid_create");
    free(heights);
    return grid;
}

/// A point of the grid's box, with z from half below to half above it.
static lf_vec3 point_at(const lf_grid *grid, golden_random *random) {
    lf_box box = lf_ground_box(lf_grid_ground(grid));
    double rise = box.high.z - box.low.z;
    double x = golden_between(random, box.low.x, box.high.x),
           y = golden_between(random, box.low.y, box.high.y);
    return (lf_vec3){x, y, golden_between(random, box.low.z - 0.1 * rise, box.high.z + 0.2 * rise)};
}

static void grid_queries(const lf_grid *grid, golden_random *random) {
    const lf_ground *ground = lf_grid_ground(grid);
    for (int i = 0; i < 300; i++) {
        lf_vec3 a = point_at(grid, random), b = point_at(grid, random);
        lf_ray ray = lf_ray_between(a, b);
        lf_hit hit;
        golden_ok(lf_ground_height(ground, (lf_vec3){a.x, a.y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                  "lf_ground_height");
        golden_hit(&hit);
        golden_ok(lf_ground_ray_first(ground, &ray, &hit, NULL), "lf_ground_ray_first");
        golden_hit(&hit);
    }
}

static void grid_sights(const lf_grid *grid, golden_random *random) {
    lf_sight_rules rules = lf_sight_rules_default();
    rules.detail = true;
    rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    for (int i = 0; i < 200; i++) {
        lf_sight sight;
        lf_vec3 a = point_at(grid, random), b = point_at(grid, random);
        golden_ok(lf_sight_between(lf_grid_ground(grid), &rules, a, b, &sight, NULL), "lf_sight_between");
        golden_whole((int64_t)sight.verdict);
        golden_real(sight.t);
        golden_vec3(sight.point);
        golden_real(sight.clearance);
        golden_real(sight.raise);
    }
}

static void grid_walks(const lf_grid *grid, golden_random *random) {
    lf_walker walker = lf_walker_default(0.5);
    for (int i = 0; i < 60; i++) {
        lf_walk walk;
        lf_vec3 a = point_at(grid, random), b = point_at(grid, random);
        a.z = LF_INFINITY;
        golden_ok(lf_ground_walk(lf_grid_ground(grid), &walker, a, b, &walk, NULL, NULL), "lf_ground_walk");
        golden_whole((int64_t)walk.end);
        golden_real(walk.t);
        golden_vec3(walk.position);
    }
}

static void grid_sweeps(const lf_grid *grid, golden_random *random) {
    for (int i = 0; i < 60; i++) {
        lf_hit hit;
        lf_vec3 a = point_at(grid, random), b = point_at(grid, random);
        a.z += 8;
        lf_sweep sweep = lf_sweep_sphere(a, 0.37, lf_vec3_sub(b, a));
        golden_ok(lf_ground_sweep(lf_grid_ground(grid), &sweep, &hit, NULL), "lf_ground_sweep");
        golden_whole((int64_t)hit.kind);
        golden_real(hit.t);
    }
}

void golden_grids(void) {
    static const lf_surface surfaces[] = {LF_SURFACE_FALLING, LF_SURFACE_RISING, LF_SURFACE_ALTERNATING,
                                          LF_SURFACE_BILINEAR, LF_SURFACE_POINT};
    char name[64];
    for (int s = 0; s < 5; s++) {
        golden_random random = {3};
        lf_grid *grid = golden_grid(97, surfaces[s], LF_CODEC_RAW, true);
        snprintf(name, sizeof name, "grid_%s", lf_surface_name(surfaces[s]));
        golden_group(name, 0);
        grid_queries(grid, &random);
        snprintf(name, sizeof name, "sight_%s", lf_surface_name(surfaces[s]));
        golden_group(name, 0);
        grid_sights(grid, &random);
        snprintf(name, sizeof name, "walk_%s", lf_surface_name(surfaces[s]));
        golden_group(name, 0);
        grid_walks(grid, &random);
        if (surfaces[s] != LF_SURFACE_POINT && surfaces[s] != LF_SURFACE_BILINEAR) {
            snprintf(name, sizeof name, "sweep_%s", lf_surface_name(surfaces[s]));
            golden_group(name, 0);
            grid_sweeps(grid, &random);
        }
        lf_grid_destroy(grid);
    }
    static const lf_codec codecs[] = {LF_CODEC_PACK, LF_CODEC_MAXPLUS, LF_CODEC_HAAR, LF_CODEC_D4};
    for (int c = 0; c < 4; c++) {
        golden_random random = {4};
        lf_grid *grid = golden_grid(128, LF_SURFACE_BILINEAR, codecs[c], false);
        snprintf(name, sizeof name, "codec_%s", lf_codec_name(codecs[c]));
        golden_group(name, 0);
        golden_whole((int64_t)lf_grid_describe(grid).sample_bytes);
        for (int64_t k = 0; k < 128 * 128; k++)
            golden_real(lf_grid_sample(grid, k % 128, k / 128));
        grid_queries(grid, &random);
        lf_grid_destroy(grid);
    }
}
