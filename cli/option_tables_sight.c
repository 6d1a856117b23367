/// Options of sight, viewshed, horizon, shadow over a raster, sunhours, intervisible and camera.
#include "option_tables.h"
#include <math.h>

const option curvature_options[] = {
    {"cc", 0, "C",
     "curvature coefficient: how much the earth curves against a line: 0 flat, 0.85714 light, 0.75 "
     "radio. 0.85714 by default where the raster has a CRS on Earth, else 0",
     ANY_NUMBER, .excludes = "k earth-multiplier"},
    {"k", 0, "K", "the same as effective earth radius factor: C = 1 / K; 4/3 is 1.3333", ABOVE(0),
     .excludes = "earth-multiplier"},
    {"earth-multiplier", 0, "K", "another name for --k", ABOVE(0)},
    {"radius", 0, "METRES",
     "radius of the planet; by default 6371008.8, or the mean radius of the CRS's ellipsoid", ABOVE(0),
     .no_globe = "it has an ellipsoid of its own"},
    NO_MORE,
};

const option void_options[] = {
    {"holes", 0, "POLICY",
     "what a void in the way means: unknown (by default), pass or stop. A void counts as no higher "
     "than the highest ground",
     .names = "|unknown|pass|stop", .no_globe = "a void there is air"},
    NO_MORE,
};

const option north_options[] = {
    {"north", 0, "NORTH",
     "what azimuths count from: true north at the place (true, by default where the raster has a "
     "CRS) or +y of the map (grid). The sun of a time or date does not depend on it",
     .names = "|true|grid"},
    NO_MORE,
};

const option sight_options[] = {
    {"from", 0, "X,Y[,H]", "the observer, H above the ground there", NUMBERS(2, 3), .needs = "to",
     .excludes = "-"},
    {"to", 0, "X,Y[,H]", "the target", NUMBERS(2, 3), .needs = "from", .excludes = "-"},
    {"eye", 0, "H", "height of observers without one of their own above ground; 2 by default", ANY_NUMBER},
    {"target", 0, "H", "height of targets likewise; 0 by default", ANY_NUMBER},
    {"datum", 0, NULL,
     "heights are above datum, not above ground: every point needs one, or --eye and --target, which "
     "are above datum then"},
    {"xy", 0, NULL, "on standard input points are X,Y: further numbers are carried through"},
    {"detail", 0, NULL,
     "also: clearance C D raise R D (and fresnel F D): the least height over ground, how much higher "
     "the target would have to be, the free share of the zone, each with the metres from the "
     "observer where it is decided"},
    {"profile", 0, "FILE",
     "also write the ground under the line: .png, .svg or .pdf a plot, .csv or .json numbers",
     .needs = "from|path", WRITES("|.png|.svg|.pdf|.csv|.json")},
    {"steps", 0, "N",
     "so many equal steps in the profile; by default every place where a raster's surface breaks, "
     "and 1000 on a mesh or a globe",
     WHOLE(1, 100000000)},
    {"path", 0, "FILE", "instead of GROUND: a measured profile, lines of metres from the observer and height",
     READS, .excludes = "GROUND from to datum xy detail steps crs holes"},
    {"posts", 0, NULL, "with --path: only its points are ground, as in ITU-R, not the straight lines between",
     .needs = "path"},
    {"km", 0, NULL, "with --path: distances are kilometres", .needs = "path"},
    {"freq", 0, "MHZ", "also how much of the first Fresnel zone of that frequency is free", ABOVE(0)},
    NO_MORE,
};

#define LATTICE_OPTIONS                                                                                   \
    {"lattice", 0, "X,Y,STEP,COLUMNS,ROWS",                                                               \
     "where the samples are, from the first on; by default those of the raster, of the world's first "    \
     "raster, or 257 along the longer side of a mesh. On a globe degrees, and needed",                    \
     .least = 5},                                                                                         \
        {"lattice-crs", 0, "CRS",                                                                         \
         "CRS of --lattice, such as EPSG:4326, instead of the ground's; results are written in it",       \
         .needs = "lattice"},                                                                             \
    {                                                                                                     \
        "target-on", 0, "WHAT",                                                                           \
            "what samples stand on: top (by default), roofs too, or ground, the terrain under buildings", \
            .names = "|ground|top"                                                                        \
    }

