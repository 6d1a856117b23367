#include "option_groups.h"
#include <stddef.h>

const option common_options[] = {
    {"threads", 'j', "N", false, "threads to work with; all cores by default"},
    {"quiet", 'q', NULL, false, "no progress bar and no notes, only answers and errors"},
    {"help", 'h', NULL, false, "show this help"},
    {NULL, 0, NULL, false, NULL},
};

const option ground_options[] = {
    {"only", 0, "NAME", true,
     "meshes: only polygons of this object, group or material are ground; may be given again for more names"},
    {NULL, 0, NULL, false, NULL},
};

const option raster_options[] = {
    {"surface", 0, "SURFACE", false,
     "rasters: what is between posts: falling (by default), rising, alternating, bilinear or posts"},
    {"extend", 0, NULL, false, "rasters: the ground goes on, level, for the outer half of the border pixels"},
    {"band", 0, "N", false, "rasters: the band with the heights, from 1; wanted when there are several"},
    {"nodata", 0, "NUMBER", false,
     "rasters: samples of this number are holes, instead of what the file says; none: no number is"},
    {"z-scale", 0, "FACTOR", false, "rasters: multiply heights; 1 by default"},
    {"z-unit", 0, "UNIT", false,
     "rasters: what heights are in, such as m, ft or us-ft, instead of what the file says"},
    {"encoding", 0, "CODE", false, "rasters: heights coded in colours: terrain-rgb or terrarium"},
    {"ground-crs", 0, "CRS", false,
     "rasters: the CRS of the file, instead of what it says, such as EPSG:4326"},
    {"window", 0, "COLUMN,ROW,COLUMNS,ROWS", false,
     "rasters: only these pixels, counted from the file's first"},
    {NULL, 0, NULL, false, NULL},
};

const option crs_options[] = {
    {"crs", 0, "CRS", false,
     "rasters: the CRS of the points, such as EPSG:4326; answers come in it too. X is always the easting or "
     "longitude"},
    {NULL, 0, NULL, false, NULL},
};

const option frame_options[] = {
    {"gravity", 0, "X,Y,Z", false, "meshes: gravity along this vector, instead of 0,0,-1"},
    {"centre", 0, "X,Y,Z", false, "meshes: gravity towards this point: a planet"},
    {"axis", 0, "PX,PY,PZ,DX,DY,DZ,in|out", false,
     "meshes: gravity towards (in) or away from (out) the line through P along D: a turning station"},
    {NULL, 0, NULL, false, NULL},
};

const option answer_options[] = {
    {"normal", 0, NULL, false, "also the unit normal of the ground there: NX NY NZ"},
    {"digits", 0, "N", false,
     "round to N digits behind the point; without it, numbers are as short as they can be and still read "
     "back as exactly the same number"},
    {"json", 0, NULL, false, "one JSON object per line and question"},
    {NULL, 0, NULL, false, NULL},
};

