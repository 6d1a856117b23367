/// World files: parts, places, CRS, and what is refused.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAND "{\"raster\": \"land.asc\"}"
#define WORLD(parts) "{\"landfall_world\": 1, \"parts\": [" parts "]}"

static const char land[] = "ncols 5\nnrows 5\nxllcenter 0\nyllcenter 0\ncellsize 10\n"
                           "0 1 2 3 4\n5 6 7 8 9\n9 8 7 6 5\n4 3 2 1 0\n1 1 1 1 1\n";

#define SQUARE(id, low, high, fields)                                                              \
    "{\"type\": \"Feature\", \"id\": " id ", \"properties\": {" fields                             \
    "}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[" low "," low "],[" high "," low \
    "],[" high "," high "],[" low "," high "],[" low "," low "]]]}}"
#define FEATURES(list) "{\"type\": \"FeatureCollection\", \"features\": [" list "]}"

static int make_files(void **state) {
    if (test_folder_make(state) != 0)
        return -1;
    test_text_file("land.asc", land);
    test_text_file("cube.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    test_text_file("good.geojson", FEATURES(SQUARE("3", "5", "15", "\"h\": 7, \"n\": 2")));
    test_text_file("low.geojson",
                   FEATURES(SQUARE("1", "5", "15", "\"h\": 7") "," SQUARE("4", "20", "30", "\"h\": -2")));
    test_text_file("none.geojson",
                   FEATURES(SQUARE("1", "5", "15", "\"h\": 7") "," SQUARE("6", "20", "30", "\"h\": null")));
    test_text_file("text.geojson", FEATURES(SQUARE("1", "5", "15", "\"h\": \"7.5\"") "," SQUARE(
                                       "2", "20", "30", "\"h\": \"tall\"")));
    test_text_file("out.geojson",
                   FEATURES(SQUARE("1", "5", "15", "\"h\": 7") "," SQUARE("9", "30", "50", "\"h\": 3")));
    test_text_file("bow.geojson",
                   "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"id\": 12, "
                   "\"properties\": {\"h\": 3}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": "
                   "[[[0,0],[10,10],[10,0],[0,10],[0,0]]]}}]}");
    test_text_file("hole.geojson",
                   "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"id\": 13, "
                   "\"properties\": {\"h\": 3}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": "
                   "[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[20,20],[21,20],[21,21],[20,20]]]}}]}");
    test_text_file(
        "point.geojson",
        "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"id\": 14, "
        "\"properties\": {\"h\": 3}, \"geometry\": {\"type\": \"Point\", \"coordinates\": [1,2]}}]}");
    test_text_file("ring.world.json", WORLD("{\"world\": \"outer.world.json\", \"place\": \"own\"}"));
    test_text_file("outer.world.json", WORLD(LAND ", {\"world\": \"ring.world.json\", \"place\": \"own\"}"));
    return 0;
}

static lf_world_file *opened(const char *text) {
    lf_world_file *world = NULL;
    lf_error error = {0};
    if (lf_world_file_open(test_text_file("any.world.json", text), NULL, &world, &error) != LF_OK)
        fail_msg("%s", error.text);
    return world;
}

static lf_hit height_at(const lf_world_file *world, double x, double y) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(lf_world_file_describe(world).ground, (lf_vec3){x, y, INFINITY},
                                      LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    return hit;
}

// ---- Refusals -----------------------------------------------------------------------------------

typedef struct refusal {
    const char *text, *words;
    lf_status status;
} refusal;

#define BUILT(members) WORLD(LAND ", {\"crs\": \"world\", \"buildings\": {" members "}}")

