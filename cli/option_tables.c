/// Options of ground, of answers, and of the commands about height, movement, models, scenes and pictures.
#include "option_tables.h"
#include <landfall/published.h>
#include <math.h>

const option common_options[] = {
    {"threads", 'j', "N", "threads to work with; all cores by default", WHOLE(1, 4096)},
    {"quiet", 'q', NULL, "no progress bar and no notes, only answers and errors"},
    {"help", 'h', NULL, "show this help"},
    NO_MORE,
};

const option ground_options[] = {
    {"only", 0, "NAME",
     "meshes: only polygons of this object, group or material are ground; may be given again for more names",
     .repeatable = true, .grounds = GROUND_MESH},
    NO_MORE,
};

const option raster_options[] = {
    {"surface", 0, "SURFACE",
     "rasters: the surface between samples: falling (by default), rising, alternating, bilinear or posts",
     .names = LF_SURFACE_LIST(LIST_NAME), .grounds = GROUND_RASTER},
    {"extend", 0, NULL, "rasters: the ground continues, level, over the outer half of the border pixels",
     .grounds = GROUND_RASTER},
    {"band", 0, "N", "rasters: the band with the heights, from 1; needed when there are several",
     WHOLE(1, 2147483647), .excludes = "encoding=terrain-rgb encoding=terrarium", .grounds = GROUND_RASTER},
    {"nodata", 0, "NUMBER",
     "rasters: samples of this value are void, instead of what the file says; none: no value is", ANY_NUMBER,
     .names = "|none", .grounds = GROUND_RASTER},
    {"z-scale", 0, "FACTOR", "rasters: multiply heights; 1 by default", ANY_NUMBER, .nonzero = true,
     .grounds = GROUND_RASTER},
    {"z-unit", 0, "UNIT", "rasters: unit of heights, such as m, ft or us-ft, instead of what the file says",
     .grounds = GROUND_RASTER},
    {"encoding", 0, "CODE", "rasters: heights coded in colours: terrain-rgb or terrarium",
     .names = LF_ENCODING_LIST(LIST_NAME), .grounds = GROUND_RASTER},
    {"ground-crs", 0, "CRS", "rasters: CRS of the file, instead of what it says, such as EPSG:4326",
     .grounds = GROUND_RASTER},
    {"window", 0, "COLUMN,ROW,COLUMNS,ROWS", "rasters: only these pixels, counted from the file's first",
     .least = 4, .low = 0, .high = 1e9, .whole = true, .grounds = GROUND_RASTER},
    NO_MORE,
};

const option crs_options[] = {
    {"crs", 0, "CRS",
     "rasters: CRS of the points, such as EPSG:4326; answers are in it too. X is always the easting "
     "or longitude",
     .grounds = GROUND_RASTER | GROUND_STORED | GROUND_TERRAIN | GROUND_WORLD},
    NO_MORE,
};

const option frame_options[] = {
    {"gravity", 0, "X,Y,Z", "meshes: gravity along this vector, instead of 0,0,-1", .least = 3,
     .grounds = GROUND_MESH, .excludes = "centre axis"},
    {"centre", 0, "X,Y,Z", "meshes: gravity towards this point: a planet", .least = 3, .grounds = GROUND_MESH,
     .names = "|sphere|mass|seeing", .excludes = "axis"},
    {"axis", 0, "PX,PY,PZ,DX,DY,DZ,in|out",
     "meshes: gravity towards (in) or away from (out) the line through P along D: a rotating station",
     .check = check_axis, .grounds = GROUND_MESH},
    NO_MORE,
};

#define DIGITS(help) \
    { "digits", 0, "N", help, WHOLE(0, NUMBER_FIXED_DIGITS) }

const option answer_options[] = {
    {"normal", 0, NULL, "also the unit normal of the ground there: NX NY NZ"},
    DIGITS("round to N digits behind the point; without it, numbers are as short as possible and "
           "still read back as exactly the same number"),
    {"json", 0, NULL, "one JSON object per line and question"},
    NO_MORE,
};

const option short_answer_options[] = {
    DIGITS("round to N digits behind the point"),
    {"json", 0, NULL, "one JSON object per line and question"},
    NO_MORE,
};

const option json_options[] = {{"json", 0, NULL, "one JSON document"}, NO_MORE};

