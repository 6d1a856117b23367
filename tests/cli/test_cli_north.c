/// Directions that the command takes for true ones: light, skylines and limits of azimuth on projected rasters, against directions found by geodesics and
/// PROJ for each place by itself.
#include "child.h"
#include "rasters.h"
#include <geodesic.h>
#include <landfall/io.h>
#include <landfall/sight.h>
#include <math.h>
#include <proj.h>

#define DEGREE 0.017453292519943295
#define SIDE 48
#define MOST_ASIDE \
    0.08 ///< degrees: parts of a raster have the sun of their middle to 0.05, in azimuth and in altitude

typedef struct scene {
    const char *crs;
    double west, north, cell; ///< of the corner
    double altitude;          ///< whose sun is looked at, about
    PJ_CONTEXT *context;
    PJ *to_degrees;
    lf_raster *raster;
    lf_grid *grid;
    char path[1200], result[1200];
} scene;

static const scene scenes[] = {
    {.crs = "EPSG:3031", .west = 1.4e6, .north = -9e5, .cell = 300},    // convergence of 122 degrees
    {.crs = "EPSG:32632", .west = 250000, .north = 6.7e6, .cell = 350}, // of -4, at the border of a zone
    {.crs = "EPSG:3035", .west = 2.7e6, .north = 1.95e6, .cell = 300},  // not conformal
};
#define SCENES (sizeof scenes / sizeof *scenes)

static void open_scene(scene *s, const scene *plan, uint64_t seed) {
    test_random random = test_random_start(seed);
    raster_plan raster = raster_plan_of(SIDE, SIDE);
    static double heights[SIDE * SIDE];
    *s = *plan;
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = 1200 + 500 * sin(0.2 * (k % SIDE)) * cos(0.13 * (double)(k / SIDE)) +
                     test_random_between(&random, 0, 120);
    memcpy(raster.place, (double[6]){s->west, s->cell, 0, s->north, 0, -s->cell}, sizeof raster.place);
    raster.crs = s->crs;
    snprintf(s->path, sizeof s->path, "%s", raster_file("ground.tif", &raster, heights));
    snprintf(s->result, sizeof s->result, "%s", test_path("result.tif"));
    lf_raster_def def = lf_raster_def_default();
    s->raster = raster_read(s->path, &def);
    lf_grid_def grid = lf_raster_grid_def(s->raster);
    assert_int_equal(lf_grid_create(&grid, &s->grid, NULL), LF_OK);
    s->context = proj_context_create();
    PJ *stated = proj_create_crs_to_crs(s->context, s->crs, "OGC:CRS84", NULL);
    s->to_degrees = proj_normalize_for_visualization(s->context, stated);
    proj_destroy(stated);
    assert_non_null(s->to_degrees);
}

static void close_scene(scene *s) {
    proj_destroy(s->to_degrees);
    proj_context_destroy(s->context);
    lf_grid_destroy(s->grid);
    lf_raster_close(s->raster);
    remove(s->path);
    remove(s->result);
}

/// A cell of the grid, whose rows count from the south, in the file.
static int in_file(int column, int row) {
    return (SIDE - 1 - row) * SIDE + column;
}

static lf_vec2 place_of(const scene *s, int column, int row) {
    return (lf_vec2){s->west + (column + 0.5) * s->cell, s->north - (SIDE - 1 - row + 0.5) * s->cell};
}

static lf_vec2 degrees_of(const scene *s, lf_vec2 at) {
    PJ_COORD there = proj_trans(s->to_degrees, PJ_FWD, proj_coord(at.x, at.y, 0, 0));
    return (lf_vec2){there.xy.x, there.xy.y};
}

/// Where a geodesic of a true azimuth leads on the map.
static double map_azimuth(const scene *s, lf_vec2 at, double azimuth) {
    struct geod_geodesic earth;
    lf_vec2 here = degrees_of(s, at);
    double x[2], y[2];
    geod_init(&earth, 6378137, 1 / 298.257223563);
    for (int k = 0; k < 2; k++) {
        double lon, lat;
        geod_direct(&earth, here.y, here.x, azimuth, k ? 150 : -150, &lat, &lon, NULL);
        PJ_COORD there = proj_trans(s->to_degrees, PJ_INV, proj_coord(lon, lat, 0, 0));
        x[k] = there.xy.x;
        y[k] = there.xy.y;
    }
    return atan2(x[1] - x[0], y[1] - y[0]) / DEGREE;
}

