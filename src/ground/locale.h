/// Locales from the inside.
#ifndef LF_GROUND_LOCALE_H
#define LF_GROUND_LOCALE_H

#include "ground/ground.h"
#include <landfall/ground.h>

typedef struct lf__locale {
    char *name;
    const lf_ground *floor;
    const lf_ground *ceiling; ///< never NULL
} lf__locale;

struct lf_locales {
    lf_allocator allocator;
    lf__locale *list;
    int64_t count; ///< with names
    int64_t room;
};

/// Does a locale hold a finite point?
bool lf__locale_holds(const lf__locale *locale, lf_vec3 point, lf_cursor *cursor);

/// Can a locale hold any point of the segment from a to b? Never wrong when it says no.
bool lf__locale_near(const lf__locale *locale, lf_vec3 a, lf_vec3 b);

/// A status, or LF_BAD_FORMAT where a file of one of them was found damaged.
lf_status lf__locales_told(const lf_locales *locales, lf_status status);

#endif
