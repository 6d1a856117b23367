/// From a file to an answer: grids of rasters, asked as ground and drawn.
#include "picture/pixel.h"
#include "rasters.h"
#include <cpl_string.h>
#include <landfall/io.h>
#include <landfall/picture.h>

#define COLUMNS 40
#define ROWS 30

/// A grid made of a raster.
typedef struct held {
    lf_raster *raster;
    lf_grid *grid;
    const lf_ground *ground;
} held;

static held hold(const char *path, const lf_raster_def *def, lf_surface surface) {
    held held = {raster_read(path, def), NULL, NULL};
    lf_grid_def grid = lf_raster_grid_def(held.raster);
    lf_error error = {0};
    grid.surface = surface;
    if (lf_grid_create(&grid, &held.grid, &error) != LF_OK)
        fail_msg("%s: %s", path, error.text);
    held.ground = lf_grid_ground(held.grid);
    return held;
}

static void let_go(held *held) {
    lf_grid_destroy(held->grid);
    lf_raster_close(held->raster);
}

/// The heights at the samples of a whole cell against GDAL's samples of the same pixels.
static void check_cell(const char *path, const held *held, int x, int y) {
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    GDALRasterBandH band = GDALGetRasterBand(data, 1);
    lf_samples samples = lf_raster_grid_def(held->raster).samples;
    double place[6], values[4];
    GDALGetGeoTransform(data, place);
    assert_int_equal(GDALRasterIO(band, GF_Read, x, y, 2, 2, values, 2, 2, GDT_Float64, 0, 0), CE_None);
    for (int k = 0; k < 4; k++) {
        lf_vec3 point = {0, 0, LF_INFINITY};
        lf_hit hit;
        GDALApplyGeoTransform(place, x + k % 2 + 0.5, y + k / 2 + 0.5, &point.x, &point.y);
        assert_int_equal(lf_ground_height(held->ground, point, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        if (hit.kind == LF_HIT_NONE) { // a hole beside it, or in the place of it
            assert_int_equal(hit.reason, LF_REASON_HOLE);
            continue;
        }
        // The place is the sample's up to rounding, and the ground is not steeper than this there.
        double height = values[k] * samples.scale + samples.offset;
        assert_true(fabs(hit.point.z - height) <= 1e-5);
    }
    GDALClose(data);
}

static void answers_are_the_samples(void **state) {
    (void)state;
    static const char *const names[] = {
        "dem/N57E011.hgt",
        "dem/N43E007.hgt.zip",
        "dem/mt_everest_90m.tif",
        "dem/elev.tif",
        "dem/gdal-autotest/n43.dt0",
        "dem/gz-common/dem_landscape.tif",
        "dem/gz-common/dem_moon.tif",
        "dem/grass-elevation/elevation.nc",
        "dem/matplotlib/topobathy.tif",
        "dem/vtk-sthelens/SainteHelens.dem",
        "dem/landlab-asc/zSW3.asc",
        "dem/rio-rgbify/elev.tif",
    };
    test_random random = test_random_start(840);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lf_raster_def def = lf_raster_def_default();
        char path[4096];
        const char *found = test_data(names[i]);
        if (!found)
            return;
        snprintf(path, sizeof path, "%s", found);
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_BILINEAR;
             surface += LF_SURFACE_BILINEAR) {
            held held = hold(path, &def, (lf_surface)surface);
            lf_grid_info info = lf_grid_describe(held.grid);
            for (int k = 0; k < 20; k++) // not at the border, beyond which a place may be rounded
                check_cell(path, &held, 1 + (int)test_random_below(&random, info.columns - 3),
                           1 + (int)test_random_below(&random, info.rows - 3));
            let_go(&held);
        }
    }
}