#define UP_TO_1E7 .least = 1, .low = 0, .high = 1e7

const option camera_options[] = {
    {"clearance", 0, "METRES",
     "least height above the ground of a globe, least distance from everything else; 2 by default",
     UP_TO_1E7},
    {"limit", 0, "METRES", "per second by which the camera may be raised, or inf; 200 by default", UP_TO_1E7,
     .above = true, .names = "|inf"},
    {"ahead", 0, "SECONDS", "from which on it is raised for ground in its way; 2 by default", UP_TO_1E7},
    {"tiles", 0, "N",
     "of a globe: tiles that may be loaded before each frame; by default all that are needed. Few show what "
     "late ones do",
     WHOLE(1, 1000000)},
    {"centred", 0, NULL, "the path over a globe has earth-centred metres: TIME,X,Y,Z"},
    {"output", 'o', "FILE", "where to write the frames; standard output by default", WRITES(NULL)},
    {"plot", 0, "FILE", "also a plot of heights over time, .png, .svg or .pdf", WRITES("|.png|.svg|.pdf")},
    {"json", 0, NULL, "a JSON object per frame instead of CSV"},
    {"digits", 0, "N", "digits behind the point; by default as many as read back as the same number",
     WHOLE(0, NUMBER_FIXED_DIGITS)},
    NO_MORE,
};

#define RESULT_FORMAT                                                                                    \
    {"format", 'f', "DRIVER", "GDAL's name of the format, instead of the ending", .needs = "output"},    \
        {"co",                                                                                           \
         0,                                                                                              \
         "NAME=VALUE",                                                                                   \
         "an option for that driver; may be given again",                                                \
         .repeatable = true,                                                                             \
         .check = check_setting,                                                                         \
         .needs = "output"},                                                                             \
    {                                                                                                    \
        "width", 0, "PIXELS", "width of a picture; 960 by default", WHOLE(200, 20000), .needs = "output" \
    }

#define TILE_OPTIONS(excluded)                                                                             \
    {"memory",                                                                                             \
     0,                                                                                                    \
     "SIZE",                                                                                               \
     "compute tile by tile, in so much memory, such as 500M or 2G; -o is then a .tif with overviews or a " \
     ".vrt of tiles, and the same command continues after an interruption",                                \
     .check = check_size,                                                                                  \
     .needs = "output",                                                                                    \
     .excludes = excluded,                                                                                 \
     .grounds = GROUND_RASTER | GROUND_STORED},                                                            \
    {                                                                                                      \
        "tile", 0, "COLUMNS,ROWS", "compute in tiles of so many samples; by default as --memory allows",   \
            .least = 2, .low = 1, .high = 1e9, .whole = true, .needs = "output", .excludes = excluded,     \
            .grounds = GROUND_RASTER | GROUND_STORED                                                       \
    }

const option tile_options[] = {TILE_OPTIONS("extend lattice lattice-crs format width"), NO_MORE};
const option total_tile_options[] = {TILE_OPTIONS("extend format width"), NO_MORE};

const option result_options[] = {
    {"output", 'o', "FILE",
     "where to write; the ending selects the form: .tif or another raster that GDAL writes, .lf a file that "
     "opens at once (one band), or .png a map over shaded relief",
     WRITES(NULL)},
    RESULT_FORMAT,
    {"json", 0, NULL, "the summary as one JSON document"},
    NO_MORE,
};

const option shadow_result_options[] = {
    {"output", 'o', "FILE",
     "rasters, with --sun or --time: instead of points, the whole raster: .tif or another raster "
     "that GDAL writes, .lf, or .png a map",
     WRITES(NULL), .needs = "sun|time", .excludes = "light point at skin"},
    RESULT_FORMAT,
    {"range", 0, "METRES", "ground farther than this casts no shadow; all of it does by default", ABOVE(0)},
    LATTICE_OPTIONS,
    TILE_OPTIONS("extend lattice lattice-crs format width"),
    NO_MORE,
};