static const refusal refusals[] = {
    {"", "0 bytes: no world file", LF_BAD_FORMAT},
    {"{\"landfall_world\": 1,\n \"parts\": }", "line 2: ", LF_BAD_FORMAT},
    {"[]", "no world file: expected an object", LF_BAD_FORMAT},
    {"{\"landfall_world\": 2, \"parts\": []}", "landfall_world: 2: expected 1", LF_UNSUPPORTED},
    {"{\"landfall_world\": 1, \"parts\": []}", "parts: expected a list of at least one part", LF_BAD_FORMAT},
    {"{\"landfall_world\": 1, \"part\": []}", "part: unknown key: expected landfall_world, name",
     LF_BAD_FORMAT},
    {"{\"landfall_world\": 1, \"crs\": \"EPSG:0\", \"parts\": [" LAND "]}", "crs: EPSG:0: no coordinate",
     LF_BAD_FORMAT},
    {"{\"landfall_world\": 1, \"crs\": \"EPSG:4326\", \"parts\": [" LAND "]}",
     "crs: EPSG:4326: expected a projected", LF_BAD_FORMAT},
    {WORLD("7"), "parts[0]: expected an object", LF_BAD_FORMAT},
    {WORLD("{}"), "parts[0]: expected raster, mesh", LF_BAD_FORMAT},
    {WORLD("{\"raster\": \"land.asc\", \"mesh\": \"cube.obj\"}"), "parts[0]: has raster and mesh",
     LF_BAD_FORMAT},
    {WORLD("{\"rastr\": \"land.asc\"}"), "parts[0].rastr: unknown key", LF_BAD_FORMAT},
    {WORLD("{\"raster\": 3}"), "parts[0].raster: 3: expected a text", LF_BAD_FORMAT},
    {WORLD(LAND ", {\"raster\": \"gone.tif\"}"), "parts[1].raster: ", LF_IO_FAILED},
    {WORLD("{\"raster\": \"land.asc\", \"band\": 1.5}"), "parts[0].band: 1.5: expected", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\"}"), "parts[0].place: is missing: a mesh needs a place", LF_BAD_FORMAT},
    {WORLD("{\"box\": {\"size\": [1, 1, 1]}}"), "parts[0].place: is missing: a box needs a place",
     LF_BAD_FORMAT},
    {WORLD("{\"box\": {\"size\": [1, 0, 1]}, \"place\": \"own\"}"), "parts[0].box.size: 1 by 0 by 1",
     LF_BAD_FORMAT},
    {WORLD("{\"box\": {\"size\": [1, 1]}, \"place\": \"own\"}"),
     "parts[0].box.size: [1,1]: expected three numbers", LF_BAD_FORMAT},
    {WORLD("{\"box\": {\"low\": [1, 1, 1]}, \"place\": \"own\"}"),
     "parts[0].box: expected size, or low and high", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"x\": 1}}"), "parts[0].place: expected x and y",
     LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"x\": 1, \"y\": 2}}"),
     "parts[0].place: expected either z or above", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"x\": 1, \"y\": 2, \"z\": 3, \"w\": 4}}"),
     "parts[0].place.w: unknown key", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"x\": \"1\", \"y\": 2, \"z\": 3}}"),
     "parts[0].place.x: \"1\": expected a number", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"lon\": 1, \"lat\": 2, \"height\": 3}}"),
     "parts[0].place.lon: the world has no crs", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"place\": {\"x\": 1, \"y\": 2, \"above\": 3}}"),
     "parts[0].place.above: there is no ground at 1,2", LF_BAD_FORMAT},
    {WORLD(LAND ", {\"mesh\": \"cube.obj\", \"place\": {\"x\": 1, \"y\": 200, \"above\": 3}}"),
     "parts[1].place.above: there is no ground at 1,200", LF_BAD_FORMAT},
    {WORLD("{\"raster\": \"land.asc\", \"layers\": 0}"), "parts[0].layers: 0: expected a whole number",
     LF_BAD_FORMAT},
    {WORLD("{\"raster\": \"land.asc\", \"user\": -1}"), "parts[0].user: -1: expected a whole number",
     LF_BAD_FORMAT},
    {WORLD("{\"raster\": \"land.asc\", \"vertical\": \"EGM96\"}"),
     "parts[0].vertical: heights above EGM96 in a world of heights above an unknown datum", LF_BAD_FORMAT},
    {"{\"landfall_world\": 1, \"crs\": \"EPSG:32633\", \"parts\": [{\"raster\": \"land.asc\", \"crs\": "
     "\"EPSG:32634\"}]}",
     "parts[0].raster: its CRS is WGS 84 / UTM zone 34N, the world's is WGS 84 / UTM zone 33N",
     LF_BAD_FORMAT},
    {WORLD("{\"raster\": \"land.asc\", \"crs\": \"EPSG:4326\"}"), "parts[0].raster: x and y are degrees",
     LF_BAD_FORMAT},
    {WORLD("{\"globe\": \"cube.obj\"}"), "parts[0].globe: ", LF_IO_FAILED},
    {WORLD("{\"world\": \"outer.world.json\", \"place\": \"own\"}"), "contains itself", LF_BAD_FORMAT},
    {BUILT("\"height\": \"h\""), "parts[1].buildings.file: is missing", LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\""), "parts[1].buildings.height: is missing", LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\", \"hieght\": \"h\""), "parts[1].buildings.hieght: unknown key",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\", \"height\": -4"), "parts[1].buildings.height: -4: expected",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\", \"height\": \"x\""), "has no field \"x\"", LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\", \"height\": \"h\", \"layer\": \"q\""),
     "parts[1].buildings.layer: ", LF_BAD_FORMAT},
    {BUILT("\"file\": \"good.geojson\", \"height\": \"h\", \"outside\": \"q\""),
     "parts[1].buildings.outside: \"q\"", LF_BAD_FORMAT},
    {BUILT("\"file\": \"gone.geojson\", \"height\": \"h\""), "No such file or directory", LF_IO_FAILED},
    {BUILT("\"file\": \"land.asc\", \"height\": \"h\""), "no vector file that GDAL reads", LF_BAD_FORMAT},
    {BUILT("\"file\": \"low.geojson\", \"height\": \"h\""), "feature 4: \"-2\": expected a number above 0",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"none.geojson\", \"height\": \"h\""), "feature 6: has none", LF_BAD_FORMAT},
    {BUILT("\"file\": \"text.geojson\", \"height\": \"h\""), "feature 2: \"tall\": expected", LF_BAD_FORMAT},
    {BUILT("\"file\": \"bow.geojson\", \"height\": \"h\""), "feature 12: its edges cross or touch",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"hole.geojson\", \"height\": \"h\""), "feature 13: a hole is outside its outline",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"point.geojson\", \"height\": \"h\""), "feature 14: expected a polygon, not POINT",
     LF_BAD_FORMAT},
    {BUILT("\"file\": \"out.geojson\", \"height\": \"h\""), "feature 9: a part of its outline has no ground",
     LF_BAD_FORMAT},
    {WORLD(LAND ", {\"buildings\": {\"file\": \"good.geojson\", \"height\": \"h\"}}"),
     "and the world has none: give", LF_BAD_FORMAT},
    {WORLD("{\"mesh\": \"cube.obj\", \"crs\": \"EPSG:32633\", \"place\": \"own\"}"),
     "parts[0].place: its crs says where", LF_BAD_FORMAT},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        lf_world_file *world = NULL;
        lf_error error = {0};
        const char *path = test_text_file("bad.world.json", refusals[i].text);
        lf_status status = lf_world_file_open(path, NULL, &world, &error);
        if (status != refusals[i].status || world || !strstr(error.text, refusals[i].words))
            fail_msg("%s\n%s (%s), expected %s", refusals[i].text, error.text, lf_status_name(status),
                     refusals[i].words);
    }
}

