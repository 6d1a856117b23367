/// The table of subcommands: parsing, checks, help, manual pages and completion read it.
#include "commands.h"
#include "option_tables.h"
#include <samples.h>
#include <string.h>

#define GROUND_TEXT                                                                                       \
    "GROUND is a mesh of polygons (.ply, .obj, .stl, .off, .gltf, .glb, .dae or .3ds), any raster of "    \
    "heights that GDAL reads, a .lf file that landfall build has written, or a world file (.world.json) " \
    "that lists such parts, boxes and buildings."

#define GLOBE_TEXT                                                                                           \
    " Or it is a globe: a .lf file that landfall globe build has written, or a folder of terrain tiles "     \
    "with its layer.json. There X, Y and Z are longitude, latitude and metres above the ellipsoid, and the " \
    "finest tiles answer."

#define RASTER_TEXT "RASTER is any raster of heights that GDAL reads."

#define CURVATURE_TEXT                                                                                      \
    "The earth curves and air refracts light: at a distance d from an end of a line of length L the line "  \
    "is lower by C d (L - d) / (2 R) than on a flat earth. Every answer has the coefficient C (--cc) that " \
    "was used."

#define RESULT_TEXT                                                                                     \
    "The result has the pixels and CRS of RASTER; its metadata has the version and the options. It is " \
    "written beside its place and renamed, so that it is complete or not there."

#define INPUT_TEXT                                                                                         \
    "Numbers are split by commas or blanks. Empty lines and lines that start with # are skipped. Further " \
    "columns are carried through to the answer. A line that cannot be read ends the run: the message has " \
    "its number, and the answers before it have been written."

#define STATUS_TEXT(question)                                                                         \
    "Exit status: 0 " question                                                                        \
    ", 1 if not, 2 for an error. With standard input: 0 when every line could be read, whatever the " \
    "answers."

#define POINTS_TEXT "Points are given with --at, or on standard input, one per line"

// ---- Rules between options ----------------------------------------------------------------------

#define FRAMED "gravity|centre|axis"
#define XYZ(name) \
    { name, FRAMED, .least = 3, .value = "X,Y,Z" }
#define XYH(name, height) \
    { name, "datum !" height, .least = 3, .value = "X,Y,H" }
#define NEEDED(options) \
    { "", .needs = options }
#define END \
    { .subject = NULL }
#define PICTURE_RULES                                     \
    {"output=*.png", "!format", .excludes = "co"}, {      \
        "width", "!output=*.csv", .needs = "output=*.png" \
    }
#define MESH_FILE                                                                                           \
    "GROUND=*.ply|GROUND=*.obj|GROUND=*.stl|GROUND=*.off|GROUND=*.gltf|GROUND=*.glb|GROUND=*.dae|GROUND=*." \
    "3ds"
#define POLYGON_KIND "KIND=park|KIND=city|KIND=sphere|KIND=knot"
#define NO_KIND(name) \
    { name, POLYGON_KIND "|KIND=planet", .refuse = "does not apply to this KIND" }

static const rule info_rules[] = {{"output", "!as !quadtree GROUND=*.lf", .refuse = "not for .lf files"},
                                  {"output", "!as !quadtree " MESH_FILE,
                                   .refuse = "goes with --quadtree or --as model where GROUND is a mesh"},
                                  END};
static const rule height_rules[] = {XYZ("at"), {"at", "xy", .least = 2, .value = "X,Y"}, END};
static const rule sweep_rules[] = {NEEDED("sphere|box"), END};
static const rule collide_rules[] = {{"heading", .needs = "at"},
                                     {"pitch", .needs = "at"},
                                     {"roll", .needs = "at"},
                                     {"report=layer", .excludes = "method=auto method=tree"},
                                     {"report=sector", .excludes = "method=auto method=tree"},
                                     {"report=pair", .excludes = "pairs"},
                                     END};
static const rule walk_rules[] = {NEEDED("from"), NEEDED("to"), NEEDED("step"), XYZ("from"), XYZ("to"), END};
static const rule place_rules[] = {
    NEEDED("wheels|contact"),
    {"contact", "!contact#3", .refuse = "given fewer than three times: expected three or four"},
    {"contact#5", .refuse = "given more than four times: expected three or four"},
    XYZ("at"),
    END};
static const rule shadow_rules[] = {NEEDED("light|sun|time"), PICTURE_RULES, END};
static const rule sight_rules[] = {{"", "!path", .needs = "GROUND"},
                                   XYH("from", "eye"),
                                   XYH("to", "target"),
                                   {"xy", "datum !eye", .needs = "eye"},
                                   {"xy", "datum !target", .needs = "target"},
                                   END};
