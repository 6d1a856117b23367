/// The ground under a line, as a plot or as numbers.
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include "sight_rules.h"

typedef struct profile {
    const lf_profile_point *posts;
    int64_t count;
    lf_vec3 a, b; ///< the ends; of a path that was measured x is metres from a
    bool placed;  ///< x and y of the ends mean something
    const lf_sight *sight;
    const lf_sight_rules *rules;
} profile;

/// Write it to a sheet. Says what is wrong and returns false.
bool profile_write(cli *run, const profile *profile, const char *path);

/// The plot of a profile; .png, .svg or .pdf.
lf_status profile_plot(cli *run, const void *content, const char *path, lf_error *error);

#endif
