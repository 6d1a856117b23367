/// Groups of options, as the table in commands.c takes them. Each ends with a name of NULL.
#ifndef CLI_OPTION_GROUPS_H
#define CLI_OPTION_GROUPS_H

#include "commands.h"

extern const option common_options[];
extern const option ground_options[];
extern const option raster_options[];
extern const option crs_options[];
extern const option frame_options[];
extern const option answer_options[];
extern const option info_options[];
extern const option field_options[];
extern const option collide_options[];
extern const option height_options[];
extern const option ray_options[];
extern const option walk_options[];
extern const option place_options[];
extern const option shadow_options[];
extern const option short_answer_options[];
extern const option make_options[];
extern const option render_options[];
extern const option map_options[];
extern const option info_json_options[];
extern const option build_options[];
extern const option camera_options[];
extern const option globe_options[];
extern const option export_options[];
extern const option sight_options[];
extern const option bend_options[];
extern const option north_options[];
extern const option freq_options[];
extern const option viewshed_options[];
extern const option result_options[];
extern const option gdal_viewshed_options[];
extern const option horizon_options[];
extern const option shade_options[];
extern const option shadow_result_options[];
extern const option sunhours_options[];
extern const option intervisible_options[];
extern const option scene_options[];

#endif