const option info_options[] = {
    {"json", 0, NULL, "one JSON document"},
    {"pyramid", 0, NULL, "rasters: instead, the size of pyramids of bounds, by the size of their leaves",
     .grounds = GROUND_RASTER},
    {"quadtree", 0, NULL, "meshes: instead, the size of quadtrees of these polygons", .grounds = GROUND_MESH},
    {"as", 0, "model", "meshes: as a shape that other shapes can touch, with a distance field",
     .names = "|model", .excludes = "quadtree"},
    {"output", 'o', "FILE",
     "rasters, worlds and globes: also draw a map to a .png file; with --quadtree: draw the default one; "
     "with --as "
     "model: the six charts of its field",
     WRITES("|.png")},
    {"cut", 0, "CUT",
     "with --quadtree: where nodes are cut: middle (by default), vertex, balanced, cost or area",
     .names = LF_QUADTREE_CUT_LIST(LIST_NAME), .needs = "quadtree"},
    {"turn", 0, NULL, "with --quadtree: align the squares with the terrain's sides", .needs = "quadtree"},
    {"width", 0, "PIXELS", PICTURE_WIDTH, WHOLE(200, 20000), .needs = "output"},
    NO_MORE,
};

const option field_options[] = {
    {"sectors", 0, "N", "distance field: sectors along each side of a chart, a power of two; 32 by default",
     .names = "|2|4|8|16|32|64|128|256"},
    {"layers", 0, "N", "distance field: shells per sector, 1 to 16; 4 by default", WHOLE(1, 16)},
    NO_MORE,
};

const option collide_options[] = {
    {"at", 0, "X,Y[,Z]",
     "B is ground, and A a model with its origin there; without Z on the topmost ground. With --heading, "
     "--pitch and --roll A is "
     "turned about its origin first",
     NUMBERS(2, 3), .excludes = "at-b turn-b pairs one report distance margin method centre sectors layers"},
    {"under", 0, NULL, "also the numbers of the triangles of A that are under the ground, one per line",
     .needs = "at"},
    {"at-b", 0, "X,Y,Z", "position of B's origin; 0,0,0 by default", .least = 3, .low = -1e30, .high = 1e30},
    {"turn-b", 0, "AXIS,DEGREES",
     "B is rotated about its origin first: about x, y or z, counter-clockwise seen against the axis",
     .check = check_turn},
    {"pairs", 0, NULL, "also each pair of touching triangles, a line of two numbers",
     .excludes = "one method=shells"},
    {"one", 0, NULL, "only one pair, instead of counting all: --report pair",
     .excludes = "report method=shells"},
    {"report", 0, "REPORT",
     "which pairs: all (by default), one for each two sectors of the distance fields that touch (sector), or "
     "for each two "
     "layers of these (layer), or just one (pair)",
     .names = "|all|layer|sector|pair", .excludes = "method=shells"},
    {"distance", 0, NULL, "also the distance, and the two nearest points"},
    {"margin", 0, "METRES", "also whether they are within so many metres: near", AT_LEAST(0)},
    {"method", 0, "METHOD",
     "auto (by default), tree, field, or shells: these never miss, but near may count as touching",
     .names = LF_MODEL_METHOD_LIST(LIST_NAME)},
    {"centre", 0, "CENTRE", "centre of the distance field: sphere (by default), mass, seeing, or X,Y,Z",
     .least = 3, .names = "|sphere|mass|seeing"},
    NO_MORE,
};

const option height_options[] = {
    {"at", 0, "X,Y[,Z]", "a point; may be given again", NUMBERS(2, 3), .repeatable = true, .excludes = "-"},
    {"up", 0, NULL, "the nearest ground at or above Z; without Z the lowest", .excludes = "all"},
    {"all", 0, NULL,
     "every ground over the point, from the top down, with the number of the polygon or cell"},
    {"xy", 0, NULL, "points are X,Y: a third column is carried through, not taken for Z",
     .excludes = "gravity centre axis"},
    NO_MORE,
};

const option ray_options[] = {
    {"from", 0, "X,Y,Z", "start of the ray", .least = 3, .needs = "to|dir", .excludes = "-"},
    {"to", 0, "X,Y,Z", "its end: T runs from 0 to 1", .least = 3, .needs = "from", .excludes = "dir"},
    {"dir", 0, "X,Y,Z", "its direction, without end: T counts in lengths of this vector", .least = 3,
     .needs = "from"},
    {"directions", 0, NULL, "on standard input, the second three numbers are a direction",
     .excludes = "from"},
    {"any", 0, NULL, "only whether anything is hit: hit or miss", .excludes = "all"},
    {"all", 0, NULL, "every polygon or cell hit, in order along the ray, with its number"},
    {"distance", 0, NULL,
     "also the distance of the hit from the start: metres, straight; on a raster in degrees along "
     "the ground"},
    NO_MORE,
};

