/// The skyline of a point as a table or a plot.
#ifndef CLI_HORIZON_FILE_H
#define CLI_HORIZON_FILE_H

#include "sight_rules.h"
#include <landfall/sight.h>

typedef struct skyline {
    lf_vec3 from;
    const double *azimuths;
    const lf_horizon *horizons;
    int64_t count;
    const lf_sight_rules *rules;
} skyline;

/// Write it to a sheet; says what is wrong and returns false.
bool skyline_write(cli *run, const skyline *skyline, const char *path);

/// The plot of a skyline; .png, .svg or .pdf.
lf_status skyline_plot(cli *run, const void *content, const char *path, lf_error *error);

/// One direction as JSON members.
void skyline_put_json(json *document, const skyline *skyline, int64_t i);

#endif
