#include "commands.h"
#include <landfall/make.h>
#include <stddef.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Groups of options
// ---------------------------------------------------------------------------------------------------

static const option common_options[] = {
    {"threads", 'j', "N", false, "threads to work with; all cores by default"},
    {"quiet", 'q', NULL, false, "no progress bar and no notes, only answers and errors"},
    {"help", 'h', NULL, false, "show this help"},
    {NULL, 0, NULL, false, NULL},
};

static const option ground_options[] = {
    {"only", 0, "NAME", true,
     "meshes: only polygons of this object, group or material are ground; may be given again for more names"},
    {NULL, 0, NULL, false, NULL},
};

static const option raster_options[] = {
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

static const option crs_options[] = {
    {"crs", 0, "CRS", false,
     "rasters: the CRS of the points, such as EPSG:4326; answers come in it too. X is always the easting or "
     "longitude"},
    {NULL, 0, NULL, false, NULL},
};

static const option frame_options[] = {
    {"gravity", 0, "X,Y,Z", false, "meshes: gravity along this vector, instead of 0,0,-1"},
    {"centre", 0, "X,Y,Z", false, "meshes: gravity towards this point: a planet"},
    {"axis", 0, "PX,PY,PZ,DX,DY,DZ,in|out", false,
     "meshes: gravity towards (in) or away from (out) the line through P along D: a turning station"},
    {NULL, 0, NULL, false, NULL},
};

static const option answer_options[] = {
    {"normal", 0, NULL, false, "also the unit normal of the ground there: NX NY NZ"},
    {"digits", 0, "N", false,
     "round to N digits behind the point; without it, numbers are as short as they can be and still read "
     "back as exactly the same number"},
    {"json", 0, NULL, false, "one JSON object per line and question"},
    {NULL, 0, NULL, false, NULL},
};

static const option info_options[] = {
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

static const option field_options[] = {
    {"sectors", 0, "N", false, "distance field: sectors along each side of a chart, 2 to 256; 32 by default"},
    {"layers", 0, "N", false, "distance field: shells per sector, 1 to 16; 4 by default"},
    {NULL, 0, NULL, false, NULL},
};

static const option collide_options[] = {
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

static const option height_options[] = {
    {"at", 0, "X,Y[,Z]", true, "a point to ask about; may be given again"},
    {"up", 0, NULL, false, "the nearest ground at or above Z; without Z the lowest"},
    {"all", 0, NULL, false,
     "every ground over the point, from the top down, with the number of the polygon or cell"},
    {"xy", 0, NULL, false, "points are X,Y: a third column is carried through, not taken for Z"},
    {NULL, 0, NULL, false, NULL},
};

static const option ray_options[] = {
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

static const option walk_options[] = {
    {"from", 0, "X,Y[,Z]", false,
     "where to start: on the topmost ground, or on the highest that is at most a step above Z"},
    {"to", 0, "X,Y[,Z]", false, "where to go"},
    {"step", 0, "METRES", false, "the highest step up that can be taken"},
    {"drop", 0, "METRES", false, "the deepest step down; as --step by default"},
    {"crack", 0, "METRES", false, "obstacles no longer than this are stepped over; 0 by default"},
    {"path", 0, NULL, false, "also the polyline that was walked, a point per line, before the answer"},
    {NULL, 0, NULL, false, NULL},
};

static const option place_options[] = {
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

static const option shadow_options[] = {
    {"light", 0, "X,Y,Z", false, "the direction in which the light shines; with --point, where it is"},
    {"point", 0, NULL, false, "the light is at a place, as a lamp is, not far away"},
    {"at", 0, "X,Y[,Z]", true, "a point to ask about, without Z on the topmost ground; may be given again"},
    {"skin", 0, "METRES", false,
     "what is not farther from a point than this casts no shadow on it; 0.000001 by default"},
    {NULL, 0, NULL, false, NULL},
};

static const option short_answer_options[] = {
    {"digits", 0, "N", false, "round to N digits behind the point"},
    {"json", 0, NULL, false, "one JSON object per line and question"},
    {NULL, 0, NULL, false, NULL},
};

static const option make_options[] = {
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

static const option info_json_options[] = {
    {"json", 0, NULL, false, "one JSON document"},
    {NULL, 0, NULL, false, NULL},
};

static const option build_options[] = {
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

static const option verify_options[] = {
    {NULL, 0, NULL, false, NULL},
};

static const option export_options[] = {
    {"output", 'o', "FILE", false,
     "where to write: .tif heights of a grid, .ply or .obj polygons of a mesh or model"},
    {NULL, 0, NULL, false, NULL},
};

static const choice make_choices[] = {
#define LANDSCAPE_CHOICE(name, value, word, text) {word, text},
#define MADE_CHOICE(name, value, word, count, text) {word, text},
    LF_LANDSCAPE_LIST(LANDSCAPE_CHOICE) LF_MADE_LIST(MADE_CHOICE){NULL, NULL},
};

// ---------------------------------------------------------------------------------------------------
// Subcommands
// ---------------------------------------------------------------------------------------------------

#define GROUND_TEXT                                                                                    \
    "GROUND is a mesh of polygons (.ply, .obj, .stl, .off, .gltf, .glb, .dae or .3ds), any raster of " \
    "heights that GDAL reads, or a .lf file that landfall build has written."

#define INPUT_TEXT                                                                                       \
    "Numbers are split by commas or blanks. Empty lines and lines that start with # are passed over. "   \
    "Further columns are carried through to the answer. A line that cannot be read ends the run: it is " \
    "named by its number, and the answers before it have been written."

#define STATUS_TEXT(question)                                                                            \
    "Exit status: 0 " question ", 1 if not, 2 for an error. With standard input: 0 when every line was " \
    "understood, whatever the answers."

const command commands[] = {
    {"info",
     "GROUND",
     1,
     1,
     "what a ground is made of",
     GROUND_TEXT
     "\n\n"
     "Prints one line per fact: file, format, vertices, polygons, triangles, walls (polygons edge-on to "
     "gravity), flat (polygons without area), cut (concave or bent polygons that were cut into "
     "triangles), dropped (polygons left out), low and high (corners of the box), precision (metres: "
     "the largest rounding of a coordinate by the file), name (number of polygons, name), bytes "
     "(memory held), tree_bytes (of these, the box tree).\n\n"
     "Of a raster: file, format, samples (their type in the file), columns and rows (posts), pixels (area or "
     "point; posts are their centres either way), kind (what x and y are: degrees, projected, engineering or "
     "none, which counts as metres), crs, origin (the first post, in the southwest), spacing (or per_column "
     "and "
     "per_row where it is turned), z_unit (metres that a unit of the file has, already applied), holes, low "
     "and "
     "high, surface, leaf, bytes, bound_bytes (of these, the pyramid of bounds).\n\n"
     "Of a .lf file: file, version (of the format), holds (grid, mesh, group or model), producer, "
     "parameters, hash (of "
     "the content), bytes (of the file), and of a grid columns, rows, holes, low, high, surface, codec, "
     "per_sample (bytes of heights and their index), bound_bytes, max_error (as asked for) and worst_error "
     "(what it came to).\n\n"
     "With --quadtree, prints a line per quadtree: the polygons that a leaf should have at most, the "
     "greatest depth, and what that makes: nodes, bytes, and tests (polygons in a leaf, the mean over the "
     "area). In the picture leaves are the lighter, the more polygons they have.\n\n"
     "With --as model, prints what the file is as a shape: triangles, flat (those without area), surface "
     "(closed, or open and how many edges are), centre and radius of the distance field, its sectors, those "
     "that are filled, layers, entries (triangles in sectors), thickness (metres: the layers' mean), bytes "
     "of "
     "its pyramid as it is stored, in full, and as a quadtree, and of everything. --centre says where the "
     "field "
     "looks from: X,Y,Z.",
     NULL,
     {info_options, ground_options, raster_options, frame_options, field_options, common_options, NULL},
     command_info},
    {"height",
     "GROUND [-]",
     1,
     2,
     "how high the ground is at a point",
     GROUND_TEXT
     " Points are given with --at, or on standard input, one per line: X,Y asks for the topmost "
     "ground, X,Y,Z for the nearest at or below Z.\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  X Y Z            where the ground is\n"
     "  X Y - outside    no ground: the point is beside it all\n"
     "  X Y - hole       no ground: there is some around, not here\n"
     "  X Y - none       no ground on this side of Z, but on the other\n"
     "  X Y Z POLYGON    with --all, a line for each\n\n" STATUS_TEXT("if there is ground at every point"),
     NULL,
     {height_options, answer_options, crs_options, ground_options, raster_options, frame_options,
      common_options, NULL},
     command_height},
    {"ray",
     "GROUND [-]",
     1,
     2,
     "what a ray hits",
     GROUND_TEXT
     " The ray is given with --from and --to or --dir. Without them rays are read from standard "
     "input, one per line: six numbers, from and to. Where the X and Y of a raster are degrees, a "
     "ray needs both ends: it is the straight line between them in longitude, latitude and metres of "
     "height.\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  hit T X Y Z            the first hit: where along the ray, and where\n"
     "  hit T X Y Z POLYGON    with --all, a line for each\n"
     "  hit                    with --any\n"
     "  miss\n\n" STATUS_TEXT("if the ray hits"),
     NULL,
     {ray_options, answer_options, crs_options, ground_options, raster_options, common_options, NULL},
     command_ray},
    {"walk",
     "GROUND",
     1,
     1,
     "whether one can walk from here to there",
     GROUND_TEXT " The way is straight, seen along gravity. At every place of it the walker stands on the "
                 "highest ground that is not "
                 "more than a step above where it stood just before. The whole way is examined: no hole is "
                 "too narrow.\n\n"
                 "Answers:\n\n"
                 "  arrived X Y Z\n"
                 "  stopped X Y Z hole       the last place with ground, before a hole\n"
                 "  stopped X Y Z outside    there is no more ground at all\n"
                 "  stopped X Y Z step H     the ground goes on H metres higher (or, negative, lower)\n"
                 "  stopped X Y - hole       there is no ground to start from\n\n"
                 "Exit status: 0 if it arrives, 1 if not, 2 for an error.",
     NULL,
     {walk_options, short_answer_options, ground_options, raster_options, frame_options, common_options,
      NULL},
     command_walk},
    {"place",
     "GROUND [-]",
     1,
     2,
     "how a thing stands on the ground",
     GROUND_TEXT
     " The thing touches the ground with four wheels (--wheels) or with three or four other points "
     "(--contact). The "
     "ground is asked under each: without Z the topmost, with Z the nearest at or below it. Points are given "
     "with "
     "--at, or on standard input, one per line.\n\n" INPUT_TEXT "\n\n"
     "Answers, with a word for each contact:\n\n"
     "  X Y Z PITCH ROLL ground ground ground ground\n"
     "  X Y Z PITCH ROLL ground hole ground ground    one is over a hole, it stands on the others\n"
     "  X Y - - - ground hole outside ground          too few to stand on\n\n"
     "PITCH and ROLL are in degrees: positive with the nose up, and with the left side up. The wheels are in "
     "the "
     "order front left, front right, rear left, rear right.\n\n" STATUS_TEXT("if every contact has ground"),
     NULL,
     {place_options, short_answer_options, ground_options, raster_options, frame_options, common_options,
      NULL},
     command_place},
    {"shadow",
     "GROUND [-]",
     1,
     2,
     "whether a point is lit",
     GROUND_TEXT " All of it casts shadow, from both "
                 "sides, but no polygon or cell on its own points. Points are given with --at, or on "
                 "standard input, one per "
                 "line.\n\n" INPUT_TEXT "\n\n"
                 "Answers:\n\n"
                 "  X Y Z lit\n"
                 "  X Y Z shadow POLYGON    by the polygon or cell of that number, the nearest\n"
                 "  X Y - hole              no Z was given, and there is no ground here\n\n" STATUS_TEXT(
                     "if every point is lit"),
     NULL,
     {shadow_options, short_answer_options, ground_options, raster_options, common_options, NULL},
     command_shadow},
    {"collide",
     "A B",
     2,
     2,
     "whether two shapes touch",
     "A and B are meshes of polygons, closed or open: .ply, .obj, .stl, .off, .gltf, .glb, .dae or .3ds. "
     "Touching counts, and is decided exactly.\n\n"
     "Answers:\n\n"
     "  touch N      they touch; so many pairs of triangles do\n"
     "  near         with --margin: apart, but not farther than that\n"
     "  apart\n"
     "  A B          with --pairs or --one: the numbers of two triangles\n"
     "  distance D from X Y Z to X Y Z\n\n"
     "Triangles are numbered polygon by polygon, an n-gon counts n - 2. Exit status: 0 if they touch (or are "
     "near), 1 if not, 2 for an error.",
     NULL,
     {collide_options, short_answer_options, field_options, common_options, NULL},
     command_collide},
    {"make",
     "KIND",
     1,
     1,
     "write generated terrain, models or their pictures",
     "The same kind, size, seed and step give the same file on every machine. A file is written beside its "
     "place and renamed, so that it is whole or not there.",
     make_choices,
     {make_options, common_options, NULL},
     command_make},
    {"build",
     "GROUND",
     1,
     1,
     "write ground to a .lf file, which opens at once",
     GROUND_TEXT
     " The file holds heights, compressed or not, and everything that finds answers; it is mapped when it is "
     "opened, and asked as it lies. It is written beside its place and renamed, so that it is whole or not "
     "there.\n\n"
     "Codecs:\n\n"
     "  raw        heights as they are\n"
     "  pack       foretold from their neighbours, the rest packed: the smallest, and quick\n"
     "  maxplus    maxima and differences: small blocks bring their bounds along\n"
     "  haar, d4   wavelets\n\n"
     "Whole numbers are kept exactly; others need --max-error (or --quantise), which is never exceeded.\n\n"
     "Prints what landfall info says about the file.",
     NULL,
     {build_options, info_json_options, ground_options, raster_options, frame_options, field_options,
      common_options, NULL},
     command_build},
    {"verify",
     "FILE.lf",
     1,
     1,
     "whether a .lf file is whole",
     "Reads all of it and compares checksums. Prints ok, or says on standard error what is wrong. Exit "
     "status: 0 if it "
     "is whole, 2 if not.",
     NULL,
     {verify_options, common_options, NULL},
     command_verify},
    {"export",
     "FILE.lf",
     1,
     1,
     "write what a .lf file holds for other programs",
     "Heights of a grid become a GeoTIFF (float, holes as nodata) with its place and CRS; polygons of a mesh "
     "or a "
     "model become .ply or .obj.",
     NULL,
     {export_options, common_options, NULL},
     command_export},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, {NULL}, NULL},
};

const command *command_find(const char *name) {
    for (const command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}