const option turn_options[] = {
    {"heading", 0, "DEGREES", "direction of its own y, clockwise from north (+y); 0 by default", ANY_NUMBER},
    {"pitch", 0, "DEGREES", "positive with the front (y) up; 0 by default", ANY_NUMBER},
    {"roll", 0, "DEGREES", "positive with the left side (-x) up; 0 by default", ANY_NUMBER},
    NO_MORE,
};

const option sweep_options[] = {
    {"from", 0, "X,Y,Z", "position of the body's centre at the start", .least = 3, .needs = "to",
     .excludes = "-"},
    {"to", 0, "X,Y,Z", "and at the end: T runs from 0 to 1", .least = 3, .needs = "from"},
    {"sphere", 0, "METRES", "the body is a sphere of this radius; 0: a point", AT_LEAST(0),
     .excludes = "box heading pitch roll"},
    {"box", 0, "X,Y,Z", "the body is a box with these sides", .least = 3, .low = 0, .high = 1e30,
     .above = true},
    {"tolerance", 0, "METRES", "how much too early a contact may be; 0.000001 by default", ABOVE(0)},
    NO_MORE,
};

const option locale_options[] = {
    {"at", 0, "X,Y,Z", "a point; may be given again", .least = 3, .repeatable = true},
    {"from", 0, "X,Y,Z", "start of a straight move: which borders it crosses", .least = 3, .needs = "to",
     .excludes = "at"},
    {"to", 0, "X,Y,Z", "its end: T runs from 0 to 1", .least = 3, .needs = "from"},
    {"ceiling", 0, "NAME=FILE", "the ceiling of the locale NAME is another ground; may be given again",
     .repeatable = true, .check = check_ceiling},
    NO_MORE,
};

const option walk_options[] = {
    {"from", 0, "X,Y[,Z]", "start: on the topmost ground, or on the highest that is at most a step above Z",
     NUMBERS(2, 3)},
    {"to", 0, "X,Y[,Z]", "destination", NUMBERS(2, 3)},
    {"step", 0, "METRES", "the highest step up that can be taken", AT_LEAST(0)},
    {"drop", 0, "METRES", "the deepest step down; as --step by default", AT_LEAST(0)},
    {"crack", 0, "METRES", "obstacles no longer than this are stepped over; 0 by default", AT_LEAST(0)},
    {"path", 0, NULL, "also the polyline that was walked, a point per line, before the answer"},
    NO_MORE,
};

const option place_options[] = {
    {"at", 0, "X,Y[,Z]", "position of the vehicle's middle; may be given again", NUMBERS(2, 3),
     .repeatable = true, .excludes = "-"},
    {"heading", 0, "DEGREES", "direction of its nose, clockwise from north (+y); 0 by default", ANY_NUMBER},
    {"wheels", 0, "BASE,TRACK", "four wheels: metres between the axles, and between the wheels of one",
     .least = 2, .low = 0, .high = INFINITY, .above = true, .excludes = "contact"},
    {"contact", 0, "FORWARD,LEFT", "a point of contact, in metres from the middle; three or four times",
     .least = 2, .repeatable = true},
    {"rest", 0, NULL, "a stiff frame that rests on three wheels, instead of the best plane for four"},
    {"reach", 0, "METRES", "ground so far above Z still counts as below a wheel; 0 by default", AT_LEAST(0)},
    {"passes", 0, "N",
     "how often the tilt is used to find the positions of tilted wheels, 1 to 16; 1 by default: "
     "their positions on level ground",
     WHOLE(1, 16)},
    NO_MORE,
};

const option shadow_options[] = {
    {"light", 0, "X,Y,Z", "direction in which the light shines; with --point, its position", .least = 3,
     .excludes = "sun time"},
    {"point", 0, NULL, "the light is at a position, as a lamp is, not far away", .needs = "light"},
    {"at", 0, "X,Y[,Z]", "a point, without Z on the topmost ground; may be given again", NUMBERS(2, 3),
     .repeatable = true, .excludes = "-"},
    {"skin", 0, "METRES",
     "ground no farther from a point than this casts no shadow on it; 0.000001 by default", AT_LEAST(0)},
    {"sun", 0, "AZIMUTH,ALTITUDE",
     "direction to the light in degrees, clockwise from north and above level, instead of --light; "
     "with -o a raster of what is lit",
     .least = 2, .excludes = "time"},
    {"time", 0, "TIME", "the sun at a time, such as 2026-06-21T12:00Z, at each place, instead of --sun",
     .check = check_time},
    NO_MORE,
};