static void run_command(const char *words) {
    child_end end = child_run(words, CHILD_PLAIN, 0);
    if (end.status != 0)
        fail_msg("%s: %d %s", words, end.status, end.said);
}

static void read_result(const scene *s, double *values) {
    GDALDatasetH data = GDALOpen(s->result, GA_ReadOnly);
    assert_non_null(data);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Read, 0, 0, SIDE, SIDE, values, SIDE, SIDE,
                                  GDT_Float64, 0, 0),
                     CE_None);
    GDALClose(data);
}

static lf_horizon_def usual_def(void) {
    lf_horizon_def def = lf_horizon_def_default();
    def.rules.curvature.coefficient = 0.85714;
    return def;
}

/// What one sun makes of a cell.
static bool lights(const scene *s, lf_sun sun, int column, int row) {
    lf_horizon_def def = usual_def();
    uint8_t lit;
    assert_int_equal(
        lf_sun_shade(lf_grid_ground(s->grid), &def, sun, (lf_window){column, row, 1, 1}, &lit, 0, NULL),
        LF_OK);
    return lit == LF_VISIBILITY_VISIBLE;
}

/// What may be said of a cell by a sun that is a little aside: bit 0 shade, bit 1 light.
static unsigned may_be(const scene *s, lf_sun sun, int column, int row) {
    unsigned bits = 0;
    for (int k = 0; k < 9 && bits != 3; k++) {
        lf_sun aside = sun;
        aside.azimuth_deg += (k % 3 - 1) * MOST_ASIDE;
        aside.altitude_deg += (k / 3 - 1) * MOST_ASIDE;
        bits |= lights(s, aside, column, row) ? 2 : 1;
    }
    return bits;
}

/// The sun over a cell as its own place has it, or a direction that was asked for.
static lf_sun sun_of(const scene *s, int column, int row, double seconds, const lf_sun *asked) {
    lf_vec2 at = place_of(s, column, row), here = degrees_of(s, at);
    lf_sun sun;
    if (asked)
        sun = *asked;
    else
        assert_int_equal(lf_sun_at(here.x, here.y, seconds, true, &sun), LF_OK);
    sun.azimuth_deg = map_azimuth(s, at, sun.azimuth_deg);
    return sun;
}

/// All cells are as their own suns have it, but those that a direction a little aside decides; and not as they would be if north were +y.
static void oracle_light(const scene *s, double seconds, const lf_sun *asked) {
    static double lit[SIDE * SIDE];
    int aside = 0, by_grid = 0;
    read_result(s, lit);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            lf_sun sun = sun_of(s, column, row, seconds, asked), untrue = sun;
            bool said = lit[in_file(column, row)] == 1;
            untrue.azimuth_deg = asked ? asked->azimuth_deg : 0;
            if (!asked) {
                lf_vec2 here = degrees_of(s, place_of(s, column, row));
                assert_int_equal(lf_sun_at(here.x, here.y, seconds, true, &untrue), LF_OK);
            }
            by_grid += lights(s, untrue, column, row) != said;
            if (lights(s, sun, column, row) == said)
                continue;
            aside++;
            if (!(may_be(s, sun, column, row) >> said & 1))
                fail_msg("%s: cell %d, %d is %s", s->crs, column, row, said ? "lit" : "in shade");
        }
    if (aside > SIDE * SIDE / 100 || by_grid < 20)
        fail_msg("%s: %d cells aside, %d other than by the grid", s->crs, aside, by_grid);
}

static void light_comes_from_true_directions(void **state) {
    (void)state;
    static const char *const times[SCENES] = {"2026-01-10T20:00Z", "2026-06-21T04:00Z", "2026-03-21T17:00Z"};
    for (size_t n = 0; n < SCENES; n++) {
        scene s;
        char words[4000];
        double seconds;
        open_scene(&s, &scenes[n], 990 + n);
        assert_int_equal(lf_time_read(times[n], &seconds, NULL), LF_OK);
        snprintf(words, sizeof words, "shadow %s --time %s -o %s -q", s.path, times[n], s.result);
        run_command(words);
        oracle_light(&s, seconds, NULL);
        snprintf(words, sizeof words, "shadow %s --sun 100,12 -o %s -q", s.path, s.result);
        run_command(words);
        oracle_light(&s, 0, &(lf_sun){100, 12, 0});
        // --north grid: as the map has it, and the sun of a time stays where it is.
        static double lit[SIDE * SIDE];
        snprintf(words, sizeof words, "shadow %s --sun 100,12 --north grid -o %s -q", s.path, s.result);
        run_command(words);
        read_result(&s, lit);
        for (int k = 0; k < SIDE * SIDE; k++)
            assert_int_equal(lit[in_file(k % SIDE, k / SIDE)] == 1,
                             lights(&s, (lf_sun){100, 12, 0}, k % SIDE, k / SIDE));
        snprintf(words, sizeof words, "shadow %s --time %s --north grid -o %s -q", s.path, times[n],
                 s.result);
        run_command(words);
        oracle_light(&s, seconds, NULL);
        close_scene(&s);
    }
}