static const rule viewshed_rules[] = {NEEDED("at|observers"),
                                      {"at#2", .needs = "mode=count|mode=who"},
                                      {"output=*.csv", "!format", .needs = "mode=count|mode=who"},
                                      {"output=*.csv", "!format", .excludes = "co width"},
                                      XYH("at", "eye"),
                                      PICTURE_RULES,
                                      NEEDED("output"),
                                      END};
static const rule site_rules[] = {NEEDED("choose"), END};
static const rule gdal_rules[] = {NEEDED("ox"), NEEDED("oy"), END};
static const rule horizon_rules[] = {
    NEEDED("at|map|sky"),
    {"memory", "at", .refuse = "goes with --map or --sky"},
    {"tile", "at", .refuse = "goes with --map or --sky"},
    XYH("at", "eye"),
    {"output", "at !output=*.png !output=*.svg !output=*.pdf !output=*.csv !output=*.json",
     .refuse = "expected a file name that ends in .png, .svg, .pdf, .csv or .json"},
    PICTURE_RULES,
    END};
static const rule sunhours_rules[] = {NEEDED("date"), NEEDED("output"), PICTURE_RULES, END};
static const rule output_rules[] = {NEEDED("output"), END};
static const rule build_rules[] = {
    NEEDED("output"), {"codec=raw", "!max-error=0", .excludes = "max-error quantise"}, END};
static const rule make_rules[] = {
    NEEDED("output"),
    {"output=*.json", "!KIND=city|!output=*.world.json",
     .refuse = "only a city can be a world: expected a file name that ends in .world.json"},
    {"output", "KIND=planet !output=*.tif !output=*.tiff",
     .refuse = "a planet is heights: expected a file name that ends in .tif"},
    {"output=*.tif|output=*.tiff", POLYGON_KIND,
     .refuse = "this KIND is polygons, not heights: expected a file name that ends in .ply, .obj or .png"},
    NO_KIND("step"),
    NO_KIND("low"),
    NO_KIND("high"),
    {"size", POLYGON_KIND "|KIND=planet", .least = 1, .value = "N"},
    END};

// ---- Subcommands --------------------------------------------------------------------------------

static const choice make_choices[] = {
#define LANDSCAPE_CHOICE(name, value, word, text) {word, text},
#define MADE_CHOICE(name, value, word, count, text) {word, text},
    LF_LANDSCAPE_LIST(LANDSCAPE_CHOICE) LF_MADE_LIST(MADE_CHOICE){
        "planet",
        "a planet, whole degrees by default: continents, ranges, sea floors (.tif; --size: rows from pole "
        "to pole)"},
    {NULL, NULL},
};

static const char *const gdal_viewshed_signs[] = {"-ox", "-oy", NULL};

#define COMMAND(word, spelled, fewest, greatest, function) \
    .name = word, .arguments = spelled, .least = fewest, .most = greatest, .run = function

static const command gdal_viewshed = {
    COMMAND("viewshed", "SOURCE RESULT", 2, 2, command_gdal_viewshed),
    .summary = "a viewshed, called as gdal_viewshed is",
    .details =
        "SOURCE is any raster of heights that GDAL reads. Each pixel gets the answer of landfall sight, "
        "with the observer in the middle of a pixel. The result has the size, type, values and position "
        "that gdal_viewshed gives it: bytes for NORMAL, 64-bit floats for DEM (above datum) and GROUND "
        "(above ground). Voids hide nothing, as a nodata of -9999 does there.",
    .groups = {gdal_viewshed_options, NULL},
    .rules = gdal_rules,
    .ground = NEEDS_RASTER,
    .signs = gdal_viewshed_signs};

#define ANSWERS(...)         \
    (const field *const[]) { \
        __VA_ARGS__, NULL    \
    }

