#include "commands.h"
#include "option_groups.h"
#include <samples.h>
#include <stddef.h>
#include <string.h>

static const choice make_choices[] = {
#define LANDSCAPE_CHOICE(name, value, word, text) {word, text},
#define MADE_CHOICE(name, value, word, count, text) {word, text},
    LF_LANDSCAPE_LIST(LANDSCAPE_CHOICE)
        LF_MADE_LIST(MADE_CHOICE){"planet", "a planet, whole degrees by default: continents, ranges, sea "
                                            "floors (.tif; --size: rows from pole to pole)"},
    {NULL, NULL},
};

// ---------------------------------------------------------------------------------------------------
// Subcommands
// ---------------------------------------------------------------------------------------------------

#define GROUND_TEXT                                                                                    \
    "GROUND is a mesh of polygons (.ply, .obj, .stl, .off, .gltf, .glb, .dae or .3ds), any raster of " \
    "heights that GDAL reads, or a .lf file that landfall build has written."

#define GLOBE_TEXT                                                                                       \
    " Or it is a globe: a .lf file that landfall globe build has written, or a folder of terrain tiles " \
    "with "                                                                                              \
    "its layer.json. There X, Y and Z are longitude, latitude and metres above the ellipsoid, and the "  \
    "finest "                                                                                            \
    "tiles there are answer."

#define RASTER_TEXT "RASTER is any raster of heights that GDAL reads."

#define BEND_TEXT                                                                                       \
    "Lines bend with the earth and the air: at a distance d from an end of a line of length L it lies " \
    "lower by "                                                                                         \
    "C d (L - d) / (2 R) than on a flat earth. Every answer says which C (--cc) it was."

#define RESULT_TEXT                                                                                      \
    "The result lies on the pixels of RASTER, with its CRS; its metadata have the version and what was " \
    "asked "                                                                                             \
    "for. It is written beside its place and renamed, so that it is whole or not there."

#define INPUT_TEXT                                                                                       \
    "Numbers are split by commas or blanks. Empty lines and lines that start with # are passed over. "   \
    "Further columns are carried through to the answer. A line that cannot be read ends the run: it is " \
    "named by its number, and the answers before it have been written."

#define STATUS_TEXT(question)                                                                            \
    "Exit status: 0 " question ", 1 if not, 2 for an error. With standard input: 0 when every line was " \
    "understood, whatever the answers."

static const char *const gdal_viewshed_words[] = {"-ox", "-oy", NULL};