/// Points one by one are lit by the sun over their own place.
static void points_see_the_same_sun(void **state) {
    (void)state;
    scene s;
    char words[4000];
    open_scene(&s, &scenes[0], 993);
    int compared = 0;
    double seconds;
    const lf_ground *ground;
    assert_int_equal(lf_time_read("2026-01-10T20:00Z", &seconds, NULL), LF_OK);
    ground = lf_grid_ground(s.grid);
    for (int k = 0; k < 12; k++) {
        int column = 3 + 3 * k, row = 45 - 3 * k;
        lf_vec2 at = place_of(&s, column, row);
        lf_sun sun = sun_of(&s, column, row, seconds, NULL);
        double c = cos(sun.altitude_deg * DEGREE), a = sun.azimuth_deg * DEGREE;
        lf_ray ray = lf_ray_towards((lf_vec3){at.x, at.y, lf_grid_sample(s.grid, column, row)},
                                    (lf_vec3){sin(a) * c, cos(a) * c, sin(sun.altitude_deg * DEGREE)});
        lf_hit hit;
        ray.t_min = 1e-3;
        assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
        snprintf(words, sizeof words, "shadow %s --time 2026-01-10T20:00Z --at %.1f,%.1f -q", s.path, at.x,
                 at.y);
        child_end end = child_run(words, CHILD_PLAIN, 0);
        compared += may_be(&s, sun, column, row) != 3;
        if (may_be(&s, sun, column, row) != 3)
            assert_int_equal(end.status, hit.kind == LF_HIT_NONE ? 0 : 1);
    }
    assert_true(compared > 6);
    // In the polar night nobody sees it.
    snprintf(words, sizeof words, "shadow %s --time 2026-06-21T12:00Z --at %.1f,%.1f -q", s.path,
             s.west + 1000, s.north - 1000);
    child_end end = child_run(words, CHILD_PLAIN, 0);
    assert_int_equal(end.status, 1);
    assert_non_null(strstr(end.printed, " shadow -\n"));
    close_scene(&s);
}

static void hours_are_of_the_sun_over_each_place(void **state) {
    (void)state;
    static double hours[SIDE * SIDE];
    scene s;
    char words[4000];
    double start;
    open_scene(&s, &scenes[0], 994);
    snprintf(words, sizeof words, "sunhours %s --date 2026-02-20 --step 60 -o %s -q", s.path, s.result);
    run_command(words);
    read_result(&s, hours);
    assert_int_equal(lf_time_read("2026-02-20", &start, NULL), LF_OK);
    int settled = 0, count = 0;
    for (int row = 1; row < SIDE; row += 6)
        for (int column = 1; column < SIDE; column += 6, count++) {
            double least = 0, most = 0, said = hours[in_file(column, row)];
            for (int step = 0; step < 24; step++) {
                lf_sun sun = sun_of(&s, column, row, start + 3600 * step + 1800, NULL);
                unsigned bits = sun.altitude_deg < -5 ? 1 : may_be(&s, sun, column, row);
                least += bits == 2;
                most += bits >> 1;
            }
            settled += least == most;
            if (!(said >= least && said <= most))
                fail_msg("cell %d, %d: %g hours, expected %g to %g", column, row, said, least, most);
        }
    assert_true(settled > count / 2);
    close_scene(&s);
}