// ---- Answers ------------------------------------------------------------------------------------

/// A world of one part answers as the part, bit for bit.
static void single(void **state) {
    (void)state;
    lf_world_file *world = opened(WORLD(LAND));
    lf_world_file_info info = lf_world_file_describe(world);
    assert_non_null(info.grid);
    assert_int_equal(info.part_count, 1);
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    lf_raster_def def = lf_raster_def_default();
    assert_int_equal(lf_raster_read(test_path("land.asc"), &def, &raster, NULL), LF_OK);
    lf_grid_def grid_def = lf_raster_grid_def(raster);
    assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
    test_random random = test_random_start(1);
    for (int i = 0; i < 200; i++) {
        lf_vec3 at = {test_random_between(&random, -1, 41), test_random_between(&random, -1, 41), INFINITY};
        lf_hit own, hit = height_at(world, at.x, at.y);
        assert_int_equal(lf_ground_height(lf_grid_ground(grid), at, LF_VERTICAL_DOWN, &own, NULL), LF_OK);
        assert_int_equal(hit.kind, own.kind);
        assert_memory_equal(&hit.point, &own.point, sizeof own.point);
    }
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    lf_world_file_close(world);
    lf_world_file_close(NULL);
}

static void places(void **state) {
    (void)state;
    lf_world_file *world = opened(WORLD(
        LAND
        ", {\"model\": \"cube.obj\", \"place\": {\"x\": 10, \"y\": 10, \"above\": 1}, \"user\": 5, "
        "\"layers\": 4}"
        ", {\"model\": \"cube.obj\", \"place\": {\"x\": 30, \"y\": 30, \"z\": 20, \"heading\": 90}}"
        ", {\"box\": {\"size\": [4, 2, 3]}, \"place\": {\"x\": 20, \"y\": 30, \"above\": 0, \"heading\": 90}}"
        ", {\"mesh\": \"cube.obj\", \"place\": \"own\", \"vertical\": \"tide\", \"vertical_offset\": 100}"));
    assert_null(lf_world_file_describe(world).grid);
    lf_hit hit = height_at(world, 11, 11);
    assert_true(hit.part == 1 && hit.user == 5 && hit.layers == 4);
    assert_true(hit.point.z == 3 + 1 + 2); // the land at 10,10 is 3
    // Turned to the east, what lay ahead (y) lies at higher x, and what lay to the right at lower y.
    hit = height_at(world, 31, 29);
    assert_true(hit.part == 2 && hit.point.z == 22);
    assert_true(height_at(world, 31, 31).part == 0);
    hit = height_at(world, 20.5, 31.5);
    assert_true(hit.part == 3 && hit.point.z == 7 + 3);
    assert_true(height_at(world, 21.5, 30.5).part == 0);
    hit = height_at(world, 1, 1);
    assert_true(hit.part == 4 && hit.point.z == 102);
    lf_world_file_close(world);
}