static const command gdal_viewshed = {"viewshed",
                                      "SOURCE RESULT",
                                      2,
                                      2,
                                      "a viewshed, called as gdal_viewshed is",
                                      "SOURCE is any raster of heights that GDAL reads. Each pixel is asked "
                                      "about as landfall sight would, with the "
                                      "observer in the middle of a pixel. The result has the size, type, "
                                      "values and place that gdal_viewshed gives it: "
                                      "bytes for NORMAL, 64-bit floats for DEM (above datum) and GROUND "
                                      "(above ground). Holes hide nothing, as a nodata of -9999 does there.",
                                      NULL,
                                      {gdal_viewshed_options, NULL},
                                      command_gdal_viewshed,
                                      NULL,
                                      gdal_viewshed_words};

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
     "Of a .lf file: file, version (of the format), holds (grid, mesh, group, model or globe), producer, "
     "parameters, hash (of the content), bytes (of the file). Of a grid what a raster has, as its source "
     "said it, "
     "and extent (west, south, east and north edge of the pixels), xy_unit (metres of a unit of the source), "
     "nodata "
     "(the source's number), codec, levels (of the pyramid), per_sample (bytes of heights and their index), "
     "max_error (as asked for) and worst_error (what it came to). Of a globe levels, roots (tiles of the "
     "coarsest "
     "level), ellipsoid (radius and flattening), low and high (bounds of all heights), holes (samples "
     "without a "
     "height in all tiles). Of meshes and groups vertices, polygons, parts, low and high.\n\n"
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
     command_info,
     NULL,
     NULL},
    {"height",
     "GROUND [-]",
     1,
     2,
     "how high the ground is at a point",
     GROUND_TEXT GLOBE_TEXT
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
     command_height,
     NULL,
     NULL},
    {"ray",
     "GROUND [-]",
     1,
     2,
     "what a ray hits",
     GROUND_TEXT GLOBE_TEXT
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
     command_ray,
     NULL,
     NULL},
    {"walk",
     "GROUND",
     1,
     1,
     "whether one can walk from here to there",
     GROUND_TEXT GLOBE_TEXT
     " The way is straight, seen along gravity. At every place of it the walker stands on the "
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
     command_walk,
     NULL,
     NULL},
    {"place",
     "GROUND [-]",
     1,
     2,
     "how a thing stands on the ground",
     GROUND_TEXT GLOBE_TEXT
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
     command_place,
     NULL,
     NULL},
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
                 "  X Y Z shadow -          the sun is down: the planet is in the way\n"
                 "  X Y - hole              no Z was given, and there is no ground here\n\n" STATUS_TEXT(
                     "if every point is lit"),
     NULL,
     {shadow_options, shade_options, north_options, shadow_result_options, short_answer_options, bend_options,
      ground_options, raster_options, common_options, NULL},
     command_shadow,
     NULL,
     NULL},
    {"sight",
     "GROUND [-]",
     0,
     2,
     "whether one point sees another",
     GROUND_TEXT GLOBE_TEXT
     " The points are given with --from and --to. Without them pairs are read from standard input, one per "
     "line: "
     "X,Y,X,Y or X,Y,H,X,Y,H. Ground that a line only touches does not block it, and the verdict is the same "
     "both "
     "ways. " BEND_TEXT "\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  clear C cc CC             it sees it; the least height of the line over ground between\n"
     "  blocked X Y Z cc CC       where the line first goes below ground\n"
     "  unknown hole X Y cc CC    where it enters a hole that might block it\n"
     "  unknown REASON X Y cc CC  one of the points has no ground to stand on: hole or outside\n\n"
     "With --path the answers are blocked D Z, and lines for both ends: the angle of its horizon above "
     "level, in "
     "degrees, and the metres to what makes it.\n\n" STATUS_TEXT("if the line is clear"),
     NULL,
     {sight_options, bend_options, freq_options, short_answer_options, crs_options, ground_options,
      raster_options, common_options, NULL},
     command_sight,
     NULL,
     NULL},
    {"viewshed",
     "RASTER",
     1,
     1,
     "what can be seen from a place",
     RASTER_TEXT
     " Every post of it is asked about as landfall sight would: none is guessed. " BEND_TEXT "\n\n"
     "Modes:\n\n"
     "  visible   bytes: 1 seen, 0 hidden, 2 unknown (a hole in the way)\n"
     "  ground    least height above ground at which something would be seen; 0 where the ground is\n"
     "  dem       the same above datum\n"
     "  angle     degrees above level under which a target that is seen appears\n"
     "  distance  metres on the map to a target that is seen\n"
     "  count     how many observers see it\n"
     "  who       bit planes: bit k % 8 of band k / 8 + 1 is set where observer k sees it\n\n"
     "With -o FILE.csv the last two become a table of the posts that somebody sees: x, y, count, and with "
     "who the names of the observers, or their numbers from 0, with ; between. "
     "Holes and what is beyond --range, --azimuth or --pitch are nodata. " RESULT_TEXT "\n\n"
     "Prints how many posts are visible, hidden, unknown, hole and beyond, and for a table of who a line "
     "sees N NAME for each observer. Exit status: 0 when it is "
     "written, 2 for "
     "an error.\n\n"
     "With -ox and -oy the options are those of gdal_viewshed: landfall viewshed -ox X -oy Y --help shows "
     "them.",
     NULL,
     {viewshed_options, north_options, bend_options, result_options, crs_options, raster_options,
      common_options, NULL},
     command_viewshed,
     &gdal_viewshed,
     NULL},
    {"camera",
     "GLOBE PATH",
     2,
     2,
     "fly a path over a globe without going under ground",
     "GLOBE is a .lf file that holds a globe, or a folder of terrain tiles (layer.json and "
     "quantized-mesh-1.0 tiles). PATH has lines "
     "TIME,LON,LAT,HEIGHT: seconds, degrees, metres above the ellipsoid; - is standard input. " INPUT_TEXT
     "\n\n"
     "Each line is a frame. Between two frames the camera goes around the globe and up or down; where ground "
     "and "
     "the clearance are in its way it is raised, for ground ahead too, but never faster than --limit: where "
     "that "
     "is not fast enough it is held back on its path and arrives later. A path that begins below ground "
     "begins above it.\n\n"
     "Answers:\n\n"
     "  time,lon,lat,height    of the camera\n"
     "  path_time,path_height  where it is on its path, and how high that is\n"
     "  ground                 below it; nothing where there is none\n"
     "  raised,share           metres that it was raised by in this frame, and the part of the way that it "
     "went\n"
     "  did                    free, or words joined by +: slid, raised, ahead, held, recovering; coarse "
     "where the bound of a "
     "coarser tile counted, unproven where the source gives no bound of tiles that are missing\n\n"
     "With -o these go into a file, and how often each was done is printed. Exit status: 0 if it arrived, 1 "
     "if it is "
     "held back for 20 times as many frames as the path has, 2 for an error.",
     NULL,
     {camera_options, common_options, NULL},
     command_camera,
     NULL,
     NULL},
    {"horizon",
     "RASTER",
     1,
     1,
     "where the skyline is",
     RASTER_TEXT
     " The elevation is exact for the direction asked for, and negative where the skyline is below "
     "level. " BEND_TEXT "\n\n"
     "Answers:\n\n"
     "  AZIMUTH ELEVATION DISTANCE X Y Z cc CC         degrees, metres, and the place that makes it\n"
     "  AZIMUTH ELEVATION DISTANCE X Y Z hole cc CC    there is a hole that way, which might be higher\n"
     "  AZIMUTH - none cc CC                           no ground that way\n\n"
     "With -o these go into a file: .csv or .json, or .png, .svg or .pdf, a plot. With --map or --sky -o is "
     "a "
     "raster. " RESULT_TEXT " Exit status: 0, 2 for an error.",
     NULL,
     {horizon_options, north_options, bend_options, result_options, crs_options, raster_options,
      common_options, NULL},
     command_horizon,
     NULL,
     NULL},
    {"sunhours",
     "RASTER",
     1,
     1,
     "hours of sun over a day",
     RASTER_TEXT
     " Every post gets the hours in which no ground hides the sun's middle, refracted as by usual air, "
     "as it stands over each place (to 0.05 degrees). " BEND_TEXT "\n\n" RESULT_TEXT
     " Prints the number of suns that were looked at, and the hours between rise and set. Exit status: 0, 2 "
     "for an error.",
     NULL,
     {sunhours_options, bend_options, result_options, raster_options, common_options, NULL},
     command_sunhours,
     NULL,
     NULL},
    {"intervisible",
     "GROUND POINTS",
     2,
     2,
     "which of many points see one another",
     GROUND_TEXT " POINTS is a text (.csv, .txt: X,Y[,H[,NAME]], or as a first line of names says) or any "
                 "vector file of points with "
                 "fields height and name. " BEND_TEXT "\n\n"
                 "Prints a line for each point: its name or number, and for each point a sign: + seen, - "
                 "not, ? unknown, . itself; and at the "
                 "end a line cc CC. Exit status: 0 if all see one another, 1 if not, 2 for an error.",
     NULL,
     {intervisible_options, bend_options, crs_options, ground_options, raster_options, common_options, NULL},
     command_intervisible,
     NULL,
     NULL},
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
     command_collide,
     NULL,
     NULL},
    {"render",
     "GROUND",
     1,
     1,
     "a picture of the ground as one sees it",
     GROUND_TEXT "\n\n"
                 "Every pixel is a few rays, as landfall ray would cast them, and from what they meet others "
                 "go to the sun. "
                 "Colours are by height, with rock where it is steep. On rasters in degrees Z is in metres "
                 "all the same.\n\n"
                 "Prints the view: eye, look, fov, azimuth and altitude of the sun, so that the next picture "
                 "can start from "
                 "it. The picture is written beside its place and renamed. Exit status: 0, 2 for an error.",
     NULL,
     {render_options, north_options, ground_options, raster_options, frame_options, common_options, NULL},
     command_render,
     NULL,
     NULL},
    {"map",
     "GROUND",
     1,
     1,
     "a picture of the ground from above",
     GROUND_TEXT "\n\n"
                 "Shaded relief with a key and a scale bar; --overlay lays results over it. The picture is "
                 "written beside its "
                 "place and renamed. Exit status: 0, 2 for an error.",
     NULL,
     {map_options, ground_options, raster_options, common_options, NULL},
     command_map,
     NULL,
     NULL},
    {"scene",
     "run FILE.lua",
     2,
     2,
     "run a world of moving things, written in Lua",
     "FILE.lua says what things are made of, where they are, what is watched, and how they react; "
     "docs/scenes.md tells how. It "
     "reaches neither files nor the system, and has a budget of instructions (50 million a step), of "
     "memory (256 MB), of output (1 MiB a step) and of time (--time-limit). Models are read for it: .ply, "
     ".obj and .lf files in its own folder or below.\n\n"
     "Prints a line for each event, what the script says, and statistics at the end:\n\n"
     "  TIME begin A B\n"
     "  TIME stay A B\n"
     "  TIME end A B\n"
     "  TIME predicted A B in SECONDS\n"
     "  TIME cleared A B\n\n"
     "A and B are NAME#NUMBER, the object's name and the instance's number, ground or nothing. Exit status: "
     "0 when the run came to its "
     "end, 2 for an error, which names the file and the line.",
     NULL,
     {scene_options, short_answer_options, common_options, NULL},
     command_scene,
     NULL,
     NULL},
    {"make",
     "KIND",
     1,
     1,
     "write generated terrain, models or their pictures",
     "The same kind, size, seed and step give the same file on every machine. A file is written beside its "
     "place and renamed, so that it is whole or not there.",
     make_choices,
     {make_options, common_options, NULL},
     command_make,
     NULL,
     NULL},
    {"globe",
     "build RASTER...|FOLDER",
     1,
     1000,
     "cut rasters into the tiles of a globe",
     "RASTER is any raster of heights in longitude and latitude that GDAL reads, of the whole globe or a "
     "part "
     "of it; where there are several the finest counts. They are cut into tiles of several levels, each with "
     "the least and the greatest height of all finer ones beneath it, and written to a .lf file, beside its "
     "place and renamed. FOLDER is a folder of terrain tiles with its layer.json: its tiles become such a "
     "file, and get the bounds that they lack. landfall height, ray, sight, walk, place and camera ask it: "
     "points are LON,LAT[,HEIGHT], heights above the ellipsoid, and lines are straight in space.",
     NULL,
     {globe_options, common_options, NULL},
     command_globe,
     NULL,
     NULL},
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
     command_build,
     NULL,
     NULL},
    {"verify",
     "FILE.lf",
     1,
     1,
     "whether a .lf file is whole",
     "Reads all of it and compares checksums. Prints ok, or says on standard error what is wrong. Exit "
     "status: 0 if it "
     "is whole, 2 if not.",
     NULL,
     {common_options, NULL},
     command_verify,
     NULL,
     NULL},
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
     command_export,
     NULL,
     NULL},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, {NULL}, NULL, NULL, NULL},
};

const command *command_find(const char *name) {
    for (const command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

const command *command_meant(const command *command, int count, char *const *words) {
    if (!command->other)
        return command;
    for (int i = 0; i < count; i++)
        for (const char *const *telling = command->other->telling; *telling; telling++)
            if (strcmp(words[i], *telling) == 0)
                return command->other;
    return command;
}