/// Skylines in true directions, of a point and of all cells.
static void skylines_are_in_true_directions(void **state) {
    (void)state;
    for (size_t n = 0; n < SCENES; n++) {
        scene s;
        char words[4000];
        open_scene(&s, &scenes[n], 995 + n);
        lf_horizon_def def = usual_def();
        lf_vec2 at = place_of(&s, 30, 40);
        lf_vec3 from = {at.x, at.y, lf_grid_sample(s.grid, 30, 40) + 2};
        for (int azimuth = 0; azimuth < 360; azimuth += 40)
            for (int grid = 0; grid < 2; grid++) {
                snprintf(words, sizeof words, "horizon %s --at %.1f,%.1f --azimuth %d%s -q", s.path, at.x,
                         at.y, azimuth, grid ? " --north grid" : "");
                child_end end = child_run(words, CHILD_PLAIN, 0);
                lf_horizon want;
                double said = 99, echo = 99;
                assert_int_equal(sscanf(end.printed, "%lf %lf", &echo, &said), 2);
                assert_true(echo == azimuth);
                assert_int_equal(lf_horizon_at(lf_grid_ground(s.grid), &def.rules, from,
                                               grid ? azimuth : map_azimuth(&s, at, azimuth), LF_INFINITY,
                                               &want, NULL),
                                 LF_OK);
                if (!(fabs(said - want.elevation_deg) < (grid ? 1e-9 : 1e-3)))
                    fail_msg("%s: azimuth %d: %.9g, not %.9g", s.crs, azimuth, said, want.elevation_deg);
            }
        static double values[SIDE * SIDE];
        snprintf(words, sizeof words, "horizon %s --map 100 -o %s -q", s.path, s.result);
        run_command(words);
        read_result(&s, values);
        for (int k = 3; k < SIDE * SIDE; k += 17) {
            int column = k % SIDE, row = k / SIDE;
            double low = 90, high = -90, said = values[in_file(column, row)];
            at = place_of(&s, column, row);
            for (int aside = -2; aside <= 2; aside++) { // 0.01 degrees either way
                lf_horizon want;
                from = (lf_vec3){at.x, at.y, lf_grid_sample(s.grid, column, row)};
                assert_int_equal(lf_horizon_at(lf_grid_ground(s.grid), &def.rules, from,
                                               map_azimuth(&s, at, 100) + 0.006 * aside, LF_INFINITY, &want,
                                               NULL),
                                 LF_OK);
                low = fmin(low, want.elevation_deg);
                high = fmax(high, want.elevation_deg);
            }
            if (!(said >= low - 0.01 && said <= high + 0.01))
                fail_msg("%s: cell %d, %d: %.9g, expected %.9g to %.9g", s.crs, column, row, said, low, high);
        }
        close_scene(&s);
    }
}

/// Limits of azimuth are those of each observer.
static void limits_are_true_azimuths(void **state) {
    (void)state;
    for (size_t n = 0; n < SCENES; n++) {
        scene s;
        char words[4000];
        static double counts[SIDE * SIDE];
        open_scene(&s, &scenes[n], 998 + n);
        const int observers[2][2] = {{10, 12}, {40, 35}};
        lf_vec2 at[2];
        double from[2], wide[2];
        for (int k = 0; k < 2; k++) {
            at[k] = place_of(&s, observers[k][0], observers[k][1]);
            from[k] = map_azimuth(&s, at[k], 340);
            wide[k] = fmod(map_azimuth(&s, at[k], 60) - from[k] + 720, 360);
        }
        snprintf(
            words, sizeof words,
            "viewshed %s --at %.1f,%.1f,90000 --at %.1f,%.1f,90000 --mode count --azimuth 340,60 -o %s -q",
            s.path, at[0].x, at[0].y, at[1].x, at[1].y, s.result);
        run_command(words);
        read_result(&s, counts);
        for (int k = 0; k < SIDE * SIDE; k++) {
            int least = 0, most = 0;
            lf_vec2 to = place_of(&s, k % SIDE, k / SIDE);
            for (int who = 0; who < 2; who++) {
                double azimuth = atan2(to.x - at[who].x, to.y - at[who].y) / DEGREE;
                double turn = fmod(azimuth - from[who] + 720, 360);
                bool own = to.x == at[who].x && to.y == at[who].y;
                bool near = turn < 1e-3 || turn > 360 - 1e-3 || fabs(turn - wide[who]) < 1e-3;
                least += own || (turn <= wide[who] && !near);
                most += own || turn <= wide[who] || near;
            }
            double said = counts[in_file(k % SIDE, k / SIDE)]; // from 90 km up everything is seen
            if (!(said >= least && said <= most))
                fail_msg("%s: cell %d: seen by %g, expected %d to %d", s.crs, k, said, least, most);
        }
        close_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_comes_from_true_directions),
        cmocka_unit_test(points_see_the_same_sun),
        cmocka_unit_test(hours_are_of_the_sun_over_each_place),
        cmocka_unit_test(skylines_are_in_true_directions),
        cmocka_unit_test(limits_are_true_azimuths),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