static void storeys(void **state) {
    (void)state;
    lf_world_file *world =
        opened(BUILT("\"file\": \"good.geojson\", \"storeys\": \"n\", \"storey_height\": 4"));
    // The lowest ground is from 10,5 to 15,5.
    assert_true(fabs(height_at(world, 10, 10).point.z - (2 + 8)) < 1e-12);
    lf_world_file_close(world);
    world = opened(BUILT("\"file\": \"none.geojson\", \"height\": \"h\", \"default_height\": 40"));
    assert_true(height_at(world, 25, 25).point.z > 40);
    lf_world_file_close(world);
    world = opened(BUILT("\"file\": \"out.geojson\", \"height\": \"h\", \"outside\": \"skip\""));
    assert_int_equal(lf_world_file_describe(world).building_count, 1);
    lf_world_file_close(world);
}

static void nested(void **state) {
    (void)state;
    test_text_file(
        "part.world.json",
        WORLD(LAND ", {\"box\": {\"size\": [4, 4, 4]}, \"place\": {\"x\": 20, \"y\": 20, \"above\": 0}}"));
    lf_world_file *world =
        opened(WORLD("{\"world\": \"part.world.json\", \"place\": {\"x\": 1000, \"y\": 0, \"z\": 50}}"));
    lf_hit hit = height_at(world, 1020, 20);
    assert_true(hit.point.z == 7 + 4 + 50 && hit.part == 0 && hit.inner == 1);
    lf_world_file_close(world);
}

/// Footprints in longitude and latitude stand where PROJ puts their corners on the map.
static void reprojected(void **state) {
    (void)state;
    const char *box =
        "[[[15.0001,0.0001],[15.0003,0.0001],[15.0003,0.0003],[15.0001,0.0003],[15.0001,0.0001]]]";
    char text[512];
    snprintf(text, sizeof text, "%s%s%s",
             "{\"type\": \"Feature\", \"id\": 1, \"properties\": {}, \"geometry\": {\"type\": \"Polygon\", "
             "\"coordinates\": ",
             box, "}}");
    test_text_file("lonlat.geojson", text);
    lf_world_file *world =
        opened("{\"landfall_world\": 1, \"crs\": \"EPSG:32633\", \"parts\": [{\"buildings\": {\"file\": "
               "\"lonlat.geojson\", \"height\": 9}}]}");
    lf_crs_transform *way = NULL;
    assert_int_equal(lf_crs_transform_create("OGC:CRS84", "EPSG:32633", NULL, &way, NULL), LF_OK);
    lf_vec3 in = {15.00011, 0.00011, 0}, out = {15.00009, 0.00011, 0};
    lf_crs_transform_points(way, &in, 0, 1, false);
    lf_crs_transform_points(way, &out, 0, 1, false);
    lf_crs_transform_destroy(way);
    assert_true(height_at(world, in.x, in.y).point.z == 9);
    assert_int_equal(height_at(world, out.x, out.y).kind, LF_HIT_NONE);
    lf_world_file_close(world);
}

