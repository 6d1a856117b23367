/// The published figure 7: time of one collision test of a camera against the number of loaded tiles, by our method and by trees of spheres.
#include "globe.h"
#include <math.h>
#include <stdlib.h>

/// One number of tiles, and what everybody has to say about the cameras.
typedef struct globe_case {
    lf_globe *globe;
    const lf_vec3 *cameras;
    int64_t count;
    sphere_world *list, *tree;
    sphere_counts list_counts, tree_counts;
    bool *ours, *theirs;
} globe_case;

static lf_camera camera_over(lf_vec3 position) {
    lf_camera camera = lf_camera_default();
    camera.position = position;
    camera.clearance = GLOBE_RADIUS;
    return camera;
}

/// Ours: the camera at rest, as published.
static void test_places(void *user) {
    globe_case *c = user;
    lf_camera camera = camera_over(c->cameras[0]);
    for (int64_t i = 0; i < c->count; i++) {
        lf_camera_contact contact;
        camera.position = c->cameras[i];
        lf_camera_check(&camera, lf_globe_ground(c->globe), camera.position, &contact);
        c->ours[i] = contact.met;
    }
}

/// Ours: a whole movement of about 5 m.
static void test_movements(void *user) {
    globe_case *c = user;
    lf_camera camera = camera_over(c->cameras[0]);
    for (int64_t i = 0; i < c->count; i++) {
        lf_camera_contact contact;
        camera.position = c->cameras[i];
        lf_vec3 to =
            lf_vec3_along(camera.position, 5 / 6.4e6, (lf_vec3){-camera.position.y, camera.position.x, 0});
        lf_camera_check(&camera, lf_globe_ground(c->globe), to, &contact);
        c->ours[i] = contact.met;
    }
}

/// The published method itself, tiles compared one by one.
static void test_published(void *user) {
    globe_case *c = user;
    for (int64_t i = 0; i < c->count; i++)
        lf_luo_collides(c->globe, c->cameras[i], 0, NULL, NULL, &c->theirs[i]);
}

static void test_list(void *user) {
    globe_case *c = user;
    c->list_counts = (sphere_counts){0, 0};
    for (int64_t i = 0; i < c->count; i++)
        c->theirs[i] = sphere_world_collides(c->list, c->cameras[i], GLOBE_RADIUS, &c->list_counts);
}

static void test_tree(void *user) {
    globe_case *c = user;
    c->tree_counts = (sphere_counts){0, 0};
    for (int64_t i = 0; i < c->count; i++)
        c->theirs[i] = sphere_world_collides(c->tree, c->cameras[i], GLOBE_RADIUS, &c->tree_counts);
}

/// Times per test in nanoseconds, in the order: ours, ours over movements, published, list, tree.
enum { PLACES, MOVEMENTS, PUBLISHED, LIST, TREE, RIVALS };

static void race(globe_case *c, int rounds, double ns[RIVALS], double *ratio) {
    const bench_contestant all[RIVALS] = {{"landfall", NULL, test_places, c},
                                          {"movements", NULL, test_movements, c},
                                          {"published", NULL, test_published, c},
                                          {"list", NULL, test_list, c},
                                          {"tree", NULL, test_tree, c}};
    bench_times times;
    bench_race(all, RIVALS, rounds, true, &times);
    for (int k = 0; k < RIVALS; k++)
        ns[k] = 1e9 * times.seconds[k] / (double)c->count;
    *ratio = times.ratio[LIST];
}

/// Where ours says that a camera's clearance is cut and the spheres do not, or the other way round. They ask different things: along the normal, and the nearest
/// triangle. So whoever is less than the radius from a triangle is so along the normal too, or stands beside a slope.
static int64_t disagree(globe_case *c, int64_t *met) {
    int64_t wrong = 0;
    test_places(c);
    test_list(c);
    *met = 0;
    for (int64_t i = 0; i < c->count; i++) {
        *met += c->ours[i];
        wrong += c->ours[i] && !c->theirs[i];
    }
    return wrong;
}

typedef struct globe_figures {
    double least, most; ///< of ours
    double at_1000;     ///< the list's time over ours
    double at_most;     ///< the tree's time over ours, of all tiles
} globe_figures;

static void add_row(bench_table *table, globe_case *c, int64_t tiles, const double ns[RIVALS], double ratio) {
    bench_table_row(table);
    bench_table_cell(table, "%lld", (long long)tiles);
    for (int k = 0; k < RIVALS; k++)
        bench_table_cell(table, "%.0f", ns[k]);
    bench_table_cell(table, "%.1f", ratio);
    bench_table_cell(table, "%.1f", (double)c->list_counts.volumes / (double)c->count);
    bench_table_cell(table, "%.1f", (double)c->list_counts.primitives / (double)c->count);
}

