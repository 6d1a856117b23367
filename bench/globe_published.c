/// What the paper of the globe's camera shows beside its Figure 7: the operations of Table 1, the samples of Figure 3, the views of
/// Figure 6.
#include "globe.h"
#include <math.h>
#include <stdlib.h>

#define SPHERE 6378137.0
#define SNAP 0.08

// ---------------------------------------------------------------------------------------------------
// Table 1: operations, by arithmetic that counts
// ---------------------------------------------------------------------------------------------------

/// Where a camera is over the cell (5, 7) of a tile: on a sample, on a line, within a cell.
static const double places[3][2] = {{0, 0}, {0.5, 0}, {0.5, 0.5}};

static void count_at(lf_globe *globe, const double place[2], lf_luo_operations done[LF_LUO_STEPS]) {
    lf_ellipsoid sphere = {SPHERE, 0};
    lf_tile_key key = globe_ring_key(0);
    double size = ldexp(180, -key.level), cell = size / (GLOBE_POSTS - 1);
    bool collides;
    lf_vec3 at =
        lf_ellipsoid_to_centred(&sphere, (lf_geodetic){-180 + size * key.column + cell * (5 + place[0]),
                                                       -90 + size * key.row + cell * (7 + place[1]), 3000});
    if (lf_luo_collides(globe, at, 1e-6, NULL, done, &collides) != LF_OK)
        bench_stop("Luo's test has no answer");
}

static void operations_text(char *text, size_t size, const lf_luo_operations *o) {
    const struct {
        int64_t count;
        const char *name;
    } all[] = {{o->squares, "squares"},  {o->square_roots, "square root"}, {o->divisions, "divisions"},
               {o->arc_sines, "arcsin"}, {o->arc_tangents, "arctan"},      {o->subtractions, "subtraction"}};
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].count > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%lld %s", used ? ", " : "",
                                     (long long)all[k].count, all[k].name);
}

static void table_1(bench_report *report) {
    static const char *const heads[] = {
        "step",      "roots, divisions",      "angles", "comparisons on a sample", "on a line", "in a cell",
        "published", "left out by the paper", NULL};
    static const char *const steps[] = {"1 place", "2-1 tile", "2-2 height", "3 compare", "all"};
    static const char *const published[] = {"none", "4 n", "0 to 4", "1", "4 n + 5 to 4 n + 9"};
    bench_table *table = bench_take(1, sizeof *table);
    lf_globe *globe = globe_open();
    globe_load(globe, 100);
    lf_luo_operations done[3][LF_LUO_STEPS + 1] = {{{0}}};
    for (int k = 0; k < 3; k++) {
        count_at(globe, places[k], done[k]);
        lf_luo_operations *all = &done[k][LF_LUO_STEPS];
        for (int s = 0; s < LF_LUO_STEPS; s++) {
            const lf_luo_operations *o = &done[k][s];
            *all =
                (lf_luo_operations){all->squares + o->squares,           all->square_roots + o->square_roots,
                                    all->divisions + o->divisions,       all->arc_sines + o->arc_sines,
                                    all->arc_tangents + o->arc_tangents, all->subtractions + o->subtractions,
                                    all->comparisons + o->comparisons,   all->tiles + o->tiles,
                                    all->left_out + o->left_out};
        }
    }
    long long n = (long long)done[0][LF_LUO_TILE].tiles;
    char title[120], text[120];
    snprintf(title, sizeof title, "Table 1: operations of one test, counted as they are done; n = %lld tiles",
             n);
    bench_table_start(table, title, heads);
    for (int s = 0; s <= LF_LUO_STEPS; s++) {
        lf_luo_operations roots = done[2][s], angles = done[2][s];
        roots.arc_sines = roots.arc_tangents = roots.subtractions = 0;
        angles.squares = angles.square_roots = angles.divisions = 0;
        bench_table_row(table);
        bench_table_cell(table, "%s", steps[s]);
        operations_text(text, sizeof text, &roots);
        bench_table_cell(table, "%s", text);
        operations_text(text, sizeof text, &angles);
        bench_table_cell(table, "%s", text);
        for (int k = 0; k < 3; k++)
            bench_table_cell(table, "%lld", (long long)done[k][s].comparisons);
        bench_table_cell(table, "%s", published[s]);
        bench_table_cell(table, "%lld", (long long)done[2][s].left_out);
    }
    bench_table_end(table, report);
    lf_globe_destroy(globe);
    free(table);
}