const command commands[] = {
    {COMMAND("info", "GROUND", 1, 1, command_info), .summary = "describe a ground",
     .details = GROUND_TEXT
     "\n\n"
     "Prints one line per fact. Of a mesh: file, format, vertices, polygons, triangles, walls (polygons "
     "edge-on to gravity), flat (polygons without area), cut (concave or curved polygons that were cut "
     "into triangles), dropped (polygons left out), low and high (corners of the box), precision "
     "(metres: the largest rounding of a coordinate by the file), name (number of polygons, name), "
     "bytes (memory used), tree_bytes (of these, the box tree).\n\n"
     "Of a raster: file, format, samples (their type in the file), columns and rows (samples), pixels "
     "(area or point; samples are their centres either way), kind (of x and y: degrees, projected, "
     "engineering or none, which counts as metres), crs, origin (the first sample, in the southwest), "
     "spacing (or per_column and per_row where it is turned), z_unit (metres of a unit of the file, "
     "already applied), holes (samples without a height), low and high, surface, leaf, bytes "
     "(of memory; above 134 million samples without marks of voids), bound_bytes (of these, bounds).\n\n"
     "Of a .lf file: file, version (of the format), holds (grid, mesh, group, model or globe), "
     "producer, parameters, hash (of the content), bytes (of the file). Of a grid the facts of its "
     "raster, and extent (west, south, east and north edge of the pixels), xy_unit (metres of a unit of "
     "the source), nodata (the source's value), codec, levels (of the pyramid), per_sample (bytes of "
     "heights and their index), max_error (as given) and worst_error (the largest one there is). Of a "
     "globe levels, roots (tiles of the coarsest level), radius and flattening (of the ellipsoid), low "
     "and high (bounds of all heights), holes (samples without a height in all tiles). Of meshes and "
     "groups vertices, polygons, parts, low and high. Of a world file file, format, parts, buildings, crs, "
     "vertical (the datum of "
     "heights), low and high, and of its globe what a globe has; of a folder of terrain tiles the same as of "
     "a globe.\n\n"
     "With --pyramid or --quadtree, prints a table, a line per tree. Of a quadtree: the polygons that a "
     "leaf should have at most, the greatest depth, and the result: nodes, bytes, and tests (polygons "
     "in a leaf, the mean over the area). In the picture leaves are the lighter, the more polygons they "
     "have.\n\n"
     "With --as model, prints the file as a shape: triangles, flat (those without area), closed (true "
     "or false), open_edges, centre and radius of the distance field, its sectors, those that are "
     "filled, layers, entries (triangles in sectors), thickness (metres: the layers' mean), bytes of "
     "its pyramid as it is stored, in full, and as a quadtree, and of everything. --centre sets the "
     "centre of the field: X,Y,Z.",
     .groups = {info_options, ground_options, raster_options, frame_options, field_options, common_options,
                NULL},
     .rules = info_rules, .ground = TAKES_GLOBES,
     .answers = ANSWERS(info_fields, model_fields, quadtree_fields, pyramid_fields)},
    {COMMAND("height", "GROUND [-]", 1, 2, command_height), .summary = "height of the ground at a point",
     .details = GROUND_TEXT GLOBE_TEXT
     " " POINTS_TEXT ": X,Y asks for the topmost ground, X,Y,Z for the nearest at or below Z.\n\n" INPUT_TEXT
     "\n\n"
     "Answers:\n\n"
     "  X Y Z            the point on the ground\n"
     "  X Y - outside    no ground: the point is outside all of it\n"
     "  X Y - hole       no ground here, but around\n"
     "  X Y - none       no ground on this side of Z, but on the other\n"
     "  X Y Z POLYGON    with --all, a line for each\n\n" STATUS_TEXT("if there is ground at every point"),
     .groups = {height_options, answer_options, crs_options, ground_options, raster_options, frame_options,
                common_options, NULL},
     .rules = height_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(height_fields, height_hit_fields)},
    {COMMAND("ray", "GROUND [-]", 1, 2, command_ray), .summary = "first hit of a ray",
     .details = GROUND_TEXT GLOBE_TEXT
     " The ray is given with --from and --to or --dir. Without them rays are read from standard input, "
     "one per line: six numbers, from and to. Where the X and Y of a raster are degrees, a ray needs "
     "both ends: it is the straight line between them in longitude, latitude and metres of "
     "height.\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  hit T X Y Z            the first hit: the parameter along the ray, and the point\n"
     "  hit T X Y Z POLYGON    with --all, a line for each\n"
     "  hit                    with --any\n"
     "  miss\n\n" STATUS_TEXT("if the ray hits"),
     .groups = {ray_options, answer_options, crs_options, ground_options, raster_options, common_options,
                NULL},
     .ground = TAKES_GLOBES, .answers = ANSWERS(ray_fields)},
    {COMMAND("sweep", "GROUND [-]", 1, 2, command_sweep),
     .summary = "first contact of a sphere or box that moves",
     .details = GROUND_TEXT GLOBE_TEXT
     " The body (--sphere or --box) moves straight, without turning, from --from to --to. Without them moves "
     "are read from "
     "standard input, one per line: six numbers. The motion is continuous: nothing is passed through, "
     "however fast. The ground is "
     "its surface, from both sides.\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  hit T X Y Z point X Y Z    the body's centre at the first contact, and the point it touches\n"
     "  miss\n\n"
     "T is how far along the way. With --normal the unit vector from that point to the body follows. T is "
     "not later than the contact, "
     "and not earlier than "
     "that of a body larger by --tolerance on all sides.\n\n" STATUS_TEXT("if it touches"),
     .groups = {sweep_options, turn_options, answer_options, crs_options, ground_options, raster_options,
                common_options, NULL},
     .rules = sweep_rules, .ground = TAKES_GLOBES | NEEDS_METRES, .metres = "a body that moves",
     .answers = ANSWERS(sweep_fields)},
    {COMMAND("locale", "GROUND...", 1, 1000, command_locale), .summary = "which named volumes hold a point",
     .details = GROUND_TEXT GLOBE_TEXT
     " Each GROUND is a locale: the volume with floor below and ceiling above, both of them in that ground, "
     "or the ceiling in another one "
     "(--ceiling). Its name is the file's, up to the first dot. Locales may overlap, and need no walls: "
     "their sides are where floor "
     "or ceiling end. " POINTS_TEXT
     ". With --from and --to the borders are found that a straight move crosses.\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  X Y Z NAME NAME    the locales that hold the point\n"
     "  X Y Z -            none does\n"
     "  enter T X Y Z NAME\n"
     "  leave T X Y Z NAME\n\n" STATUS_TEXT("if every point is in a locale, or the move crosses a border"),
     .groups = {locale_options, short_answer_options, crs_options, ground_options, raster_options,
                frame_options, common_options, NULL},
     .ground = TAKES_GLOBES, .answers = ANSWERS(locale_fields, crossing_fields)},
    {COMMAND("walk", "GROUND", 1, 1, command_walk), .summary = "whether one can walk from here to there",
     .details = GROUND_TEXT GLOBE_TEXT
     " The way is straight, seen along gravity. At every place of it the walker stands on the highest "
     "ground that is not more than a step above where it stood just before. The whole way is examined: "
     "no hole is too narrow.\n\n"
     "Answers:\n\n"
     "  arrived X Y Z\n"
     "  stopped X Y Z hole       the last place with ground, before a hole\n"
     "  stopped X Y Z outside    there is no more ground at all\n"
     "  stopped X Y Z step H     the ground continues H metres higher (or, negative, lower)\n"
     "  stopped X Y - hole       there is no ground to start from\n\n"
     "Exit status: 0 if it arrives, 1 if not, 2 for an error.",
     .groups = {walk_options, short_answer_options, ground_options, raster_options, frame_options,
                common_options, NULL},
     .rules = walk_rules, .ground = TAKES_GLOBES | NEEDS_METRES, .metres = "a walk",
     .answers = ANSWERS(walk_fields)},
    {COMMAND("place", "GROUND [-]", 1, 2, command_place),
     .summary = "position and tilt of a vehicle on the ground",
     .details = GROUND_TEXT GLOBE_TEXT
     " The vehicle touches the ground with four wheels (--wheels) or with three or four other points "
     "(--contact). The ground is asked under each: without Z the topmost, with Z the nearest at or "
     "below it. " POINTS_TEXT ".\n\n" INPUT_TEXT "\n\n"
     "Answers, with a name for each contact:\n\n"
     "  X Y Z PITCH ROLL ground ground ground ground\n"
     "  X Y Z PITCH ROLL ground hole ground ground    one is over a hole, it stands on the others\n"
     "  X Y - - - ground hole outside ground          too few to stand on\n\n"
     "PITCH and ROLL are in degrees: positive with the nose up, and with the left side up. The wheels "
     "are in the order front left, front right, rear left, rear right.\n\n" STATUS_TEXT(
         "if every contact has ground"),
     .groups = {place_options, short_answer_options, ground_options, raster_options, frame_options,
                common_options, NULL},
     .rules = place_rules, .ground = TAKES_GLOBES | NEEDS_METRES, .metres = "standing on wheels",
     .answers = ANSWERS(place_fields, place_contact_fields)},
    {COMMAND("shadow", "GROUND [-]", 1, 2, command_shadow), .summary = "whether a point is lit",
     .details = GROUND_TEXT GLOBE_TEXT
     " Directions are east, north and up there. All of it casts shadow, from both sides, but no polygon or "
     "cell on its own points. " POINTS_TEXT ".\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  X Y Z lit\n"
     "  X Y Z shadow POLYGON    by the polygon or cell of that number, the nearest\n"
     "  X Y Z shadow -          the sun is below the horizon of the planet\n"
     "  X Y - hole              no Z was given, and there is no ground here\n\n" STATUS_TEXT(
         "if every point is lit"),
     .groups = {shadow_options, north_options, shadow_result_options, short_answer_options, curvature_options,
                void_options, ground_options, raster_options, common_options, NULL},
     .rules = shadow_rules, .metres = "light", .answers = ANSWERS(shadow_fields, shade_fields)},
    {COMMAND("sight", "GROUND [-]", 0, 2, command_sight), .summary = "whether one point sees another",
     .details = GROUND_TEXT GLOBE_TEXT
     " The points are given with --from and --to. Without them pairs are read from standard input, one "
     "per line: X,Y,X,Y or X,Y,H,X,Y,H. Ground that a line only touches does not block it, and the "
     "verdict is the same both ways. " CURVATURE_TEXT "\n\n" INPUT_TEXT "\n\n"
     "Answers:\n\n"
     "  clear C cc CC             visible; the least height of the line over ground between\n"
     "  blocked X Y Z cc CC       hidden; where the line first goes below ground\n"
     "  unknown hole X Y cc CC    where it enters a void that might block it\n"
     "  unknown REASON X Y cc CC  one of the points has no ground to stand on: hole or outside\n\n"
     "With --path the answers are blocked D Z, and lines for both ends: the angle of its horizon above "
     "level, in degrees, and the metres to what makes it.\n\n" STATUS_TEXT("if the line is clear"),
     .groups = {sight_options, curvature_options, void_options, short_answer_options, crs_options,
                ground_options, raster_options, common_options, NULL},
     .rules = sight_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(sight_fields, sight_path_fields)},
    {COMMAND("viewshed", "GROUND", 1, 1, command_viewshed), .summary = "what can be seen from a place",
     .details = GROUND_TEXT
     " Every sample of a raster, or of --lattice, gets the answer of landfall sight: none is "
     "interpolated. " CURVATURE_TEXT "\n\n"
     "Modes:\n\n"
     "  visible   bytes: 1 visible, 0 hidden, 2 unknown (a void in the way)\n"
     "  ground    least height above ground at which a target would be visible; 0 where the ground is\n"
     "  dem       the same above datum\n"
     "  angle     degrees above level at which a visible target appears\n"
     "  distance  metres on the map to a visible target\n"
     "  count     how many observers see it\n"
     "  who       bit planes: bit k % 8 of band k / 8 + 1 is set where observer k sees it\n\n"
     "With -o FILE.csv the last two become a table of the samples that any observer sees: x, y, count, "
     "and with who the names of the observers, or their numbers from 0, with ; between. Voids and what "
     "is outside --range, --azimuth or --pitch are nodata. " RESULT_TEXT "\n\n"
     "Prints how many samples are visible, hidden, unknown, hole and beyond, and for a table of who a "
     "line sees N NAME for each observer. Exit status: 0 when it is written, 2 for an error.\n\n"
     "With -ox and -oy the options are those of gdal_viewshed: landfall viewshed -ox X -oy Y --help "
     "shows them.",
     .groups = {viewshed_options, north_options, curvature_options, void_options, result_options,
                tile_options, crs_options, ground_options, raster_options, common_options, NULL},
     .rules = viewshed_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(viewshed_fields),
     .other = &gdal_viewshed},
    {COMMAND("camera", "GROUND PATH", 2, 2, command_camera),
     .summary = "fly a path without going under ground or into anything",
     .details = GROUND_TEXT GLOBE_TEXT
     " PATH has lines TIME,X,Y,Z: seconds and metres; over a globe TIME,LON,LAT,HEIGHT: seconds, degrees, "
     "metres above the ellipsoid; - is standard input. " INPUT_TEXT "\n\n"
     "Each line is a frame. Between two frames the camera goes straight, or around the globe, and up or "
     "down; "
     "where ground and the clearance are in its way it is raised, for ground ahead too, but never faster "
     "than "
     "--limit: where that is not fast enough it is held back on its path and arrives later. It passes under "
     "bridges and through halls where there is space for the clearance. A path that "
     "begins below ground begins above it.\n\n"
     "Answers:\n\n"
     "  time,lon,lat,height    of the camera; without a globe time,x,y,z\n"
     "  path_time,path_height  its position on the path, and the height of that\n"
     "  ground                 below it; nothing where there is none\n"
     "  raised,share           metres by which it was raised in this frame, and the part of the way "
     "that it went\n"
     "  did                    free, or names joined by +: slid, raised, ahead, held, recovering; "
     "coarse where the bound of a coarser tile counted, unproven where the source has no bound of tiles "
     "that are missing\n\n"
     "With -o these go into a file, and how often each was done is printed. Exit status: 0 if it "
     "arrived, 1 if it is held back for 20 times as many frames as the path has, 2 for an error.",
     .groups = {camera_options, raster_options, common_options, NULL}, .ground = TAKES_GLOBES | NEEDS_METRES,
     .metres = "a camera", .answers = ANSWERS(camera_fields)},
    {COMMAND("horizon", "GROUND", 1, 1, command_horizon), .summary = "elevation of the skyline",
     .details = GROUND_TEXT
     " The elevation is exact for the given direction, and negative where the skyline is below "
     "level. " CURVATURE_TEXT "\n\n"
     "Answers:\n\n"
     "  AZIMUTH ELEVATION DISTANCE X Y Z cc CC         degrees, metres, and the place that makes it\n"
     "  AZIMUTH ELEVATION DISTANCE X Y Z hole cc CC    there is a void that way, which might be higher\n"
     "  AZIMUTH - none cc CC                           no ground that way\n\n"
     "With -o these go into a file: .csv or .json, or .png, .svg or .pdf, a plot. With --map or --sky "
     "-o is a raster. " RESULT_TEXT " Exit status: 0, 2 for an error.",
     .groups = {horizon_options, north_options, curvature_options, void_options, result_options, tile_options,
                crs_options, ground_options, raster_options, common_options, NULL},
     .rules = horizon_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(horizon_fields)},
    {COMMAND("sunhours", "GROUND", 1, 1, command_sunhours), .summary = "hours of sun over a day",
     .details = GROUND_TEXT
     " Every sample gets the hours in which no ground hides the sun's centre, with the usual "
     "refraction, at its own place (to 0.05 degrees). " CURVATURE_TEXT "\n\n" RESULT_TEXT
     " Prints the number of positions of the sun that were computed, and the hours between rise and "
     "set. Exit status: 0, 2 for an error.",
     .groups = {sunhours_options, curvature_options, void_options, result_options, tile_options,
                ground_options, raster_options, common_options, NULL},
     .rules = sunhours_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(sunhours_fields)},
    {COMMAND("total", "RASTER", 1, 1, command_total), .summary = "how much is seen from every sample",
     .details = "RASTER is any raster of heights that GDAL reads, or a .lf file of one. From every sample "
                "the ground is "
                "examined along --azimuths directions, at every column or row that a direction crosses; the "
                "result is the area "
                "that is seen within the range. That is an approximation: --check compares it with exact "
                "viewsheds of samples "
                "chosen at random. " CURVATURE_TEXT "\n\n" RESULT_TEXT
                " Prints the number of samples, of those whose range leaves the raster, their mean visible "
                "area, and the relative errors of the samples that were compared: mean, "
                "95 percent, worst. Exit status: 0, 2 for an error.",
     .groups = {total_options, curvature_options, result_options, total_tile_options, raster_options,
                common_options, NULL},
     .rules = output_rules, .ground = NEEDS_RASTER, .answers = ANSWERS(total_fields)},
    {COMMAND("intervisible", "GROUND POINTS", 2, 2, command_intervisible),
     .summary = "which of many points see one another",
     .details = GROUND_TEXT GLOBE_TEXT
     " POINTS is a text (.csv, .txt: X,Y[,H[,NAME]], or as a first line of names says) or any vector "
     "file of points with fields height and name. " CURVATURE_TEXT "\n\n"
     "Prints a line for each point: for each point a sign: + visible, - hidden, ? unknown, . itself, "
     "then its name or number; and at the end a line cc CC. Exit status: 0 if all see one another, 1 if "
     "not, 2 for an error.\n\n"
     "With -o every pair within --range that is not hidden becomes an edge, with the distance on the map and "
     "the verdict, clear or unknown; "
     "many thousand points are no problem then. Prints how many points, pairs within the range, visible and "
     "unknown ones there are. Exit status: 0, 2 for an error.",
     .groups = {intervisible_options, curvature_options, void_options, crs_options, ground_options,
                raster_options, common_options, NULL},
     .ground = TAKES_GLOBES, .answers = ANSWERS(intervisible_fields, network_fields)},
    {COMMAND("site", "GROUND PLACES", 2, 2, command_site), .summary = "which of many places cover most",
     .details = GROUND_TEXT
     " PLACES are the candidates: a text (.csv, .txt: X,Y[,H[,NAME]], or as a first line of names says) or "
     "any vector "
     "file of points with fields height and name. The places are chosen one after the other, each time the "
     "one from "
     "which most samples are visible that are not covered yet; of equal ones the first. Every viewshed is "
     "exact. " CURVATURE_TEXT "\n\n"
     "Prints a line for each chosen place: its rank, name, x, y, what it adds and the share that is covered "
     "with it. Then how many candidates there are "
     "and how many were chosen (fewer than K where no other adds anything), what is covered, in samples or "
     "in weight, what there is, the "
     "share; limit: no choice of K places covers more; least: the share of this limit that is covered; "
     "guarantee: what "
     "choosing in this way always reaches of the best choice, 1 - 1/e; viewsheds that were computed; gains "
     "that were evaluated, and how many a plain greedy search evaluates. Exit status: 0, 2 for an error.",
     .groups = {site_options, curvature_options, void_options, crs_options, ground_options, raster_options,
                common_options, NULL},
     .rules = site_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(site_fields)},
    {COMMAND("collide", "A B", 2, 2, command_collide),
     .summary = "whether two shapes, or a model and the ground, touch",
     .details =
         "A and B are meshes of polygons, closed or open: .ply, .obj, .stl, .off, .gltf, .glb, .dae or "
         ".3ds, or .lf files of such a mesh or model. Touching counts, and is decided exactly. With --at B "
         "is any ground: also a "
         "raster, a .lf file, a globe (--at is LON,LAT,HEIGHT) or a world file; and A a model in a place on "
         "it.\n\n"
         "Answers:\n\n"
         "  touch N      they touch; so many pairs of triangles do (or pairs of layers or sectors, see "
         "--report)\n"
         "  near         with --margin: apart, but not farther than that\n"
         "  apart\n"
         "  A B          with --pairs, --one or --report pair: the numbers of two triangles\n"
         "  distance D from X Y Z to X Y Z\n\n"
         "Answers with --at:\n\n"
         "  touch                                      the model touches the ground, and none of it is under "
         "it\n"
         "  touch under N depth D from X Y Z to X Y Z\n"
         "  under N depth D from X Y Z to X Y Z\n"
         "  apart\n\n"
         "N triangles are at least partly under the ground: the deepest point of the model, and the ground "
         "over it. Without touch all "
         "of the model is under it.\n\n"
         "Triangles are numbered polygon by polygon, an n-gon counts n - 2. Exit status: 0 if they touch "
         "(or are near, or under), 1 if not, 2 for an error.",
     .groups = {collide_options, turn_options, short_answer_options, field_options, common_options, NULL},
     .rules = collide_rules, .metres = "a model", .answers = ANSWERS(collide_fields, landing_fields)},
    {COMMAND("render", "GROUND", 1, 1, command_render), .summary = "a perspective picture of the ground",
     .details = GROUND_TEXT
     "\n\n"
     "Every pixel is a few rays, as landfall ray casts them, and from what they hit others go to the "
     "sun. Colours are by height, with rock where it is steep. On rasters in degrees Z is in metres all "
     "the same.\n\n"
     "Prints the view: eye, look, fov, azimuth and altitude of the sun, so that the next picture can "
     "start from it. The picture is written beside its place and renamed. Exit status: 0, 2 for an "
     "error.",
     .groups = {render_options, north_options, ground_options, raster_options, frame_options, common_options,
                NULL},
     .rules = output_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(render_fields)},
    {COMMAND("map", "GROUND", 1, 1, command_map), .summary = "a picture of the ground from above",
     .details = GROUND_TEXT GLOBE_TEXT
     "\n\n"
     "Shaded relief with a key and a scale bar; --overlay lays results over it. Worlds, groups and globes "
     "are drawn by the topmost "
     "height at each pixel; a globe as far as it has tiles. The picture is written "
     "beside its place and renamed. Exit status: 0, 2 for an error.",
     .groups = {map_options, ground_options, raster_options, common_options, NULL}, .rules = output_rules,
     .ground = TAKES_GLOBES},
    {COMMAND("scene", "run FILE.lua", 2, 2, command_scene),
     .summary = "run a world of moving things, written in Lua",
     .details =
         "FILE.lua defines the things, their positions, what is watched, and how they react; docs/scenes.md "
         "describes it. It reaches neither files nor the system, and has a budget of instructions (50 "
         "million a step), of memory (256 MB), of output (1 MiB a step) and of time (--time-limit). Models "
         "are read for it: .ply, .obj and .lf files in its own folder or below.\n\n"
         "Prints a line for each event, what the script prints, and statistics at the end:\n\n"
         "  TIME begin A B\n"
         "  TIME stay A B\n"
         "  TIME end A B\n"
         "  TIME predicted A B in SECONDS\n"
         "  TIME cleared A B\n\n"
         "A and B are NAME#NUMBER, the object's name and the instance's number, ground or nothing. Exit "
         "status: 0 when the run came to its end, 2 for an error, which has the file and the line.",
     .groups = {scene_options, short_answer_options, common_options, NULL}, .metres = "a scene",
     .answers = ANSWERS(event_fields, scene_fields)},
    {COMMAND("make", "KIND", 1, 1, command_make),
     .summary = "write generated terrain, models or their pictures",
     .details =
         "The same kind, size, seed and step give the same file on every machine. A file is written beside "
         "its place and renamed, so that it is complete or not there.\n\n"
         "With -o NAME.world.json a city becomes a world: hills with a river, buildings, a bridge and a "
         "mast. Its parts are written "
         "beside it: NAME-hills.tif, NAME-buildings.geojson and NAME-bridge.ply. --size is then about how "
         "many buildings there are, "
         "600 by default.",
     .groups = {make_options, common_options, NULL}, .rules = make_rules, .choices = make_choices},
    {COMMAND("globe", "build RASTER...|FOLDER", 1, 1000, command_globe),
     .summary = "cut rasters into the tiles of a globe",
     .details =
         "RASTER is any raster of heights in longitude and latitude that GDAL reads, of the whole globe or "
         "a part of it; where there are several the finest counts. They are cut into tiles of several "
         "levels, each with the least and the greatest height of all finer ones beneath it, and written to "
         "a .lf file, beside its place and renamed. Until then tiles are kept in the folder FILE.lf.work: "
         "after an "
         "interruption the same command continues. FOLDER is a folder of terrain tiles with its "
         "layer.json: its tiles become such a file, and get the bounds that they lack. landfall height, "
         "ray, sight, walk, place and camera take it: points are LON,LAT[,HEIGHT], heights above the "
         "ellipsoid, and lines are straight in space.",
     .groups = {globe_options, common_options, NULL}, .rules = output_rules},
    {COMMAND("build", "GROUND...", 1, 1000000, command_build),
     .summary = "write ground to a .lf file, which opens at once",
     .details = GROUND_TEXT
     " The file holds heights, compressed or not, and all search structures; it is mapped when it is "
     "opened, and queried as it is. It is written beside its place and renamed, so that it is complete "
     "or not there.\n\n"
     "Codecs:\n\n"
     "  raw        heights as they are\n"
     "  pack       predicted from their neighbours, the rest packed: the smallest, and fast\n"
     "  maxplus    maxima and differences: small blocks bring their bounds along\n"
     "  haar, d4   wavelets\n\n"
     "Whole numbers are stored exactly; others need --max-error (or --quantise), which is never "
     "exceeded.\n\n"
     "Several rasters, or a folder of them, become one: tiles with one CRS, spacing, type and nodata value, "
     "on one grid of "
     "pixels. Where they overlap the last one counts that is not void there; gaps are void. What is done is "
     "kept in the folder "
     "FILE.lf.work until the file is complete: after an interruption the same command continues, and writes "
     "the same "
     "bytes.\n\n"
     "Prints what landfall info prints about the file.",
     .groups = {build_options, json_options, ground_options, raster_options, frame_options, field_options,
                common_options, NULL},
     .rules = build_rules, .ground = TAKES_GLOBES, .answers = ANSWERS(info_fields)},
    {
        COMMAND("verify", "FILE.lf", 1, 1, command_verify),
        .summary = "whether a .lf file is undamaged",
        .details =
            "Reads all of it and compares checksums. Prints ok, or on standard error what is wrong. Exit "
            "status: 0 if it is undamaged, 2 if not.",
        .groups = {common_options, NULL},
    },
    {COMMAND("export", "FILE.lf", 1, 1, command_export),
     .summary = "write what a .lf file holds for other programs",
     .details =
         "Heights of a grid become a GeoTIFF (float, voids as nodata) with its position and CRS; polygons "
         "of a mesh or a model become .ply or .obj.",
     .groups = {export_options, common_options, NULL}, .rules = output_rules},
    {COMMAND("serve", "GROUND...", 1, 1000, command_serve),
     .summary = "serve heights, sight and terrain tiles over HTTP",
     .details = "Starts landfall-serve, which answers the requests of Google's Elevation API, opentopodata, "
                "open-elevation and Valhalla, and more of its own. landfall serve --help lists its options; "
                "docs/server.md describes the requests.",
     .groups = {NULL}, .program = "landfall-serve"},
    {COMMAND("view", "GROUND", 1, 1000, command_serve), .summary = "look at a ground in the browser",
     .details = "Starts landfall-serve on a free port of this machine with the viewer at /, prints the "
                "address and opens it in a browser where "
                "there is one. GROUND is a .lf file or a GeoTIFF. It takes the options of landfall serve; "
                "--viewer FOLDER or LANDFALL_VIEWER names the viewer's "
                "files where they are not installed. Ctrl-C ends it.",
     .groups = {NULL}, .program = "landfall-serve", .word = "--view"},
    {.name = NULL},
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
        for (const char *const *sign = command->other->signs; *sign; sign++)
            if (strcmp(words[i], *sign) == 0)
                return command->other;
    return command;
}