/// Where the cameras are.
enum { NEAR, SPIRAL, ANYWHERE, FLIGHTS };

static lf_vec3 *cameras_of(int flight, int64_t count, int64_t tiles) {
    return flight == NEAR     ? globe_flight(count)
           : flight == SPIRAL ? globe_spiral(count, tiles)
                              : globe_anywhere(count, tiles);
}

#define STEPS 16
static const int64_t steps[STEPS] = {100, 200,  300,  400,  500,   600,   700,   800,
                                     900, 1000, 2000, 5000, 10000, 20000, 50000, 100000};

static void draw_7(const bench_report *report, double values[RIVALS][STEPS], int count) {
    static const char *const series[] = {"landfall", "landfall, a movement of 5 m", "the paper's own (QOTCD)",
                                         "linear list of spheres", "tree of spheres"};
    double at[STEPS];
    for (int k = 0; k < count; k++)
        at[k] = (double)steps[k];
    bench_figure figure = {.name = "figure-7",
                           .title = "Figure 7: one collision test of a camera",
                           .x = "loaded tiles of 17 x 17 samples",
                           .y = "nanoseconds",
                           .series = series,
                           .series_count = RIVALS,
                           .at = at,
                           .count = count,
                           .log_x = true,
                           .log_y = true};
    for (int k = 0; k < RIVALS; k++)
        figure.values[k] = values[k];
    bench_figure_draw(&figure, report);
}

/// One number of tiles.
static void figure_7_row(bench_report *report, globe_case *c, int64_t tiles, double ns[RIVALS],
                         double *ratio) {
    c->ours = bench_take((size_t)c->count, sizeof(bool));
    c->theirs = bench_take((size_t)c->count, sizeof(bool));
    c->list = sphere_world_make(tiles, false);
    c->tree = sphere_world_make(tiles, true);
    int most = tiles > 10000 ? 1 : tiles > 1000 ? 3 : report->rounds;
    race(c, report->rounds < most ? report->rounds : most, ns, ratio);
    if (tiles == steps[0]) {
        int64_t met = 0, wrong = disagree(c, &met);
        printf("%lld of %lld cameras collide; %lld of them are farther than %g m from every triangle\n",
               (long long)met, (long long)c->count, (long long)wrong, GLOBE_RADIUS);
    }
}

static void figure_7(bench_report *report, int flight, globe_figures *figures) {
    static const char *const heads[] = {"tiles",   "landfall ns", "movement ns", "published ns", "list ns",
                                        "tree ns", "list / ours", "Nv",          "Np",           NULL};
    static const char *const titles[FLIGHTS] = {
        "Figure 7: one collision test, over a flight of 7 tiles in the middle",
        "Figure 7: one collision test, over a flight that crosses up to 4000 tiles",
        "Figure 7: one collision test, anywhere"};
    bench_table *table = bench_take(1, sizeof *table);
    lf_globe *globe = globe_open();
    double drawn[RIVALS][STEPS];
    int rows = report->quick ? 10 : STEPS;
    bench_table_start(table, titles[flight], heads);
    for (int k = 0; k < rows; k++) {
        if (flight == ANYWHERE && steps[k] % 1000 != 0)
            continue;
        globe_load(globe, steps[k]);
        int64_t count = report->quick ? 200 : flight == SPIRAL ? 8000 : 2000;
        // What the spheres have to hold are the finest tiles; coarser ones above them are not among what is
        // drawn.
        lf_vec3 *cameras = cameras_of(flight, count, steps[k] * 3 / 4);
        globe_case c = {.globe = globe, .cameras = cameras, .count = count};
        double ns[RIVALS], ratio;
        figure_7_row(report, &c, steps[k], ns, &ratio);
        add_row(table, &c, steps[k], ns, ratio);
        for (int n = 0; n < RIVALS; n++)
            drawn[n][k] = ns[n];
        figures->least = figures->most == 0 ? ns[PLACES] : fmin(figures->least, ns[PLACES]);
        figures->most = fmax(figures->most, ns[PLACES]);
        figures->at_most = ns[TREE] / ns[PLACES];
        if (steps[k] == 1000)
            figures->at_1000 = ratio;
        sphere_world_free(c.tree);
        sphere_world_free(c.list);
        free(c.theirs);
        free(c.ours);
        free(cameras);
    }
    bench_table_end(table, report);
    if (flight == SPIRAL)
        draw_7(report, drawn, rows);
    lf_globe_destroy(globe);
    free(table);
}

#define BUILDINGS 10000

