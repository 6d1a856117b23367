#include "matrix_data.h"
#include "support.h"
#include <gdal.h>
#include <landfall/ground.h>
#include <landfall/store.h>
#include <ogr_srs_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1201  // samples of a .hgt file
#define CORNER 600 // first column and row of the window
#define VOID_I 3   // the sample without a height
#define VOID_J 16
#define NODATA -32768

/// Whole metres: every codec keeps them. i counts columns from the west, j rows from the north.
static int height_at(int i, int j) {
    int x = i - 9, y = j - 8;
    return 1000 + 400 / (1 + (x * x + y * y) / 6) + (i * 7 + j * 13) % 11;
}

static int sample_at(int i, int j) {
    return i == VOID_I && j == VOID_J ? NODATA : height_at(i, j);
}

static void write_hgt(void) {
    uint8_t *bytes = malloc((size_t)2 * SIDE * SIDE);
    assert_non_null(bytes);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            int inside =
                i >= CORNER && i < CORNER + MATRIX_COLUMNS && j >= CORNER && j < CORNER + MATRIX_ROWS;
            uint16_t value = (uint16_t)(inside ? sample_at(i - CORNER, j - CORNER) : 0);
            bytes[2 * (j * SIDE + i)] = (uint8_t)(value >> 8);
            bytes[2 * (j * SIDE + i) + 1] = (uint8_t)(value & 255);
        }
    FILE *file = fopen("N45E006.hgt", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 2, (size_t)SIDE * SIDE, file), SIDE * SIDE);
    fclose(file);
    free(bytes);
}

/// How a raster lies: geotransform, CRS, and which of its samples a pixel is.
typedef struct plan {
    const char *path;
    double place[6]; ///< all 0: none
    const char *crs; ///< or NULL
    const char *unit;
    bool transposed, south_up, point;
} plan;

static void write_raster(const plan *plan) {
    int width = plan->transposed ? MATRIX_ROWS : MATRIX_COLUMNS,
        height = plan->transposed ? MATRIX_COLUMNS : MATRIX_ROWS;
    GDALDatasetH file =
        GDALCreate(GDALGetDriverByName("GTiff"), plan->path, width, height, 1, GDT_Int16, NULL);
    assert_non_null(file);
    double place[6];
    memcpy(place, plan->place, sizeof place);
    if (place[1] != 0 || place[2] != 0)
        assert_int_equal(GDALSetGeoTransform(file, place), CE_None);
    if (plan->crs) {
        OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
        assert_int_equal(OSRSetFromUserInput(system, plan->crs), OGRERR_NONE);
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
        assert_int_equal(GDALSetSpatialRef(file, system), CE_None);
        OSRDestroySpatialReference(system);
    }
    if (plan->point)
        GDALSetMetadataItem(file, "AREA_OR_POINT", "Point", NULL);
    GDALRasterBandH band = GDALGetRasterBand(file, 1);
    GDALSetRasterNoDataValue(band, NODATA);
    GDALSetRasterUnitType(band, plan->unit);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = plan->transposed ? y : x, j = plan->transposed ? x : y;
            int16_t value = (int16_t)sample_at(i, plan->south_up ? MATRIX_ROWS - 1 - j : j);
            assert_int_equal(GDALRasterIO(band, GF_Write, x, y, 1, 1, &value, 1, 1, GDT_Int16, 0, 0),
                             CE_None);
        }
    GDALClose(file);
}

/// The triangles of utm.tif as landfall takes them by default: each cell cut from its upper left to its lower right corner.
static void write_polygons(void) {
    FILE *obj = fopen("tin.obj", "w"), *ply = fopen("tin.ply", "w");
    int cells = 0;
    assert_true(obj && ply);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            fprintf(ply,
                    "ply\nformat ascii 1.0\nelement vertex %d\nproperty double x\nproperty double "
                    "y\nproperty double "
                    "z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n",
                    MATRIX_COLUMNS * MATRIX_ROWS, 2 * cells);
        for (int j = 0; j < MATRIX_ROWS && pass == 1; j++)
            for (int i = 0; i < MATRIX_COLUMNS; i++) {
                int x = 500015 + 30 * i, y = 4999985 - 30 * j, z = height_at(i, j);
                fprintf(obj, "v %d %d %d\n", x, y, z);
                fprintf(ply, "%d %d %d\n", x, y, z);
            }
        for (int j = 0; j + 1 < MATRIX_ROWS; j++)
            for (int i = 0; i + 1 < MATRIX_COLUMNS; i++) {
                int a = j * MATRIX_COLUMNS + i, b = a + 1, c = a + MATRIX_COLUMNS, d = c + 1;
                if ((i == VOID_I || i + 1 == VOID_I) && (j == VOID_J || j + 1 == VOID_J))
                    continue;
                cells += pass == 0;
                if (pass == 0)
                    continue;
                fprintf(obj, "f %d %d %d\nf %d %d %d\n", a + 1, c + 1, d + 1, a + 1, d + 1, b + 1);
                fprintf(ply, "3 %d %d %d\n3 %d %d %d\n", a, c, d, a, d, b);
            }
    }
    fclose(obj);
    fclose(ply);
}

