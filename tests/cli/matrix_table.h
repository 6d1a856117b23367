/// The table of test_cli_matrix.c: kinds of ground, and rows of questions with what is refused.
#ifndef TESTS_CLI_MATRIX_TABLE_H
#define TESTS_CLI_MATRIX_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/// Grounds that are answered or refused alike.
typedef enum class
{ DEGREES, ///< a raster in degrees
  METRES,  ///< a raster in metres or feet of a map projection
  TURNED, ///< the same with rows from the south, or along the columns; as METRES where a row does not say otherwise
  BARE,     ///< a raster without CRS and geotransform
  STORED,   ///< any of these as a .lf file
  POLYGONS, ///< polygons
  MESH,     ///< polygons as a .lf file
  GROUP,    ///< a .lf file of several grounds
  MODEL,    ///< a .lf file of a model
  GLOBE,    ///< a .lf file of a globe
  TERRAIN,  ///< a folder of terrain tiles
  WORLD,    ///< a world file
  EARTH,    ///< a world file on a globe
  CLASSES } class;

/// How answers are compared with those of the kind that is the same ground.
typedef enum comparison {
    ALONE,   ///< the first of its ground
    BYTES,   ///< the same bytes
    SAMPLES, ///< rasters: the same numbers at the same places, perhaps in another order; else the same bytes
} comparison;

/// A kind of ground, and how it is asked: points on it, and a file of two points.
typedef struct kind {
    const char *words;
    class class;
    const char *like; ///< words of the kind that has the same answers
    comparison comparison;
    const char *a, *b, *points;
    const char *gdal; ///< the first point and a range in the units of the file, as gdal_viewshed has them
} kind;

#define IN_DEGREES "6.504,45.495", "6.515,45.49", "degrees.csv", "-ox 6.504 -oy 45.495 -md 0.002"
#define IN_METRES "500200,4999700", "500500,4999800", "metres.csv", "-ox 500200 -oy 4999700 -md 100"
#define IN_FEET "1828900,609500", "1829100,609450", "feet.csv", "-ox 6000700 -oy 1998900 -md 300"
#define IN_PIXELS "6,9", "16,12", "bare.csv", "-ox 6 -oy 9 -md 3"
#define HGT "N45E006.hgt --window 600,600,24,20"