// ---------------------------------------------------------------------------------------------------
// Figure 3: which samples a place needs
// ---------------------------------------------------------------------------------------------------

static void figure_3(const bench_report *report) {
    enum { SIDE = 560, EDGE = 24 };
    lf_canvas *canvas = bench_page_open(report, SIDE + 2 * EDGE, SIDE + 2 * EDGE);
    if (!canvas)
        return;
    lf_globe *globe = globe_open();
    globe_load(globe, 9); // the tile in the middle and those around it
    lf_ellipsoid sphere = {SPHERE, 0};
    lf_tile_key key = globe_ring_key(0);
    double size = ldexp(180, -key.level);
    uint8_t *pixels = bench_take(SIDE * SIDE, 3);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            lf_luo_operations done[LF_LUO_STEPS] = {{0}};
            bool collides;
            lf_geodetic place = {-180 + size * (key.column + (i + 0.5) / SIDE),
                                 -90 + size * (key.row + 1 - (j + 0.5) / SIDE), 3000};
            lf_luo_collides(globe, lf_ellipsoid_to_centred(&sphere, place), SNAP, NULL, done, &collides);
            int64_t compared = done[LF_LUO_HEIGHT].comparisons;
            lf_colour colour = lf_colour_of(compared == 0 ? 0xb2182b : compared == 1 ? 0x4393c3 : 0xf0f0e8);
            uint8_t *pixel = pixels + 3 * (j * SIDE + i);
            pixel[0] = colour.red;
            pixel[1] = colour.green;
            pixel[2] = colour.blue;
        }
    lf_canvas_image(canvas, (lf_rect){EDGE, EDGE, SIDE, SIDE}, pixels, SIDE, SIDE, 3);
    lf_text_style style = lf_text_style_default();
    style.height = 15;
    lf_canvas_text(canvas, (lf_vec2){EDGE, EDGE - 7},
                   "Figure 3: one sample (red), the higher of two (blue), the highest of four", &style);
    bench_page_close(canvas, report, "figure-3");
    free(pixels);
    lf_globe_destroy(globe);
}

// ---------------------------------------------------------------------------------------------------
// Figure 6: what the camera shows, with and without response
// ---------------------------------------------------------------------------------------------------

#define FRAMES 1500
#define SPEED 150.0

/// A flight at the same height around the axis, and what the response makes of it.
typedef struct flight {
    lf_vec3 without[FRAMES], with[FRAMES];
    double km[FRAMES], ground[FRAMES], height_without[FRAMES], height_with[FRAMES];
    int deepest; ///< frame in which the first is deepest in the ground
} flight;

static void fly(const lf_globe *globe, flight *f) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_vec3 *start = globe_flight(1);
    lf_camera camera = lf_camera_default();
    double depth = -LF_INFINITY, turn = SPEED / wgs84.radius;
    lf_geodetic place = lf_ellipsoid_to_geodetic(&wgs84, *start);
    place.height = globe_height(place.lon_deg, place.lat_deg) + 60;
    camera.position = lf_ellipsoid_to_centred(&wgs84, place);
    camera.clearance = GLOBE_RADIUS;
    camera.turn = (lf_vec3){0, 0, turn};
    lf_vec3 from = camera.position;
    for (int k = 0; k < FRAMES; k++) {
        double angle = turn * k / 60;
        f->without[k] = (lf_vec3){cos(angle) * from.x - sin(angle) * from.y,
                                  sin(angle) * from.x + cos(angle) * from.y, from.z};
        f->with[k] = camera.position;
        place = lf_ellipsoid_to_geodetic(&wgs84, f->without[k]);
        f->km[k] = 1e-3 * SPEED * k / 60;
        f->ground[k] = globe_height(place.lon_deg, place.lat_deg);
        f->height_without[k] = place.height;
        f->height_with[k] = lf_ellipsoid_to_geodetic(&wgs84, camera.position).height;
        if (f->ground[k] - place.height > depth) {
            depth = f->ground[k] - place.height;
            f->deepest = k;
        }
        lf_camera_result result;
        lf_camera_step(&camera, lf_globe_ground(globe), 1.0 / 60, &result);
    }
    free(start);
}

