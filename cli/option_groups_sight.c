/// Options of the commands that look: sight, viewshed, horizon, shadow over a raster, sunhours, intervisible.
#include "option_groups.h"
#include <stddef.h>

const option bend_options[] = {
    {"cc", 0, "C", false,
     "how much a line bends against the round earth: 0 flat, 0.85714 light, 0.75 radio. 0.85714 by default "
     "where the "
     "raster has a CRS on Earth, else 0"},
    {"k", 0, "K", false, "the same as a factor on the earth's radius: C = 1 / K; 4/3 is 1.3333"},
    {"earth-multiplier", 0, "K", false, "another word for --k"},
    {"radius", 0, "METRES", false,
     "radius of the planet; by default 6371008.8, or the mean radius of the CRS's ellipsoid"},
    {"holes", 0, "POLICY", false,
     "what a hole in the way means: unknown (by default), pass or stop. A hole counts as no higher than the "
     "highest "
     "ground"},
    {NULL, 0, NULL, false, NULL},
};

const option north_options[] = {
    {"north", 0, "NORTH", false,
     "what azimuths count from: true north at the place (true, by default where the raster has a CRS) or +y "
     "of "
     "the map (grid). The sun of a time or date stands where it stands"},
    {NULL, 0, NULL, false, NULL},
};

const option freq_options[] = {
    {"freq", 0, "MHZ", false, "also how much of the first Fresnel zone of that frequency is free"},
    {NULL, 0, NULL, false, NULL},
};

const option sight_options[] = {
    {"from", 0, "X,Y[,H]", false, "who looks, H above the ground there"},
    {"to", 0, "X,Y[,H]", false, "and at what"},
    {"eye", 0, "H", false, "height of the first end above ground where it has none of its own; 2 by default"},
    {"target", 0, "H", false, "height of the second end likewise; 0 by default"},
    {"datum", 0, NULL, false,
     "heights are above datum, not above ground: every point needs one, or --eye and --target, which are "
     "above datum then"},
    {"xy", 0, NULL, false, "on standard input points are X,Y: further numbers are carried through"},
    {"detail", 0, NULL, false,
     "also: clearance C D raise R D (and fresnel F D): the least height over ground, how much higher the "
     "second end would "
     "have to be, the free share of the zone, each with the metres from the first end where it is decided"},
    {"profile", 0, "FILE", false,
     "also write the ground under the line: .png, .svg or .pdf a plot, .csv or .json numbers"},
    {"steps", 0, "N", false,
     "so many equal steps in the profile; by default every place where a raster's surface breaks, and 1000 "
     "on a mesh"},
    {"path", 0, "FILE", false,
     "instead of GROUND: a profile that was measured, lines of metres from the first end and height"},
    {"posts", 0, NULL, false,
     "with --path: only its points are ground, as ITU-R has it, not the straight lines between"},
    {"km", 0, NULL, false, "with --path: distances are kilometres"},
    {NULL, 0, NULL, false, NULL},
};

const option camera_options[] = {
    {"clearance", 0, "METRES", false, "that are kept above ground; 2 by default"},
    {"limit", 0, "METRES", false, "per second by which the camera may be raised, or inf; 200 by default"},
    {"ahead", 0, "SECONDS", false, "from which on it is raised for ground in its way; 2 by default"},
    {"tiles", 0, "N", false,
     "that may come before each frame; by default all that are wanted. Few show what late ones do"},
    {"centred", 0, NULL, false, "the path has earth-centred metres: TIME,X,Y,Z"},
    {"output", 'o', "FILE", false, "where to write the frames; standard output by default"},
    {"plot", 0, "FILE", false, "also a plot of heights over time, .png, .svg or .pdf"},
    {"json", 0, NULL, false, "a JSON object per frame instead of CSV"},
    {"digits", 0, "N", false, "digits behind the point; by default as many as bring the number back"},
    {NULL, 0, NULL, false, NULL},
};

const option result_options[] = {
    {"output", 'o', "FILE", false,
     "where to write; the ending says what: .tif or another raster that GDAL writes, or .png a map over "
     "shaded relief"},
    {"format", 'f', "DRIVER", false, "GDAL's name of the format, instead of the ending"},
    {"co", 0, "NAME=VALUE", true, "an option for that driver; may be given again"},
    {"width", 0, "PIXELS", false, "width of a picture; 960 by default"},
    {"json", 0, NULL, false, "what is said about it as one JSON document"},
    {NULL, 0, NULL, false, NULL},
};

const option viewshed_options[] = {
    {"at", 0, "X,Y[,H]", true,
     "who looks, H above the ground there; again for more observers with --mode count or who"},
    {"observers", 0, "FILE", false,
     "observers from a text (.csv, .txt: X,Y[,H[,NAME]], or as a first line of names says) or from any "
     "vector file of points "
     "with fields height and name"},
    {"eye", 0, "H", false, "height of observers that have none of their own; 2 by default"},
    {"target", 0, "H", false, "height of what is looked at above the ground; 0 by default"},
    {"datum", 0, NULL, false,
     "observers' heights, and --eye, are above datum: they may be over holes and beside the raster"},
    {"mode", 0, "MODE", false, "visible (by default), ground, dem, angle, distance, count or who"},
    {"range", 0, "[MIN,]MAX", false, "only what is so many metres away on the map"},
    {"azimuth", 0, "FROM,TO", false, "only what lies between these directions, clockwise from north"},
    {"pitch", 0, "LOW,HIGH", false,
     "only what appears under these angles, degrees above level; modes ground and dem give the height at "
     "which LOW is reached"},
    {"crop", 0, NULL, false, "only the part of the raster that is within the range"},
    {NULL, 0, NULL, false, NULL},
};