const option render_options[] = {
    {"output", 'o', "FILE", "the picture, a .png file", WRITES("|.png")},
    {"eye", 0, "X,Y,Z",
     "position of the camera, on globes LON,LAT,HEIGHT; by default one that shows the whole ground",
     .least = 3, .low = -1e30, .high = 1e30},
    {"look", 0, "X,Y,Z",
     "point in the middle of the picture, likewise; by default the middle of the ground, and on "
     "globes the point below",
     .least = 3, .low = -1e30, .high = 1e30},
    {"fov", 0, "DEGREES", "opening angle from the left to the right edge, 1 to 170; 40 by default",
     WITHIN(1, 170)},
    {"size", 0, "WIDTH,HEIGHT", "of the picture in pixels; 1280,720 by default", .least = 2, .low = 16,
     .high = 20000, .whole = true},
    {"sun", 0, "AZIMUTH,ALTITUDE",
     "direction to the sun: degrees clockwise from north and above the horizon; 315,35 by default",
     .least = 2, .excludes = "time"},
    {"time", 0, "TIME",
     "rasters: the sun at this time over the middle of the raster, such as 2026-06-21T15:00Z",
     .check = check_time},
    {"no-shadows", 0, NULL, "ground casts no shadows"},
    {"haze", 0, "SHARE", "how thick the air is, 0 to 1; 0.35 by default", WITHIN(0, 1)},
    {"exaggerate", 0, "FACTOR", "factor on heights in the picture; 1 by default", WITHIN(0.01, 1000),
     .no_globe = "planets are drawn as they are"},
    {"overlay", 0, "RASTER",
     "a raster of results painted on the ground, such as a viewshed: 0 and nodata are left bare", READS},
    {"model", 0, "FILE",
     "a model, in metres, that stands on the ground (.ply, .obj, .lf ...); may be given again",
     .repeatable = true, READS},
    {"at", 0, "X,Y[,Z]",
     "position of the model's origin; without Z its foot is on the lowest ground under it. The first "
     "--at, --heading, --scale and --up belong to the first --model, and so on",
     NUMBERS(2, 3), .repeatable = true},
    {"heading", 0, "DEGREES",
     "direction of the model's nose (its +x), clockwise from north (+y); 90 by default", ANY_NUMBER,
     .repeatable = true},
    {"scale", 0, "FACTOR", "enlarge the model", ABOVE(0), .repeatable = true},
    {"up", 0, "AXIS", "axis of the model that points up: z by default, or y", .names = "|z|y",
     .repeatable = true},
    {"scene", 0, "FILE.lua",
     "the world of a script (landfall scene run), in the ground's coordinates; world.land() is the ground",
     READS},
    {"steps", 0, "N", "of the scene: number of steps before the picture; 0 by default", WHOLE(0, 100000000),
     .needs = "scene"},
    {"dt", 0, "SECONDS", "of the scene: duration of a step; 0.05 by default", ANY_NUMBER, .needs = "scene"},
    {"set", 0, "NAME=VALUE", "of the scene: what the script gets for world.setting(NAME, ...)",
     .repeatable = true, .check = check_setting, .needs = "scene"},
    {"samples", 0, "N", "rays along each side of a pixel, 1 to 8; 2 by default", WHOLE(1, 8)},
    {"json", 0, NULL, "the view as one JSON document"},
    NO_MORE,
};

const option map_options[] = {
    {"output", 'o', "FILE", "the picture, a .png file", WRITES("|.png")},
    {"bounds", 0, "WEST,SOUTH,EAST,NORTH",
     "only this part, on globes in degrees; all of the ground by default", .least = 4},
    {"contours", 0, "METRES", "distance of contour lines, every fifth stronger", AT_LEAST(0)},
    {"overlay", 0, "RASTER",
     "a raster of results laid over the map, such as a viewshed: 0 and nodata are left bare", READS},
    {"width", 0, "PIXELS", PICTURE_WIDTH, WHOLE(200, 20000)},
    NO_MORE,
};