/// Boxes of 10 to 40 m, 5 to 60 m high, on the ground of a town of 5 km by 5 km that lies in the way of the flights.
static lf_group *town_on(lf_globe *globe, lf_geodetic middle) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_group_part *parts = bench_take(BUILDINGS + 1, sizeof *parts);
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    bench_random random = {5};
    parts[0] = (lf_group_part){.ground = lf_globe_ground(globe), .pose = lf_pose_identity()};
    for (int64_t i = 1; i <= BUILDINGS; i++) {
        lf_geodetic place = {middle.lon_deg + bench_random_between(&random, -0.005, 0.045),
                             middle.lat_deg + bench_random_between(&random, -0.0225, 0.0225), 0};
        double side = bench_random_between(&random, 5, 20), high = bench_random_between(&random, 5, 60);
        place.height = globe_height(place.lon_deg, place.lat_deg);
        parts[i].box = (lf_box){{-side, -side, -20}, {side, side, high}};
        lf_ellipsoid_pose(&wgs84, place, bench_random_between(&random, 0, 360), 0, 0, &parts[i].pose);
    }
    def.parts = parts;
    def.part_count = BUILDINGS + 1;
    if (lf_group_create(&def, &group, NULL) != LF_OK)
        bench_stop("the town cannot be made");
    free(parts);
    return group;
}

/// Steps of a flight: frames of a sixtieth of a second, with look-ahead, response and all.
typedef struct steps_case {
    const lf_ground *ground;
    lf_camera start;
    int64_t count, touched;
} steps_case;

static void run_steps(void *user) {
    steps_case *c = user;
    lf_camera camera = c->start;
    c->touched = 0;
    for (int64_t i = 0; i < c->count; i++) {
        lf_camera_result result;
        lf_camera_step(&camera, c->ground, 1.0 / 60, &result);
        c->touched += result.did != 0;
        if (i % 500 == 499)
            camera = c->start;
    }
}

/// The time with buildings over that without, of all flights together.
static double time_steps(bench_report *report) {
    static const char *const heads[] = {"flight",       "steps/s", "ns", "touched", "touched in a town",
                                        "ns in a town", "ratio",   NULL};
    static const char *const words[] = {"high above", "low and slow", "low and fast"};
    static const double above[] = {5000, 60, 60}, speed[] = {250, 20, 250};
    bench_table *table = bench_take(1, sizeof *table);
    lf_globe *globe = globe_open();
    globe_load(globe, 1000);
    lf_vec3 *flight = globe_flight(1);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_group *town = town_on(globe, lf_ellipsoid_to_geodetic(&wgs84, flight[0]));
    double without = 0, with = 0;
    bench_table_start(table, "whole steps of a camera, with response, without and with 10,000 buildings",
                      heads);
    for (int k = 0; k < 3; k++) {
        steps_case c[2] = {
            {.ground = lf_globe_ground(globe), .start = camera_over(flight[0]), .count = 5000}};
        lf_geodetic place = lf_ellipsoid_to_geodetic(&wgs84, flight[0]);
        place.height += above[k];
        c->start.position = lf_ellipsoid_to_centred(&wgs84, place);
        c->start.turn = (lf_vec3){0, 0, speed[k] / wgs84.radius};
        c[1] = c[0];
        c[1].ground = lf_group_ground(town);
        const bench_contestant both[] = {{"steps", NULL, run_steps, &c[0]}, {"town", NULL, run_steps, &c[1]}};
        bench_times times;
        bench_race(both, 2, report->rounds, true, &times);
        without += times.seconds[0];
        with += times.seconds[1];
        bench_table_row(table);
        bench_table_cell(table, "%s", words[k]);
        bench_table_cell(table, "%.0f", (double)c->count / times.seconds[0]);
        bench_table_cell(table, "%.0f", 1e9 * times.seconds[0] / (double)c->count);
        bench_table_cell(table, "%.0f %%", 100.0 * (double)c[0].touched / (double)c->count);
        bench_table_cell(table, "%.0f %%", 100.0 * (double)c[1].touched / (double)c->count);
        bench_table_cell(table, "%.0f", 1e9 * times.seconds[1] / (double)c->count);
        bench_table_cell(table, "%.2f", times.seconds[1] / times.seconds[0]);
    }
    bench_table_end(table, report);
    free(flight);
    free(table);
    lf_group_destroy(town);
    lf_globe_destroy(globe);
    return with / without;
}

// ---------------------------------------------------------------------------------------------------
// Updates along a flight
// ---------------------------------------------------------------------------------------------------

/// Tiles of a plain: nearly nothing is spent on making their heights.
static lf_tile_state fetch_plain(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    static const float heights[65 * 65];
    (void)user;
    (void)wait;
    (void)detail;
    *tile = (lf_tile){.heights = heights,
                      .columns = 65,
                      .rows = 65,
                      .children = key.level < 16 ? LF_TILE_CHILDREN_ALL : 0,
                      .bounded = true};
    return LF_TILE_READY;
}

typedef struct update_times {
    double mean, worst;
    int64_t tiles, fetched;
} update_times;