const option gdal_viewshed_options[] = {
    {"b", 0, "BAND", false, "the band with the heights; 1 by default"},
    {"ox", 0, "X", false, "the observer's x; the observer stands in the middle of the pixel that it is in"},
    {"oy", 0, "Y", false, "and y"},
    {"oz", 0, "H", false,
     "height of the observer above ground, or above datum where it is beside the raster; 2 by default"},
    {"tz", 0, "H", false, "height of targets above ground; 0 by default"},
    {"md", 0, "DISTANCE", false,
     "the farthest that is looked at; the result is cropped to it. 0 by default: no limit"},
    {"cc", 0, "C", false,
     "curvature and refraction; 0.85714 by default, 1 where the CRS is not on Earth, 0 where there is none"},
    {"vv", 0, "VALUE", false, "what visible pixels get; 255 by default"},
    {"iv", 0, "VALUE", false, "what hidden ones get; 0 by default"},
    {"ov", 0, "VALUE", false, "what those out of range get; 0 by default"},
    {"a_nodata", 0, "VALUE", false, "what the result calls nodata; holes get it"},
    {"om", 0, "MODE", false, "NORMAL (by default), DEM or GROUND"},
    {"f", 0, "DRIVER", false,
     "GDAL's name of the format; by default by the ending, GTiff where it does not say"},
    {"of", 0, "DRIVER", false, "another word for -f"},
    {"co", 0, "NAME=VALUE", true, "an option for that driver"},
    {"q", 0, NULL, false, "quiet"},
    {"help", 0, NULL, false, "show this help"},
    {NULL, 0, NULL, false, NULL},
};

const option horizon_options[] = {
    {"at", 0, "X,Y[,H]", false, "where one stands, H above the ground there"},
    {"eye", 0, "H", false, "height above ground; 2 by default, 0 for maps"},
    {"datum", 0, NULL, false, "H, or --eye, is above datum"},
    {"azimuth", 0, "DEGREES", true, "the direction to look in, clockwise from north; may be given again"},
    {"step", 0, "DEGREES", false, "all around, so many degrees apart; 1 by default"},
    {"range", 0, "METRES", false, "no farther than this"},
    {"digits", 0, "N", false, "round to N digits behind the point"},
    {"map", 0, "AZIMUTH[,AZIMUTH..]", false,
     "instead, a raster of the horizon's elevation in each of these directions (-o)"},
    {"sky", 0, "N", false, "instead, a raster of the share of the sky that is seen, from N directions (-o)"},
    {NULL, 0, NULL, false, NULL},
};

const option shade_options[] = {
    {"sun", 0, "AZIMUTH,ALTITUDE", false,
     "the direction to the light in degrees, clockwise from north and above level, instead of --light; with "
     "-o a raster of what is lit"},
    {"time", 0, "TIME", false,
     "the sun at a time, such as 2026-06-21T12:00Z, as it stands over each place, instead of --sun"},
    {NULL, 0, NULL, false, NULL},
};

const option shadow_result_options[] = {
    {"output", 'o', "FILE", false,
     "rasters, with --sun or --time: instead of points, all of it: .tif or another raster that GDAL writes, "
     "or .png a map"},
    {"format", 'f', "DRIVER", false, "GDAL's name of the format, instead of the ending"},
    {"co", 0, "NAME=VALUE", true, "an option for that driver; may be given again"},
    {"width", 0, "PIXELS", false, "width of a picture; 960 by default"},
    {"range", 0, "METRES", false, "what is farther casts no shadow; all of it does by default"},
    {NULL, 0, NULL, false, NULL},
};

const option sunhours_options[] = {
    {"date", 0, "DATE", false, "the day, such as 2026-06-21, from midnight to midnight by --zone"},
    {"zone", 0, "HOURS", false, "how many hours the clock is ahead of UTC; 0 by default"},
    {"step", 0, "MINUTES", false, "minutes from one sun to the next; 10 by default"},
    {"range", 0, "METRES", false, "what is farther casts no shadow; all of it does by default"},
    {NULL, 0, NULL, false, NULL},
};

const option intervisible_options[] = {
    {"eye", 0, "H", false, "height above ground of points that have none of their own; 2 by default"},
    {"datum", 0, NULL, false,
     "heights are above datum, and every point needs one, or --eye, which is above datum then"},
    {"csv", 0, NULL, false, "as a table with a line of names: 1 for seen, 0 for not, ? for unknown"},
    {"json", 0, NULL, false, "one JSON document"},
    {NULL, 0, NULL, false, NULL},
};