/// Two level grids, one beside the other: what the command reads but does not build.
static void write_group(void) {
    int16_t level[24 * 20];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    lf_group *group;
    for (int i = 0; i < 24 * 20; i++)
        level[i] = 1100;
    def.samples.type = LF_SAMPLE_INT16;
    def.samples.values = level;
    def.samples.columns = 24;
    def.samples.rows = 20;
    def.geotransform = (lf_geotransform){{500015, 4999415}, {30, 0}, {0, 30}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    lf_group_part parts[2] = {{.ground = ground, .pose = lf_pose_identity()},
                              {.ground = ground, .pose = lf_pose_identity()}};
    parts[1].pose.translation = (lf_vec3){690, 0, 0};
    lf_group_def group_def = lf_group_def_default();
    group_def.parts = parts;
    group_def.part_count = 2;
    assert_int_equal(lf_group_create(&group_def, &group, NULL), LF_OK);
    lf_store_def store = lf_store_def_default();
    store.group = group;
    assert_int_equal(lf_store_write("group.lf", &store, NULL), LF_OK);
    lf_group_destroy(group);
    lf_grid_destroy(grid);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

void matrix_data_make(void) {
    const double step = 1.0 / 1200, west = 6 + (CORNER - 0.5) * step, north = 46 - (CORNER - 0.5) * step;
    const plan plans[] = {
        {"deg.tif", {west, step, 0, north, 0, -step}, "EPSG:4326", "m", false, false, true},
        {"utm.tif", {500000, 30, 0, 5000000, 0, -30}, "EPSG:32632", "m", false, false, false},
        {"south.tif", {500000, 30, 0, 4999400, 0, 30}, "EPSG:32632", "m", false, true, false},
        {"turned.tif", {500000, 0, 30, 5000000, -30, 0}, "EPSG:32632", "m", true, false, false},
        {"feet.tif", {6000000, 100, 0, 2000000, 0, -100}, "EPSG:2225", "ft", false, false, false},
        {"bare.tif", {0, 0, 0, 0, 0, 0}, NULL, "m", false, false, false},
    };
    GDALAllRegister();
    write_hgt();
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        write_raster(&plans[i]);
    write_polygons();
    write_group();
    write_text("block.obj", "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nv 0 0 2\nv 4 0 2\nv 4 3 2\nv 0 3 2\n"
                            "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_text(
        "town.world.json",
        "{\"landfall_world\": 1, \"parts\": [{\"raster\": \"utm.tif\"}, {\"box\": {\"size\": [40, 30, 20]}, "
        "\"place\": {\"x\": 500400, \"y\": 4999800, \"above\": 0}}]}");
    write_text(
        "earth.world.json",
        "{\"landfall_world\": 1, \"parts\": [{\"globe\": \"globe.lf\"}, {\"box\": {\"size\": [40, 30, 20]}, "
        "\"place\": {\"lon\": 6.51, \"lat\": 45.49, \"above\": 0}}]}");
    write_text("metres.csv", "x,y,height,name\n500200,4999700,2,west\n500500,4999800,2,east\n");
    write_text("degrees.csv", "x,y,height,name\n6.504,45.495,2,west\n6.515,45.49,2,east\n");
    write_text("hill.csv", "x,y,height,name\n7.94,46.93,2,west\n7.943,46.93,2,east\n");
    write_text("feet.csv", "x,y,height,name\n1828900,609500,2,west\n1829100,609450,2,east\n");
    write_text("bare.csv", "x,y,height,name\n6,9,2,west\n16,12,2,east\n");
    write_text("flight.csv", "0,6.504,45.495,3000\n1,6.506,45.494,3000\n");
}