// ---- CityJSON -----------------------------------------------------------------------------------

/// A text of CityJSON whose object "x" has one geometry, and vertices 0 .. 7 of a cube of 10 m, then a point on its top.
#define CITY(more, geometry)                                                                                 \
    "{\"type\": \"CityJSON\", \"version\": \"1.1\", " more                                                   \
    "\"CityObjects\": {\"x\": {\"type\": \"Building\", "                                                     \
    "\"geometry\": [" geometry "]}}, \"vertices\": [[0,0,0],[10,0,0],[10,10,0],[0,10,0],[0,0,10],[10,0,10]," \
    "[10,10,10],[0,10,10],[5,5,10]]}"
#define CUBE                                                 \
    "{\"type\": \"Solid\", \"lod\": \"1\", \"boundaries\": " \
    "[[[[3,2,1,0]],[[4,5,6,7]],[[0,1,5,4]],[[1,2,6,5]],"     \
    "[[2,3,7,6]],[[3,0,4,7]]]]}"
#define IN_UTM "\"metadata\": {\"referenceSystem\": \"https://www.opengis.net/def/crs/EPSG/0/32633\"}, "

/// examples/worlds/hall.city.json
static const char hall[] =
    "{\"type\":\"CityJSON\",\"version\":\"2.0\",\"transform\":{\"scale\":[0.5,0.5,0.5],\"translate\":[1"
    "00,200,0]},\"CityObjects\":{\"hall\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"Solid\",\"lod"
    "\":\"2.2\",\"boundaries\":[[[[0,1,2,3],[7,6,5,4]],[[11,10,9,8],[12,13,14,15]],[[8,9,1,0]]"
    ",[[9,10,2,1]],[[10,11,3,2]],[[11,8,0,3]],[[4,5,13,12]],[[5,6,14,13]],[[6,7,15,14]],["
    "[7,4,12,15]]]]}]},\"bench\":{\"type\":\"CityFurniture\",\"geometry\":[{\"type\":\"MultiPoint\",\""
    "lod\":\"1\",\"boundaries\":[0]}]},\"house\":{\"type\":\"Building\",\"geometry\":[{\"type\":\"MultiSu"
    "rface\",\"lod\":\"1.0\",\"boundaries\":[[[26,27,28,29]]]},{\"type\":\"MultiSurface\",\"lod\":\"2.0"
    "\",\"boundaries\":[[[16,17,18,19]],[[20,21,19,18]],[[22,23,17,16]],[[24,25,21,20]],[[23"
    ",24,20,18,17]],[[25,22,16,19,21]],[[22,25,24,23]]]}]}},\"vertices\":[[0,0,14],[60,0,14"
    "],[60,40,14],[0,40,14],[20,10,14],[40,10,14],[40,30,14],[20,30,14],[0,0,0],[60,0,0],"
    "[60,40,0],[0,40,0],[20,10,0],[40,10,0],[40,30,0],[20,30,0],[80,0,10],[100,0,10],[100"
    ",10,16],[80,10,16],[100,20,10],[80,20,10],[80,0,0],[100,0,0],[100,20,0],[80,20,0],[8"
    "0,0,198],[100,0,198],[100,20,198],[80,20,198]]}";