/// The harbour of Gothenburg by longitude and latitude.
static void a_height_that_is_known(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    const char *path = test_data("dem/N57E011.hgt");
    lf_hit hit;
    if (!path)
        return;
    held held = hold(path, &def, LF_SURFACE_FALLING);
    lf_vec3 point = {11.9, 57.7, LF_INFINITY};
    assert_int_equal(lf_ground_height(held.ground, point, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
    assert_true(fabs(hit.point.z - 13) < 1e-9);
    let_go(&held);
}

/// A ray over degrees is the straight line in longitude, latitude and height: its hit lies on that line and on the ground.
static void rays_over_degrees(void **state) {
    (void)state;
    test_random random = test_random_start(841);
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    int hits = 0;
    plan.crs = "EPSG:4326";
    memcpy(plan.place, (double[6]){11, 0.01, 0, 58, 0, -0.01}, sizeof plan.place);
    for (int i = 0; i < COLUMNS * ROWS; i++)
        values[i] = test_random_between(&random, 0, 100);
    held held = hold(raster_file("degrees.tif", &plan, values), &def, LF_SURFACE_ALTERNATING);
    for (int i = 0; i < 200; i++) {
        lf_vec3 a = {test_random_between(&random, 11.01, 11.39), test_random_between(&random, 57.71, 57.99),
                     200};
        lf_vec3 b = {test_random_between(&random, 11.01, 11.39), test_random_between(&random, 57.71, 57.99),
                     -100};
        lf_ray ray = lf_ray_between(a, b);
        lf_hit hit, below;
        assert_int_equal(lf_ground_ray_first(held.ground, &ray, &hit, NULL), LF_OK);
        assert_true(hit.kind != LF_HIT_NONE);
        lf_vec3 over = {hit.point.x, hit.point.y, LF_INFINITY};
        assert_int_equal(lf_ground_height(held.ground, over, LF_VERTICAL_DOWN, &below, NULL), LF_OK);
        assert_true(fabs(below.point.z - hit.point.z) < 1e-6);
        assert_true(fabs(hit.point.x - (a.x + hit.t * (b.x - a.x))) < 1e-12);
        hits++;
    }
    assert_int_equal(hits, 200);
    let_go(&held);
}

// ---------------------------------------------------------------------------------------------------
// Relief
// ---------------------------------------------------------------------------------------------------

static lf_canvas *new_canvas(int64_t width, int64_t height) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

static void fill_heights(float *values) {
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            values[j * COLUMNS + i] = (float)(100 * sin(0.3 * i) * cos(0.2 * j) + 3 * i);
}

static lf_grid *grid_of(const lf_heights *heights, lf_sample_type type, const void *values) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    def.samples.type = type;
    def.samples.values = values;
    def.samples.columns = heights->columns;
    def.samples.rows = heights->rows;
    def.geotransform =
        (lf_geotransform){{heights->x_low, heights->y_low}, {heights->spacing, 0}, {0, heights->spacing}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static int64_t count_different(const lf_canvas *a, const lf_canvas *b, int64_t width, int64_t height) {
    int64_t count = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            lf_colour p = lf__canvas_pixel(a, x, y), q = lf__canvas_pixel(b, x, y);
            count += p.red != q.red || p.green != q.green || p.blue != q.blue;
        }
    return count;
}

/// The relief of a grid is that of the same heights, near and far.
static void a_grid_is_drawn_as_its_heights(void **state) {
    (void)state;
    float values[COLUMNS * ROWS];
    fill_heights(values);
    lf_heights heights = {values, COLUMNS, ROWS, COLUMNS, 100, 200, 8, NULL, NULL};
    lf_box box = {{100, 200, 0}, {100 + 8.0 * (COLUMNS - 1), 200 + 8.0 * (ROWS - 1), 0}};
    lf_relief_def relief = lf_relief_def_default();
    lf_grid *grid = grid_of(&heights, LF_SAMPLE_FLOAT, values);
    for (int64_t width = 15; width <= 240; width *= 4) {
        lf_canvas *a = new_canvas(width, width), *b = new_canvas(width, width);
        lf_map_axes view = lf_map_axes_fit((lf_rect){0, 0, (double)width, (double)width}, box);
        assert_int_equal(lf_canvas_relief(a, &view, &heights, &relief, NULL), LF_OK);
        assert_int_equal(lf_canvas_grid(b, &view, grid, &relief, NULL), LF_OK);
        // A place on a border may round to either side of it.
        assert_true(count_different(a, b, width, width) <= width / 8);
        lf_canvas_destroy(b);
        lf_canvas_destroy(a);
    }
    lf_grid_destroy(grid);
}

/// Holes stay as the canvas was; integers are drawn as well; a turned grid leaves the corners.
static void holes_and_turns_are_drawn(void **state) {
    (void)state;
    int16_t values[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++)
        values[i] = (int16_t)(i % COLUMNS >= 10 && i % COLUMNS < 20 ? -1 : 500);
    lf_grid_def def = lf_grid_def_default();
    lf_relief_def relief = lf_relief_def_default();
    lf_grid *grid = NULL;
    def.samples = (lf_samples){LF_SAMPLE_INT16, values, COLUMNS, ROWS, 0, 0, 1, 0, -1, NULL, 0};
    def.geotransform = (lf_geotransform){{0, 0}, {2, 0}, {0, 5}}; // long cells
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_canvas *canvas = new_canvas(156, 290);
    lf_colour paper = lf__canvas_pixel(canvas, 0, 0);
    lf_map_axes view = {{0, 0, 156, 290}, 0, 78, 0, 145};
    assert_int_equal(lf_canvas_grid(canvas, &view, grid, &relief, NULL), LF_OK);
    lf_colour hole = lf__canvas_pixel(canvas, 60, 100), land = lf__canvas_pixel(canvas, 120, 100);
    assert_memory_equal(&hole, &paper, sizeof paper);
    assert_true(memcmp(&land, &paper, sizeof paper) != 0);
    lf_grid_destroy(grid);
    def.geotransform = (lf_geotransform){{39, 0}, {1, 1}, {-1, 1}}; // on its corner
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_canvas *turned = new_canvas(200, 200);
    lf_map_axes wide = {{0, 0, 200, 200}, 0, 80, -10, 70};
    assert_int_equal(lf_canvas_grid(turned, &wide, grid, &relief, NULL), LF_OK);
    lf_colour corner = lf__canvas_pixel(turned, 1, 198);
    assert_memory_equal(&corner, &paper, sizeof paper);
    lf_vec2 at = lf_map_axes_to_pixel(&wide, 39 + 5 - 5, 5 + 5); // column 5, row 5
    land = lf__canvas_pixel(turned, (int64_t)at.x, (int64_t)at.y);
    assert_true(memcmp(&land, &paper, sizeof paper) != 0);
    assert_int_equal(lf_canvas_grid(turned, &wide, NULL, &relief, NULL), LF_BAD_ARGUMENT);
    lf_canvas_destroy(turned);
    lf_canvas_destroy(canvas);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_samples),   cmocka_unit_test(a_height_that_is_known),
        cmocka_unit_test(rays_over_degrees),         cmocka_unit_test(a_grid_is_drawn_as_its_heights),
        cmocka_unit_test(holes_and_turns_are_drawn),
    };
    return cmocka_run_group_tests_name("io raster grid", tests, raster_folder, test_folder_remove);
}