static void draw_view(lf_canvas *canvas, lf_rect area, const lf_globe *globe, lf_render_def def,
                      const char *text) {
    lf_error error = {LF_OK, -1, ""};
    lf_text_style style = lf_text_style_default();
    def.ellipsoid = lf_ellipsoid_wgs84();
    def.low = 0;
    def.high = 2850;
    def.fov_deg = 70;
    def.samples = 1;
    def.shadows = 0;
    if (lf_canvas_render(canvas, area, lf_globe_ground(globe), &def, &error) != LF_OK)
        bench_stop("a view cannot be drawn: %s", error.text);
    style.height = 16;
    style.halo = lf_colour_of(0xffffff);
    lf_canvas_text(canvas, (lf_vec2){area.x + 8, area.y + 20}, text, &style);
}

static void figure_6(const bench_report *report) {
    enum { WIDE = 420, HIGH = 260 };
    lf_canvas *canvas = bench_page_open(report, 2 * WIDE + 4, 2 * HIGH + 4);
    if (!canvas)
        return;
    flight *f = bench_take(1, sizeof *f);
    lf_globe *globe = globe_open();
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    globe_load(globe, 400);
    fly(globe, f);
    int k = f->deepest > 60 ? f->deepest : 60;
    lf_render_def def = lf_render_def_default();
    for (int n = 0; n < 4; n++) {
        lf_vec3 eye = n == 2 ? f->without[k] : f->with[n < 2 ? 0 : k],
                ahead = lf_vec3_sub(f->without[1], f->without[0]);
        lf_vec3 up = lf_vec3_scale(eye, 1 / lf_vec3_length(eye));
        ahead = lf_vec3_scale(ahead, 1 / lf_vec3_length(ahead));
        if (n < 2) // the snapshots, from 8 and from 1 km higher
            eye = lf_vec3_along(eye, n == 0 ? 8000 : 1000, up);
        def.eye = eye;
        def.target = lf_vec3_along(lf_vec3_along(eye, 1000, ahead), n == 0 ? -700 : n == 1 ? -350 : -60, up);
        static const char *const texts[] = {"(a) from 8 km", "(b) from 1 km",
                                            "(c) without response: inside the mountain", "(d) with response"};
        draw_view(canvas, (lf_rect){(n & 1) * (WIDE + 4), (n >> 1) * (HIGH + 4), WIDE, HIGH}, globe, def,
                  texts[n]);
    }
    bench_page_close(canvas, report, "figure-6");
    static const char *const series[] = {"ground", "without response", "with response"};
    bench_figure figure = {.name = "figure-6-heights",
                           .title = "The flight of Figure 6",
                           .x = "kilometres",
                           .y = "metres",
                           .series = series,
                           .series_count = 3,
                           .at = f->km,
                           .count = FRAMES,
                           .values = {f->ground, f->height_without, f->height_with},
                           .free = true};
    bench_figure_draw(&figure, report);
    int below[2] = {0, 0};
    for (int i = 0; i < FRAMES; i++) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&wgs84, f->with[i]);
        below[0] += f->height_without[i] < f->ground[i];
        below[1] += place.height < globe_height(place.lon_deg, place.lat_deg) - 1;
    }
    printf("Figure 6: below the ground in %d of %d frames without response, in %d with it\n", below[0],
           FRAMES, below[1]);
    lf_globe_destroy(globe);
    free(f);
}

void globe_published(bench_report *report) {
    table_1(report);
    figure_3(report);
    figure_6(report);
}