/// A steady flight of frames of a sixtieth of a second, with the default detail, once everything is loaded.
static update_times time_updates(double above, double speed, bool all, int64_t frames) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe;
    lf_error error;
    update_times times = {0, 0, 0, 0};
    def.provider = (lf_globe_provider){NULL, fetch_plain, NULL};
    def.level_count = 17;
    def.budget = (size_t)1 << 30;
    if (lf_globe_create(&def, &globe, &error) != LF_OK)
        bench_stop("the globe cannot be made: %s", error.text);
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    if (all) // a view of everything: every tile is decided about again
        rules.forward = (lf_vec3){1, 0, 0}, rules.field = 100;
    double start = 0;
    for (int64_t i = -2000; i < frames; i++) {
        double s = speed / 60 / wgs84.radius * 57.29577951308232 * (double)(i < 0 ? 0 : i);
        lf_globe_change change;
        rules.position = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){10 + s, 47 + 0.3 * s, above});
        rules.velocity = (lf_vec3){-speed * 0.17, speed * 0.98, 0};
        start = bench_clock();
        if (lf_globe_update(globe, &rules, &change) != LF_OK)
            bench_stop("an update fails");
        double took = bench_clock() - start;
        if (i < 0 && change.fetched == 0)
            i = -1;
        if (i < 0)
            continue;
        times.mean += took / (double)frames;
        times.worst = fmax(times.worst, took);
        times.tiles = change.wanted;
        times.fetched += change.fetched;
    }
    lf_globe_destroy(globe);
    return times;
}

static void race_updates(bench_report *report) {
    static const char *const heads[] = {"flight",   "tiles",     "fetched", "mean us", "worst us",
                                        "all mean", "all worst", "mean",    "worst",   NULL};
    static const struct {
        const char *name;
        double above, speed;
    } flights[] = {
        {"low, 100 m/s", 300, 100}, {"10 km, 250 m/s", 10000, 250}, {"orbit, 7.5 km/s", 400000, 7500}};
    bench_table *table = bench_take(1, sizeof *table);
    int64_t frames = report->quick ? 100 : 1000;
    bench_table_start(table, "updates of a globe: where something may have changed, and of all tiles", heads);
    for (int k = 0; k < 3; k++) {
        update_times ours = time_updates(flights[k].above, flights[k].speed, false, frames);
        update_times all = time_updates(flights[k].above, flights[k].speed, true, frames);
        bench_table_row(table);
        bench_table_cell(table, "%s", flights[k].name);
        bench_table_cell(table, "%lld", (long long)ours.tiles);
        bench_table_cell(table, "%lld", (long long)ours.fetched);
        bench_table_cell(table, "%.1f", 1e6 * ours.mean);
        bench_table_cell(table, "%.0f", 1e6 * ours.worst);
        bench_table_cell(table, "%.0f", 1e6 * all.mean);
        bench_table_cell(table, "%.0f", 1e6 * all.worst);
        bench_table_cell(table, "%.1f", all.mean / ours.mean);
        bench_table_cell(table, "%.1f", all.worst / ours.worst);
        if (ours.tiles != all.tiles || ours.fetched != all.fetched)
            bench_stop("updates differ");
        if (k == 0) {
            bench_bar(report, "globe-update-mean", all.mean / ours.mean, 10);
            bench_bar(report, "globe-update-worst", all.worst / ours.worst, 5);
        }
    }
    bench_table_end(table, report);
    free(table);
}

int main(int argc, char **argv) {
    bench_report report;
    globe_figures at[FLIGHTS] = {{0}};
    bench_report_start(&report, argc, argv,
                       "a camera's collision tests against the number of loaded tiles, and trees of spheres");
    printf("spheres take %lld bytes per tile; ours need none beyond the tiles\n",
           (long long)sphere_tile_bytes());
    race_updates(&report);
    if (!bench_wanted(&report, "camera"))
        return bench_report_end(&report);
    globe_published(&report);
    for (int k = 0; k < FLIGHTS; k++)
        figure_7(&report, k, &at[k]);
    double town = time_steps(&report);
    bench_bar(&report, "globe-camera-tests-per-second", 1e9 / at[NEAR].most, 1e6);
    bench_bar(&report, "globe-camera-flat", 1.3 / (at[NEAR].most / at[NEAR].least), 1);
    bench_bar(&report, "globe-camera-flat-over-4000-tiles", 1.3 / (at[SPIRAL].most / at[SPIRAL].least), 1);
    bench_bar(&report, "globe-camera-spheres-at-1000", at[NEAR].at_1000, 30);
    bench_bar(&report, "globe-camera-sphere-list-over-4000-tiles", at[SPIRAL].at_1000, 30);
    bench_bar(&report, "globe-camera-sphere-tree-over-4000-tiles", at[SPIRAL].at_most, 1);
    bench_bar(&report, "globe-camera-in-a-town", 2 / town, 1);
    return bench_report_end(&report);
}