const option viewshed_options[] = {
    {"at", 0, "X,Y[,H]",
     "an observer, H above the ground there; again for more observers with --mode count or who",
     NUMBERS(2, 3), .repeatable = true},
    {"observers", 0, "FILE",
     "observers from a text (.csv, .txt: X,Y[,H[,NAME]], or as a first line of names says) or from "
     "any vector file of points with fields height and name",
     READS},
    {"eye", 0, "H", "height of observers without one of their own; 2 by default", ANY_NUMBER},
    {"target", 0, "H", "height of targets above the ground; 0 by default", ANY_NUMBER},
    {"datum", 0, NULL,
     "observers' heights, and --eye, are above datum: they may be over voids and beside the raster"},
    {"mode", 0, "MODE", "visible (by default), ground, dem, angle, distance, count or who",
     .names = "|visible|ground|dem|angle|distance|count|who"},
    {"range", 0, "[MIN,]MAX", "only targets at this distance on the map, in metres", NUMBERS(1, 2), .low = 0,
     .high = INFINITY, .ascending = true},
    {"azimuth", 0, "FROM,TO", "only targets between these directions, clockwise from north", .least = 2},
    {"pitch", 0, "LOW,HIGH",
     "only targets that appear at these angles, degrees above level; modes ground and dem give the "
     "height at which LOW is reached",
     .least = 2, .low = -90, .high = 90, .ascending = true},
    {"crop", 0, NULL, "only the part of the raster that is within the range", .needs = "range"},
    LATTICE_OPTIONS,
    NO_MORE,
};

const option gdal_viewshed_options[] = {
    {"b", 0, "BAND", "the band with the heights; 1 by default", WHOLE(1, 2147483647)},
    {"ox", 0, "X", "the observer's x; the observer is in the middle of its pixel", ANY_NUMBER},
    {"oy", 0, "Y", "and y", ANY_NUMBER},
    {"oz", 0, "H",
     "height of the observer above ground, or above datum where it is beside the raster; 2 by default",
     ANY_NUMBER},
    {"tz", 0, "H", "height of targets above ground; 0 by default", ANY_NUMBER},
    {"md", 0, "DISTANCE", "largest distance of targets; the result is cropped to it. 0 by default: no limit",
     AT_LEAST(0)},
    {"cc", 0, "C",
     "curvature and refraction; 0.85714 by default, 1 where the CRS is not on Earth, 0 where there is none",
     ANY_NUMBER},
    {"vv", 0, "VALUE", "value of visible pixels; 255 by default", ANY_NUMBER},
    {"iv", 0, "VALUE", "value of hidden ones; 0 by default", ANY_NUMBER},
    {"ov", 0, "VALUE", "value of those out of range; 0 by default", ANY_NUMBER},
    {"a_nodata", 0, "VALUE", "the result's nodata value; voids get it", ANY_NUMBER},
    {"om", 0, "MODE", "NORMAL (by default), DEM or GROUND", .names = "|NORMAL|DEM|GROUND"},
    {"f", 0, "DRIVER", "GDAL's name of the format; by default by the ending, GTiff where it has none"},
    {"of", 0, "DRIVER", "another name for -f"},
    {"co", 0, "NAME=VALUE", "an option for that driver", .repeatable = true, .check = check_setting},
    {"q", 0, NULL, "quiet"},
    {"help", 0, NULL, "show this help"},
    NO_MORE,
};

const option horizon_options[] = {
    {"at", 0, "X,Y[,H]", "the observer, H above the ground there", NUMBERS(2, 3), .excludes = "map sky"},
    {"eye", 0, "H", "height above ground; 2 by default, 0 for maps", ANY_NUMBER},
    {"datum", 0, NULL, "H, or --eye, is above datum", .needs = "at"},
    {"azimuth", 0, "DEGREES", "a direction, clockwise from north; may be given again", ANY_NUMBER,
     .repeatable = true, .needs = "at", .excludes = "step"},
    {"step", 0, "DEGREES", "all around, so many degrees apart; 1 by default", WITHIN(0.00036, 360),
     .needs = "at"},
    {"range", 0, "METRES", "only ground within this distance", ABOVE(0)},
    {"digits", 0, "N", "round to N digits behind the point", WHOLE(0, NUMBER_FIXED_DIGITS)},
    {"map", 0, "AZIMUTH[,AZIMUTH..]",
     "instead, a raster of the horizon's elevation in each of these directions (-o)",
     .check = check_directions, .needs = "output", .excludes = "sky"},
    {"sky", 0, "N", "instead, a raster of the visible share of the sky, from N directions (-o)",
     WHOLE(1, 3600), .needs = "output"},
    LATTICE_OPTIONS,
    NO_MORE,
};