static const kind kinds[] = {
    {"deg.tif", DEGREES, NULL, ALONE, IN_DEGREES},
    {HGT, DEGREES, "deg.tif", SAMPLES, IN_DEGREES},
    {"deg_raw.lf", STORED, "deg.tif", BYTES, IN_DEGREES},
    {"deg_pack.lf", STORED, "deg.tif", BYTES, IN_DEGREES},
    {"deg_maxplus.lf", STORED, "deg.tif", BYTES, IN_DEGREES},
    {"deg_haar.lf", STORED, "deg.tif", BYTES, IN_DEGREES},
    {"deg_d4.lf", STORED, "deg.tif", BYTES, IN_DEGREES},
    {"utm.tif", METRES, NULL, ALONE, IN_METRES},
    {"utm.lf", STORED, "utm.tif", BYTES, IN_METRES},
    {"south.tif", TURNED, "utm.tif", SAMPLES, IN_METRES},
    {"south.lf", STORED, "south.tif", BYTES, IN_METRES},
    {"turned.tif", TURNED, "utm.tif", SAMPLES, IN_METRES},
    {"turned.lf", STORED, "turned.tif", BYTES, IN_METRES},
    {"feet.tif", METRES, NULL, ALONE, IN_FEET},
    {"feet.lf", STORED, "feet.tif", BYTES, IN_FEET},
    {"bare.tif", BARE, NULL, ALONE, IN_PIXELS},
    {"bare.lf", STORED, "bare.tif", BYTES, IN_PIXELS},
    {"tin.obj", POLYGONS, NULL, ALONE, IN_METRES},
    {"tin.ply", POLYGONS, "tin.obj", BYTES, IN_METRES},
    {"tin.lf", MESH, "tin.obj", BYTES, IN_METRES},
    {"group.lf", GROUP, NULL, ALONE, IN_METRES},
    {"model.lf", MODEL, NULL, ALONE, IN_METRES},
    {"globe.lf", GLOBE, NULL, ALONE, IN_DEGREES},
    {"hill", TERRAIN, NULL, ALONE, "7.94,46.93", "7.943,46.93", "hill.csv", "-ox 7.94 -oy 46.93 -md 0.002"},
    {"town.world.json", WORLD, NULL, ALONE, IN_METRES},
    {"earth.world.json", EARTH, NULL, ALONE, IN_DEGREES},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/// Whether it is refused: what the message says of each class; NULL: it works. A .lf file is as the raster it was built from, unless the row says
/// so for STORED itself: "" works.
typedef struct row {
    const char *
        words; ///< {g} ground, {a} and {b} points on it, {p} file of points, {gdal} options of gdal_viewshed, {o} file to write
    const char *ending; ///< of the file that is written; NULL: none
    bool plain;         ///< the command has no options for rasters
    bool facts;         ///< of `info`: lines with the same word are the same
    bool works;         ///< only that it works is compared
    bool titled;        ///< the picture names the file of the ground, so that it is not compared
    const char *refused[CLASSES];
} row;

#define IS_MODEL [MODEL] = "holds a model"
#define IS_GLOBE [GLOBE] = "is a globe", [TERRAIN] = "is a globe", [EARTH] = "is a globe"
#define NO_GLOBE(text) [GLOBE] = text, [TERRAIN] = text, [EARTH] = text
#define WORLDS(text) [WORLD] = text, [EARTH] = text
#define NO_DEGREES [DEGREES] = "x and y are degrees"
#define NO_POLYGONS [POLYGONS] = "holds a mesh", [MESH] = "holds a mesh", [GROUP] = "holds a group"
#define RASTERS_ONLY NO_POLYGONS, IS_MODEL, IS_GLOBE, [WORLD] = "holds a world"
#define NOWHERE "names no place on Earth"
#define NO_RASTERS(text, stored) [DEGREES] = text, [METRES] = text, [BARE] = text, [STORED] = stored
#define BUILT "GROUND has been built already"
#define STORED_BUILT [STORED] = BUILT, [MESH] = BUILT, [GROUP] = BUILT, [MODEL] = BUILT, [GLOBE] = BUILT
#define STORED_FILES(text) [STORED] = text, [MESH] = text, [GROUP] = text, [MODEL] = text, [GLOBE] = text
#define MODELS_ONLY                                                                                 \
    NO_RASTERS("no mesh format", "holds a grid: expected polygons"),                                \
        [GROUP] = "holds a group: expected polygons", [GLOBE] = "holds a globe: expected polygons", \
        [TERRAIN] = "no mesh format", WORLDS("no mesh format")
#define LF_ONLY                                                                                 \
    [DEGREES] = "no landfall file", [METRES] = "no landfall file", [BARE] = "no landfall file", \
    [POLYGONS] = "no landfall file", [TERRAIN] = "not a regular file", WORLDS("no landfall file")
#define MESHES_ONLY                                                                                   \
    [DEGREES] = "GROUND is a raster", [METRES] = "GROUND is a raster", [BARE] = "GROUND is a raster", \
    STORED_BUILT, [TERRAIN] = "GROUND is a globe", WORLDS("GROUND is a world file")

static const row rows[] = {
    {"info {g}", .facts = true},
    {"info {g} --json", .works = true},
    {"info {g} --pyramid", .refused = {[POLYGONS] = "GROUND is a mesh",
                                       STORED_BUILT,
                                       [TERRAIN] = "GROUND is a globe",
                                       WORLDS("GROUND is a world file")}},
    {"info {g} --quadtree", .refused = {MESHES_ONLY}},
    {"info {g} --as model", .facts = true, .refused = {MODELS_ONLY}},
    {"info {g} -q --width 200 -o {o}", ".png", .works = true,
     .refused = {[POLYGONS] = "goes with --quadtree", STORED_FILES("not for .lf files")}},
    {"info {g} --quadtree --width 200 -o {o}", ".png", .titled = true, .refused = {MESHES_ONLY}},
    {"info {g} --as model --width 200 -o {o}", ".png", .facts = true, .titled = true,
     .refused = {MODELS_ONLY}},
    {"height {g} -q --at {a} --at {b}", .ending = NULL},
    {"height {g} -q --at {a} --normal --json", .ending = NULL},
    {"ray {g} -q --from {a},9000 --to {b},-9000", .ending = NULL},
    {"ray {g} -q --from {a},9000 --to {b},-9000 --all --json", .ending = NULL},
    {"sweep {g} -q --sphere 2 --from {a},9000 --to {b},-9000", .refused = {NO_DEGREES}},
    {"sweep {g} -q --box 3,2,1 --heading 30 --from {a},9000 --to {b},-9000 --json", .refused = {NO_DEGREES}},
    {"locale {g} -q --at {a},1200 --at {b},1000", .ending = NULL},
    {"locale {g} -q --from {a},9000 --to {b},-9000 --json", .ending = NULL},
    {"walk {g} -q --from {a} --to {b} --step 9000", .refused = {NO_DEGREES}},
    {"walk {g} -q --from {a} --to {b} --step 9000 --json", .refused = {NO_DEGREES}},
    {"place {g} -q --at {a} --wheels 3,2", .refused = {NO_DEGREES}},
    {"place {g} -q --at {a} --wheels 3,2 --json", .refused = {NO_DEGREES}},
    {"shadow {g} -q --light -1,0,-1 --at {a} --at {b}", .refused = {NO_DEGREES}},
    {"shadow {g} -q --sun 120,30 --at {a} --at {b} --json", .refused = {NO_DEGREES}},
    {"shadow {g} -q --sun 120,30 -o {o}", ".tif", .refused = {IS_GLOBE}},
    {"shadow {g} -q --sun 120,30 --width 200 -o {o} --json", ".png", .refused = {IS_GLOBE}},
    {"sight {g} -q --from {a} --to {b}", .ending = NULL},
    {"sight {g} -q --from {a} --to {b} --detail --json", .ending = NULL},
    {"sight {g} -q --from {a} --to {b} --profile {o}", .ending = ".csv"},
    {"sight {g} -q --from {a} --to {b} --profile {o}", .ending = ".json"},
    {"sight {g} -q --from {a} --to {b} --profile {o}", .ending = ".svg"},
    {"sight {g} -q --from {a} --to {b} --profile {o}", .ending = ".png"},
    {"viewshed {g} -q --at {a} -o {o}", ".tif", .refused = {IS_GLOBE}},
    {"viewshed {g} -q --at {a} --mode ground -o {o} --json", ".tif", .refused = {IS_GLOBE}},
    {"viewshed {g} -q --at {a} --mode dem -f AAIGrid -o {o}", ".asc",
     .refused = {IS_GLOBE, [TURNED] = "the format AAIGrid cannot store"}},
    {"viewshed {g} -q --at {a} --at {b} --mode who -o {o}", ".tif", .refused = {IS_GLOBE}},
    {"viewshed {g} -q --at {a} --range 200 --crop --mode angle -o {o}", ".tif", .works = true,
     .refused = {IS_GLOBE}},
    {"viewshed {g} -q --observers {p} --mode count -o {o}", ".csv", .refused = {IS_GLOBE}},
    {"viewshed {g} -q --at {a} --mode distance --width 200 -o {o}", ".png", .refused = {IS_GLOBE}},
    {"viewshed -q {gdal} {g} {o}", ".tif", .plain = true, .refused = {RASTERS_ONLY}},
    {"viewshed -q {gdal} -om GROUND {g} {o}", ".tif", .plain = true, .refused = {RASTERS_ONLY}},
    {"camera {g} flight.csv", .plain = true, .refused = {NO_DEGREES}},
    {"camera {g} flight.csv --json", .plain = true, .refused = {NO_DEGREES}},
    {"camera {g} flight.csv -o {o}", ".csv", .plain = true, .refused = {NO_DEGREES}},
    {"camera {g} flight.csv --plot {o}", ".svg", .plain = true, .refused = {NO_DEGREES}},
    {"camera {g} flight.csv --plot {o}", ".png", .plain = true, .refused = {NO_DEGREES}},
    {"horizon {g} -q --at {a} --step 60", .plain = false},
    {"horizon {g} -q --at {a} --step 60 --json", .plain = false},
    {"horizon {g} -q --at {a} --step 60 -o {o}", ".csv", .plain = false},
    {"horizon {g} -q --at {a} --step 60 -o {o}", ".json", .plain = false},
    {"horizon {g} -q --at {a} --step 60 -o {o}", ".svg", .plain = false},
    {"horizon {g} -q --at {a} --step 60 -o {o}", ".png", .plain = false},
    {"horizon {g} -q --map 90,200 -o {o}", ".tif", .refused = {IS_GLOBE}},
    {"horizon {g} -q --sky 4 -o {o}", ".tif", .refused = {IS_GLOBE}},
    {"horizon {g} -q --map 90 --width 200 -o {o}", ".png", .refused = {IS_GLOBE}},
    {"sunhours {g} -q --date 2026-06-21 --step 360 -o {o}", ".tif",
     .refused = {[MODEL] = NOWHERE,
                 IS_GLOBE,
                 [BARE] = NOWHERE,
                 [POLYGONS] = NOWHERE,
                 [MESH] = NOWHERE,
                 [GROUP] = NOWHERE}},
    {"sunhours {g} -q --date 2026-06-21 --step 360 --width 200 -o {o} --json", ".png",
     .refused = {[MODEL] = NOWHERE,
                 IS_GLOBE,
                 [BARE] = NOWHERE,
                 [POLYGONS] = NOWHERE,
                 [MESH] = NOWHERE,
                 [GROUP] = NOWHERE}},
    {"total {g} -q --range 200 --azimuths 8 --check 2 -o {o}", ".tif", .refused = {RASTERS_ONLY}},
    {"total {g} -q --range 200 --azimuths 8 --values all --check 0 -o {o} --json", ".tif",
     .refused = {RASTERS_ONLY}},
    {"total {g} -q --range 200 --azimuths 8 --check 0 --width 200 -o {o}", ".png", .refused = {RASTERS_ONLY}},
    {"site {g} {p} -q --choose 1", .ending = NULL, .refused = {IS_GLOBE}},
    {"site {g} {p} -q --choose 2 --range 500 -o {o} --json", ".csv", .refused = {IS_GLOBE}},
    {"site {g} {p} -q --choose 1 --plot {o}", ".png", .refused = {IS_GLOBE}},
    {"intervisible {g} {p} -q", .ending = NULL},
    {"intervisible {g} {p} -q --range 500 -o {o}", .ending = ".csv"},
    {"intervisible {g} {p} -q -o {o}", .ending = ".graphml"},
    {"intervisible {g} {p} -q --csv", .ending = NULL},
    {"intervisible {g} {p} -q --json", .ending = NULL},
    {"collide {g} tin.obj", .plain = true, .refused = {MODELS_ONLY}},
    {"collide tin.obj {g} --json", .plain = true,
     .refused = {NO_RASTERS("--at X,Y[,Z]: missing option", "holds a grid: expected polygons"),
                 [GROUP] = "holds a group: expected polygons", [GLOBE] = "holds a globe: expected polygons",
                 [TERRAIN] = "--at X,Y[,Z]: missing option", WORLDS("--at X,Y[,Z]: missing option")}},
    {"collide block.obj {g} --at {a},1300", .plain = true, .refused = {NO_DEGREES}},
    {"collide block.obj {g} --at {a} --heading 30 --json --under", .plain = true, .refused = {NO_DEGREES}},
    {"render {g} -q --size 32,20 --samples 1 -o {o}", ".png", .plain = false},
    {"render {g} -q --size 32,20 --samples 1 --json -o {o}", ".png", .plain = false},
    {"map {g} -q --width 200 -o {o}", ".png", .plain = false},
    {"map {g} -q --width 200 --contours 50 -o {o}", ".png", .plain = false},
    {"scene run bump.lua -q --steps 3 --ground {g}", .plain = true, .refused = {NO_DEGREES, IS_GLOBE}},
    {"scene run bump.lua -q --steps 3 --json --ground {g}", .plain = true, .refused = {NO_DEGREES, IS_GLOBE}},
    {"scene run bump.lua -q --steps 0 --ground {g} --frames out", "frames", .plain = true,
     .refused = {NO_DEGREES, IS_GLOBE}},
    {"globe build {g} -q -o {o}", ".lf", .plain = true, .works = true,
     .refused = {[METRES] = "longitude and latitude",
                 [BARE] = "longitude and latitude",
                 [POLYGONS] = "no raster",
                 STORED_FILES("is a .lf file"),
                 WORLDS("no raster")}},
    {"build {g} -q -o {o}", ".lf", .works = true},
    {"build {g} -q --json -o {o}", ".lf", .works = true},
    {"build {g} -q --as model -o {o}", ".lf", .works = true, .refused = {MODELS_ONLY}},
    {"verify {g}", .plain = true, .refused = {LF_ONLY, [STORED] = ""}},
    {"export {g} -o {o}", ".tif", .plain = true,
     .refused = {LF_ONLY, [STORED] = "", [MESH] = "holds a mesh", [GROUP] = "holds a group",
                 [MODEL] = "holds a model", [GLOBE] = "holds a globe"}},
    {"export {g} -o {o}", ".ply", .plain = true,
     .refused = {LF_ONLY, [STORED] = "holds a grid", [GROUP] = "holds a group", [GLOBE] = "holds a globe"}},
    {"export {g} -o {o}", ".obj", .plain = true,
     .refused = {LF_ONLY, [STORED] = "holds a grid", [GROUP] = "holds a group", [GLOBE] = "holds a globe"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/// Subcommands that ask no ground.
static const char *const groundless[] = {"make", "serve", "view"};

#endif
