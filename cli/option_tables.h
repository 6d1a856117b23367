/// Groups of options, as the table in commands.c takes them. Each ends with a name of NULL.
#ifndef CLI_OPTION_TABLES_H
#define CLI_OPTION_TABLES_H

#include "cli.h"

extern const option common_options[], ground_options[], raster_options[], crs_options[], frame_options[],
    answer_options[], short_answer_options[], json_options[], info_options[], field_options[],
    collide_options[], height_options[], ray_options[], turn_options[], sweep_options[], locale_options[],
    walk_options[], place_options[], shadow_options[], render_options[], map_options[], make_options[],
    build_options[], globe_options[], export_options[], scene_options[];
extern const option curvature_options[], void_options[], north_options[], sight_options[], camera_options[],
    result_options[], viewshed_options[], gdal_viewshed_options[], horizon_options[], shadow_result_options[],
    sunhours_options[], total_options[], intervisible_options[], site_options[], tile_options[],
    total_tile_options[];

/// One number, any; at least, above, or within bounds; and whole ones.
#define ANY_NUMBER .least = 1
#define AT_LEAST(bound) .least = 1, .low = (bound), .high = INFINITY
#define ABOVE(bound) .least = 1, .low = (bound), .high = INFINITY, .above = true
#define WITHIN(from, to) .least = 1, .low = (from), .high = (to)
#define WHOLE(from, to) .least = 1, .low = (from), .high = (to), .whole = true

/// Several numbers.
#define NUMBERS(fewest, greatest) .least = (fewest), .most = (greatest)

/// Files.
#define READS .role = FILE_READ
#define WRITES(list) .role = FILE_WRITTEN, .endings = (list)

/// "|name|name" from a list of the library.
#define LIST_NAME(name, value, word, text) "|" word

#define PICTURE_WIDTH "width of the picture in pixels; 960 by default"
#define NO_MORE \
    { .name = NULL }

/// Functions that check values which are neither numbers nor names; in the files that read them.
bool check_axis(const char *value, lf_error *why);
bool check_ceiling(const char *value, lf_error *why);
bool check_turn(const char *value, lf_error *why);
bool check_setting(const char *value, lf_error *why);
bool check_time(const char *value, lf_error *why);
bool check_date(const char *value, lf_error *why);
bool check_directions(const char *value, lf_error *why);
bool check_size(const char *value, lf_error *why);

#endif