const option make_options[] = {
    {"output", 'o', "FILE",
     "where to write; the ending selects the form: .ply or .obj polygons, .tif heights, .png a map of it, "
     ".world.json a city with its "
     "parts",
     WRITES("|.ply|.obj|.tif|.tiff|.png|.json")},
    {"size", 0, "N[,M]",
     "mountains, hills, rough, dunes: samples to the east, and to the north (as many when left out; "
     "1024 by default). Others: about how many polygons",
     NUMBERS(1, 2), .low = 1, .high = 1e12, .whole = true},
    {"seed", 0, "S", "another seed makes another one of the kind; 1 by default", WHOLE(0, INFINITY)},
    {"step", 0, "METRES", "metres between samples; 30 by default", ANY_NUMBER},
    {"low", 0, "METRES", "lowest height; the kind's own by default", ANY_NUMBER},
    {"high", 0, "METRES", "highest height; the kind's own by default", ANY_NUMBER},
    {"width", 0, "PIXELS", "width of a picture in pixels; 960 by default", WHOLE(100, 20000),
     .needs = "output=*.png"},
    NO_MORE,
};

const option build_options[] = {
    {"output", 'o', "FILE.lf", "where to write", WRITES("|.lf")},
    {"codec", 0, "CODEC",
     "rasters: how heights are stored: raw, pack, maxplus, haar or d4; by default pack where heights "
     "are whole numbers or --max-error is given, else raw",
     .names = LF_CODEC_LIST(LIST_NAME)},
    {"max-error", 0, "METRES", "rasters: largest error of a height; 0 by default", AT_LEAST(0)},
    {"quantise", 0, "B,B..",
     "haar and d4, instead of --max-error: bits per coefficient of 1 to 8 bands, coarsest first. A tile of "
     "32 x 32 samples has the five finest, of which those that are not given are as the first; the others "
     "are of 2 x 2, 4 x 4 and 8 x 8 tiles",
     NUMBERS(1, 8), .low = 2, .high = 32, .whole = true},
    {"bounds", 0, "WHERE",
     "maxplus, haar and d4: bounds are stored, which is fastest; or only those of whole tiles, and others "
     "come from the "
     "coefficients, which takes less memory; or none (maxplus: those of tiles): stored, tiles or "
     "coefficients; "
     "stored by default, for maxplus tiles",
     .names = "|stored|tiles|coefficients", .needs = "codec=maxplus|codec=haar|codec=d4"},
    {"memory", 0, "SIZE",
     "rasters: use about so much memory, such as 500M or 2G, 200M at least, and keep what is done in the "
     "folder FILE.lf.work: the same "
     "command continues after an interruption. Several RASTERs are always built so",
     .check = check_size},
    {"as", 0, "model", "meshes: a shape that other shapes can touch, instead of ground", .names = "|model"},
    NO_MORE,
};

const option globe_options[] = {
    {"output", 'o', "FILE.lf", "where to write", WRITES("|.lf")},
    {"cells", 0, "N", "cells along a side of a tile, about; 64 by default", WHOLE(2, 1024)},
    {"memory", 0, "MIB", "most memory for heights of rasters; 256 by default", WHOLE(1, 1048576)},
    NO_MORE,
};

const option export_options[] = {
    {"output", 'o', "FILE",
     "where to write: .tif heights of a grid, .ply or .obj polygons of a mesh or model", WRITES(NULL)},
    NO_MORE,
};

const option scene_options[] = {
    {"steps", 0, "N", "number of steps; 100 by default", WHOLE(0, 100000000)},
    {"dt", 0, "SECONDS", "duration of a step; 0.05 by default", .least = 1, .low = 0, .high = 1e6,
     .above = true},
    {"frames", 0, "FOLDER",
     "write a picture, frame-00000.png and so on, before the first step and after each one",
     .role = FILE_FOLDER},
    {"every", 0, "N", "only after every Nth step", WHOLE(1, 100000000)},
    {"fine", 0, NULL, "larger pictures with shadows and haze, as landfall render draws"},
    {"ground", 0, "FILE", "ground in metres, any that landfall reads: world.land() in the script", READS},
    {"origin", 0, "LON,LAT[,HEIGHT]",
     "on a globe: the origin of the script's coordinates, x east, y north, z up; without HEIGHT on the "
     "ground there",
     NUMBERS(2, 3), .needs = "ground"},
    {"set", 0, "NAME=VALUE", "what the script gets for world.setting(NAME, ...); may be given again",
     .repeatable = true, .check = check_setting},
    {"time-limit", 0, "SECONDS",
     "most time for reading the script, and for each step, by the clock; 0: no limit; 60 by default",
     WITHIN(0, 1e9)},
    NO_MORE,
};