const option info_options[] = {
    {"json", 0, NULL, false, "one JSON document"},
    {"pyramid", 0, NULL, false,
     "rasters: instead, what pyramids of bounds would take, by the size of their leaves"},
    {"quadtree", 0, NULL, false, "meshes: instead, what a quadtree of these polygons would be"},
    {"as", 0, "model", false, "meshes: as a shape that other shapes can touch, with a distance field"},
    {"output", 'o', "FILE", false,
     "rasters: also draw a map of it to a .png file; with --quadtree: draw the default one; with --as model: "
     "the six charts of its field"},
    {"cut", 0, "CUT", false,
     "with --quadtree: where nodes are cut: middle (by default), vertex, balanced, cost or area"},
    {"turn", 0, NULL, false, "with --quadtree: turn the squares to the terrain's sides"},
    {"width", 0, "PIXELS", false, "width of the picture; 960 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option field_options[] = {
    {"sectors", 0, "N", false, "distance field: sectors along each side of a chart, 2 to 256; 32 by default"},
    {"layers", 0, "N", false, "distance field: shells per sector, 1 to 16; 4 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option collide_options[] = {
    {"at-b", 0, "X,Y,Z", false, "where B's origin is; 0,0,0 by default"},
    {"turn-b", 0, "AXIS,DEGREES", false,
     "B is turned about its origin first: x, y or z, counter-clockwise seen against it"},
    {"pairs", 0, NULL, false, "also each pair of touching triangles, a line of two numbers"},
    {"one", 0, NULL, false, "only one pair, instead of counting all"},
    {"distance", 0, NULL, false, "also the distance, and where the two come nearest"},
    {"margin", 0, "METRES", false, "also whether they are within so many metres: near"},
    {"method", 0, "METHOD", false,
     "auto (by default), tree, field, or shells: these never miss, but near may count as touching"},
    {"centre", 0, "CENTRE", false,
     "distance field: looks from here: sphere (by default), mass, seeing, or X,Y,Z"},
    {NULL, 0, NULL, false, NULL},
};

const option height_options[] = {
    {"at", 0, "X,Y[,Z]", true, "a point to ask about; may be given again"},
    {"up", 0, NULL, false, "the nearest ground at or above Z; without Z the lowest"},
    {"all", 0, NULL, false,
     "every ground over the point, from the top down, with the number of the polygon or cell"},
    {"xy", 0, NULL, false, "points are X,Y: a third column is carried through, not taken for Z"},
    {NULL, 0, NULL, false, NULL},
};

const option ray_options[] = {
    {"from", 0, "X,Y,Z", false, "where the ray starts"},
    {"to", 0, "X,Y,Z", false, "where it ends: T runs from 0 to 1"},
    {"dir", 0, "X,Y,Z", false, "where it goes, without end: T counts in lengths of this vector"},
    {"directions", 0, NULL, false, "on standard input, the second three numbers are a direction"},
    {"any", 0, NULL, false, "only whether anything is hit: hit or miss"},
    {"all", 0, NULL, false, "every polygon or cell hit, in order along the ray, with its number"},
    {"distance", 0, NULL, false,
     "also how far the hit is from the start: metres, straight; on a raster in degrees along the ground"},
    {NULL, 0, NULL, false, NULL},
};

const option walk_options[] = {
    {"from", 0, "X,Y[,Z]", false,
     "where to start: on the topmost ground, or on the highest that is at most a step above Z"},
    {"to", 0, "X,Y[,Z]", false, "where to go"},
    {"step", 0, "METRES", false, "the highest step up that can be taken"},
    {"drop", 0, "METRES", false, "the deepest step down; as --step by default"},
    {"crack", 0, "METRES", false, "obstacles no longer than this are stepped over; 0 by default"},
    {"path", 0, NULL, false, "also the polyline that was walked, a point per line, before the answer"},
    {NULL, 0, NULL, false, NULL},
};

const option scene_options[] = {
    {"steps", 0, "N", false, "how many steps to make; 100 by default"},
    {"dt", 0, "SECONDS", false, "how long a step is; 0.05 by default"},
    {"frames", 0, "FOLDER", false,
     "write a picture, frame-00000.png and so on, before the first step and after each one"},
    {"every", 0, "N", false, "only after every Nth step"},
    {"fine", 0, NULL, false, "pictures by rays, with shadows and haze, as landfall render draws"},
    {"ground", 0, "FILE", false, "ground in metres, any that landfall reads: world.land() in the script"},
    {"set", 0, "NAME=VALUE", true, "what the script gets for world.setting(NAME, ...); may be given again"},
    {"time-limit", 0, "SECONDS", false,
     "how long reading the script, and each step, may take by the clock; 0: no limit; 60 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option place_options[] = {
    {"at", 0, "X,Y[,Z]", true, "where the thing's middle is; may be given again"},
    {"heading", 0, "DEGREES", false, "where its nose points, clockwise from north (+y); 0 by default"},
    {"wheels", 0, "BASE,TRACK", false,
     "four wheels: metres between the axles, and between the wheels of one"},
    {"contact", 0, "FORWARD,LEFT", true,
     "a point that touches the ground, in metres from the middle; three or four times"},
    {"rest", 0, NULL, false, "a stiff frame that rests on three wheels, instead of the best plane for four"},
    {"reach", 0, "METRES", false, "ground so far above Z still counts as below a wheel; 0 by default"},
    {"passes", 0, "N", false,
     "how often the tilt is used to find where tilted wheels are, 1 to 16; 1 by default: where they would be "
     "on "
     "level ground"},
    {NULL, 0, NULL, false, NULL},
};

const option shadow_options[] = {
    {"light", 0, "X,Y,Z", false, "the direction in which the light shines; with --point, where it is"},
    {"point", 0, NULL, false, "the light is at a place, as a lamp is, not far away"},
    {"at", 0, "X,Y[,Z]", true, "a point to ask about, without Z on the topmost ground; may be given again"},
    {"skin", 0, "METRES", false,
     "what is not farther from a point than this casts no shadow on it; 0.000001 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option short_answer_options[] = {
    {"digits", 0, "N", false, "round to N digits behind the point"},
    {"json", 0, NULL, false, "one JSON object per line and question"},
    {NULL, 0, NULL, false, NULL},
};

const option render_options[] = {
    {"output", 'o', "FILE", false, "the picture, a .png file"},
    {"eye", 0, "X,Y,Z", false,
     "where one stands, on globes LON,LAT,HEIGHT; by default where the whole ground is seen well"},
    {"look", 0, "X,Y,Z", false,
     "what one looks at, likewise; by default the middle of the ground, and on globes what is below"},
    {"fov", 0, "DEGREES", false, "opening angle from the left to the right edge, 1 to 170; 40 by default"},
    {"size", 0, "WIDTH,HEIGHT", false, "of the picture in pixels; 1280,720 by default"},
    {"sun", 0, "AZIMUTH,ALTITUDE", false,
     "where the sun stands: degrees clockwise from north and above the horizon; 315,35 by default"},
    {"time", 0, "TIME", false,
     "rasters: the sun of this time over the middle of the raster, such as 2026-06-21T15:00Z"},
    {"no-shadows", 0, NULL, false, "ground casts no shadows"},
    {"haze", 0, "SHARE", false, "how thick the air is, 0 to 1; 0.35 by default"},
    {"exaggerate", 0, "FACTOR", false, "heights in the picture times this; 1 by default"},
    {"overlay", 0, "RASTER", false,
     "a raster of results painted on the ground, such as a viewshed: 0 and nodata are left bare"},
    {"model", 0, "FILE", true,
     "a model, in metres, that stands on the ground (.ply, .obj, .lf ...); may be given again for more"},
    {"at", 0, "X,Y[,Z]", true,
     "where the model's origin is; without Z its foot is on the lowest ground under it. The first --at, "
     "--turn and --scale "
     "belong to the first --model, and so on"},
    {"heading", 0, "DEGREES", true,
     "where the model's nose (its +x) points, clockwise from north (+y); 90 by default, as it lies"},
    {"scale", 0, "FACTOR", true, "make the model larger or smaller"},
    {"up", 0, "AXIS", true, "which axis of the model points up: z by default, or y"},
    {"scene", 0, "FILE.lua", false,
     "the world of a script (landfall scene run), in the ground's coordinates; world.land() gives it the "
     "ground"},
    {"steps", 0, "N", false, "of the scene: how many steps to make before the picture; 0 by default"},
    {"dt", 0, "SECONDS", false, "of the scene: how long a step is; 0.05 by default"},
    {"set", 0, "NAME=VALUE", true, "of the scene: what the script gets for world.setting(NAME, ...)"},
    {"samples", 0, "N", false, "rays along each side of a pixel, 1 to 8; 2 by default"},
    {"json", 0, NULL, false, "what was shown as one JSON document"},
    {NULL, 0, NULL, false, NULL},
};

const option map_options[] = {
    {"output", 'o', "FILE", false, "the picture, a .png file"},
    {"contours", 0, "METRES", false, "rasters: contour lines so far apart, every fifth stronger"},
    {"overlay", 0, "RASTER", false,
     "rasters: a raster of results laid over the map, such as a viewshed: 0 and nodata are left bare"},
    {"width", 0, "PIXELS", false, "width of the picture; 960 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option make_options[] = {
    {"output", 'o', "FILE", false,
     "where to write; the ending says what: .ply or .obj polygons, .tif heights, .png a map of it"},
    {"size", 0, "N[,M]", false,
     "mountains, hills, rough, dunes: posts to the east, and to the north (as many when left out; 1024 by "
     "default). Others: about how many polygons"},
    {"seed", 0, "S", false, "another seed makes another one of the kind; 1 by default"},
    {"step", 0, "METRES", false, "metres between posts; 30 by default"},
    {"low", 0, "METRES", false, "lowest height; the kind's own by default"},
    {"high", 0, "METRES", false, "highest height; the kind's own by default"},
    {"width", 0, "PIXELS", false, "width of a picture; 960 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option info_json_options[] = {
    {"json", 0, NULL, false, "one JSON document"},
    {NULL, 0, NULL, false, NULL},
};

const option build_options[] = {
    {"output", 'o', "FILE.lf", false, "where to write"},
    {"codec", 0, "CODEC", false,
     "rasters: how heights are kept: raw, pack, maxplus, haar or d4; by default pack where heights are whole "
     "numbers or --max-error is given, else raw"},
    {"max-error", 0, "METRES", false, "rasters: no height is off by more than this; 0 by default"},
    {"quantise", 0, "B,B,B,B,B", false,
     "haar and d4, instead of --max-error: bits per coefficient of each band, coarsest first"},
    {"as", 0, "model", false, "meshes: a shape that other shapes can touch, instead of ground"},
    {NULL, 0, NULL, false, NULL},
};

const option globe_options[] = {
    {"output", 'o', "FILE.lf", false, "where to write"},
    {"cells", 0, "N", false, "cells along a side of a tile, about; 64 by default"},
    {"memory", 0, "MIB", false, "most memory for heights of rasters; 256 by default"},
    {NULL, 0, NULL, false, NULL},
};

const option export_options[] = {
    {"output", 'o', "FILE", false,
     "where to write: .tif heights of a grid, .ply or .obj polygons of a mesh or model"},
    {NULL, 0, NULL, false, NULL},
};