const option sunhours_options[] = {
    {"date", 0, "DATE", "the day, such as 2026-06-21, from midnight to midnight by --zone",
     .check = check_date},
    {"zone", 0, "HOURS", "hours by which the clock is ahead of UTC; 0 by default", WITHIN(-14, 14)},
    {"step", 0, "MINUTES", "minutes from one position of the sun to the next; 10 by default",
     WITHIN(0.1, 1440)},
    {"range", 0, "METRES", "ground farther than this casts no shadow; all of it does by default", ABOVE(0)},
    LATTICE_OPTIONS,
    NO_MORE,
};

const option total_options[] = {
    {"eye", 0, "H", "height of observers above each sample; 1.75 by default", ANY_NUMBER},
    {"target", 0, "H", "height of targets above the ground that is seen; 0 by default", ANY_NUMBER},
    {"range", 0, "METRES", "how far observers look; 10000 by default", ABOVE(0)},
    {"azimuths", 0, "N", "directions in which each observer looks; 360 by default", WHOLE(4, 3600)},
    {"values", 0, "VALUE",
     "more bands than the visible area and inside, the share of the circle of the range that is on the "
     "raster: "
     "open (share of the azimuths in which the farthest ground is seen), mean (distance of what is seen), "
     "longest (distance of the farthest place that an exact line of sight confirms, and that place; all "
     "bands are doubles then) or all",
     .names = "|open|mean|longest|all"},
    {"check", 0, "N",
     "compare so many samples with exact viewsheds and print the errors; 20 by default, 0 for none",
     WHOLE(0, 1000000)},
    NO_MORE,
};

const option site_options[] = {
    {"choose", 0, "K", "how many places to choose; needed", WHOLE(1, 1000000000)},
    {"range", 0, "[MIN,]MAX", "a place covers only samples at this distance on the map, in metres",
     NUMBERS(1, 2), .low = 0, .high = INFINITY, .ascending = true},
    {"eye", 0, "H", "height above ground of places without one of their own; 2 by default", ANY_NUMBER},
    {"target", 0, "H", "height of targets above the ground; 0 by default", ANY_NUMBER},
    {"datum", 0, NULL, "heights of places, and --eye, are above datum"},
    {"weights", 0, "RASTER",
     "what each sample counts: the nearest pixel of this raster, nothing where that is 0, negative or void; "
     "1 by default",
     READS},
    {"overlap", 0, "M",
     "a sample is covered when M of the places see it, and in part before: by 1/M for each; 1 by default",
     WHOLE(1, 255)},
    LATTICE_OPTIONS,
    {"output", 'o', "FILE",
     "also write the chosen places with the coverage curve: .csv or .json, or .gpkg, .geojson or .fgb, "
     "points",
     WRITES("|.csv|.json|.gpkg|.geojson")},
    {"plot", 0, "FILE", "also a plot of the coverage curve, .png, .svg or .pdf", WRITES("|.png|.svg|.pdf")},
    {"json", 0, NULL, "the answer as one JSON document"},
    NO_MORE,
};

const option intervisible_options[] = {
    {"eye", 0, "H", "height above ground of points without one of their own; 2 by default", ANY_NUMBER},
    {"datum", 0, NULL,
     "heights are above datum, and every point needs one, or --eye, which is above datum then"},
    {"csv", 0, NULL, "as a table with a line of names: 1 visible, 0 hidden, ? unknown", .excludes = "json"},
    {"json", 0, NULL, "one JSON document"},
    {"range", 0, "METRES", "with -o: only pairs at most so far apart on the map; all by default", ABOVE(0),
     .needs = "output"},
    {"output", 'o', "FILE",
     "instead, the pairs that see one another as edges: .csv, .graphml, or .gpkg or .geojson, lines",
     WRITES("|.csv|.graphml|.gpkg|.geojson"), .excludes = "csv"},
    NO_MORE,
};