/// The hall is the same body as its footprint extruded; the house has a roof of two slopes.
static void cities(void **state) {
    (void)state;
    test_text_file("hall.city.json", hall);
    lf_world_file *city = opened(WORLD("{\"cityjson\": \"hall.city.json\", \"place\": \"own\"}"));
    test_text_file(
        "hall.geojson",
        "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"id\": 1, "
        "\"properties\": {}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": "
        "[[[100,200],[130,200],[130,220],[100,220],[100,200]],[[110,205],[110,215],[120,215],[120,205],"
        "[110,205]]]}}]}");
    lf_world_file *extruded =
        opened(WORLD("{\"crs\": \"world\", \"buildings\": {\"file\": \"hall.geojson\", \"height\": 7}}"));
    assert_int_equal(lf_world_file_describe(city).building_count, 2);
    const lf_ground *grounds[2] = {lf_world_file_describe(city).ground,
                                   lf_world_file_describe(extruded).ground};
    test_random random = test_random_start(2);
    int64_t hits = 0;
    for (int i = 0; i < 2000; i++) {
        lf_vec3 ends[2];
        for (int k = 0; k < 2; k++)
            ends[k] = (lf_vec3){test_random_between(&random, 98, 132), test_random_between(&random, 198, 222),
                                test_random_between(&random, -2, 9)};
        lf_ray ray = lf_ray_between(ends[0], ends[1]);
        lf_hit met[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(lf_ground_ray_first(grounds[k], &ray, &met[k], NULL), LF_OK);
        assert_int_equal(met[0].kind, met[1].kind);
        assert_true(fabs(met[0].t - met[1].t) < 1e-12 && met[0].user == met[1].user);
        assert_true(lf_vec3_length(lf_vec3_sub(met[0].normal, met[1].normal)) < 1e-12);
        hits += met[0].kind != LF_HIT_NONE;
    }
    assert_true(hits > 500);
    for (int i = 0; i <= 20; i++) { // across the ridge
        double y = 200 + 0.5 * i;
        lf_hit hit = height_at(city, 143, y);
        assert_true(fabs(hit.point.z - (8 - 0.6 * fabs(y - 205))) < 1e-12 && hit.user == 3);
    }
    lf_world_file_close(extruded);
    lf_world_file_close(city);
    test_text_file("there.city.json", CITY(IN_UTM, CUBE));
    city = opened(WORLD("{\"cityjson\": \"there.city.json\"}")); // the world takes over its CRS
    assert_string_equal(lf_world_file_describe(city).crs, "EPSG:32633");
    assert_true(height_at(city, 5, 6).point.z == 10 && height_at(city, 5, 6).user == 1);
    lf_world_file_close(city);
}

static const struct {
    const char *text, *words;
} bad_cities[] = {
    {"{", "line 1"},
    {"{\"type\": \"FeatureCollection\"}", "no CityJSON"},
    {CITY("\"transform\": {\"scale\": [1, 1]}, ", CUBE), "transform: expected scale and translate"},
    {CITY("\"metadata\": {\"referenceSystem\": \"here\"}, ", CUBE),
     "referenceSystem: \"here\": expected one"},
    {CITY("", "{\"type\": \"GeometryInstance\", \"template\": 0}"), "CityObjects.x: GeometryInstance"},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [[[0,1,99]]]}"),
     "x: a corner is no number of a vertex"},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [[[0,1]]]}"), "x: a ring has fewer than three"},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [[[0,1,1]]]}"), "x: "},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [[[4,6,5,7]]]}"), "x: its edges cross"},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [7]}"), "x: boundaries: expected lists"},
    {CITY("", "{\"type\": \"MultiSurface\", \"boundaries\": [[]]}"), "x: a surface has no rings"},
    {CITY("", "{\"type\": \"MultiPoint\", \"boundaries\": [0]}"), "has no surfaces"},
    {CITY(IN_UTM, CUBE), "place: the CRS EPSG:32633 says where it is"},
};

static void bad_city(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cities / sizeof *bad_cities; i++) {
        lf_world_file *world = NULL;
        lf_error error = {0};
        test_text_file("bad.city.json", bad_cities[i].text);
        const char *path =
            test_text_file("bad.world.json", WORLD("{\"cityjson\": \"bad.city.json\", \"place\": \"own\"}"));
        lf_status status = lf_world_file_open(path, NULL, &world, &error);
        if (status != LF_BAD_FORMAT || world || !strstr(error.text, bad_cities[i].words))
            fail_msg("%s\n%s (%s), expected %s", bad_cities[i].text, error.text, lf_status_name(status),
                     bad_cities[i].words);
    }
}

// ---- Scenes -------------------------------------------------------------------------------------

/// A scene that is a box of 2 m at (20, 20), as high as the land there and its number of metres more.
typedef struct fake_scenes {
    lf_group *made[4];
    int opened, closed;
} fake_scenes;

static lf_status open_fake(void *user, const char *path, const lf_ground *land, const lf_ground **ground,
                           void **scene, lf_error *error) {
    fake_scenes *fake = user;
    lf_hit hit = {0};
    (void)error;
    if (strstr(path, "bad"))
        return LF_BAD_FORMAT;
    if (land)
        assert_int_equal(lf_ground_height(land, (lf_vec3){20, 20, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                         LF_OK);
    lf_group_part part = {.pose = lf_pose_identity(), .box = {{19, 19, 0}, {21, 21, hit.point.z + 3}}};
    lf_group_def def = lf_group_def_default();
    def.parts = &part;
    def.part_count = 1;
    assert_int_equal(lf_group_create(&def, &fake->made[fake->opened], NULL), LF_OK);
    *ground = lf_group_ground(fake->made[fake->opened]);
    *scene = &fake->made[fake->opened++];
    return LF_OK;
}

static void close_fake(void *user, void *scene) {
    fake_scenes *fake = user;
    lf_group_destroy(*(lf_group **)scene);
    fake->closed++;
}

static void scenes(void **state) {
    (void)state;
    fake_scenes fake = {.opened = 0};
    lf_world_scenes hooks = {open_fake, close_fake, &fake};
    lf_world_file *world = NULL;
    lf_error error = {0};
    test_text_file("some.lua", "");
    test_text_file("bad.lua", "");
    const char *path = test_text_file(
        "scenes.world.json", WORLD(LAND ", {\"scene\": \"some.lua\", \"user\": 5}, {\"scene\": \"some.lua\", "
                                        "\"place\": {\"x\": 10, \"y\": 0, \"z\": 4}}"));
    assert_int_equal(lf_world_file_open_scenes(path, NULL, &hooks, &world, &error), LF_OK);
    lf_hit hit = height_at(world, 20, 20);
    assert_true(hit.point.z == 7 + 3 && hit.part == 1 && hit.user == 5);
    assert_true(height_at(world, 30, 20).point.z == 7 + 3 + 4);
    lf_world_file_close(world);
    assert_true(fake.opened == 2 && fake.closed == 2);
    world = NULL;
    assert_int_equal(lf_world_file_open(path, NULL, &world, &error), LF_UNSUPPORTED);
    assert_non_null(strstr(error.text, "parts[1].scene: "));
    path = test_text_file("scenes.world.json",
                          WORLD(LAND ", {\"scene\": \"some.lua\"}, {\"scene\": \"bad.lua\"}"));
    assert_int_equal(lf_world_file_open_scenes(path, NULL, &hooks, &world, &error), LF_BAD_FORMAT);
    assert_true(!world && fake.opened == 3 && fake.closed == 3 && strstr(error.text, "parts[2].scene"));
    assert_int_equal(lf_world_file_open_scenes(path, NULL, NULL, &world, &error), LF_BAD_ARGUMENT);
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_world_file *world = NULL;
    lf_status status = lf_world_file_open(user, host, &world, NULL);
    lf_world_file_close(world);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    test_out_of_memory(
        attempt,
        (void *)(uintptr_t)test_text_file(
            "memory.world.json",
            WORLD(LAND
                  ", {\"crs\": \"world\", \"buildings\": {\"file\": \"good.geojson\", \"height\": \"h\"}}"
                  ", {\"model\": \"cube.obj\", \"place\": {\"x\": 10, \"y\": 10, \"above\": 1}}"
                  ", {\"model\": \"cube.obj\", \"place\": {\"x\": 30, \"y\": 10, \"above\": 1}}"
                  ", {\"cityjson\": \"there.city.json\", \"crs\": \"world\"}")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(single),
                                       cmocka_unit_test(places),  cmocka_unit_test(storeys),
                                       cmocka_unit_test(nested),  cmocka_unit_test(reprojected),
                                       cmocka_unit_test(cities),  cmocka_unit_test(bad_city),
                                       cmocka_unit_test(scenes),  cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, make_files, test_folder_remove);
}
