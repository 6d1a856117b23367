/// landfall/locale.h: volumes between a floor and a ceiling: is a point inside, which of them holds it, and which
/// borders does a move cross.
///
/// A volume is what has floor below and ceiling above. Its sides need no walls: they are where floor or ceiling end.
#ifndef LANDFALL_LOCALE_H
#define LANDFALL_LOCALE_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Is there floor below a point and ceiling above it?
/// floor    ground to be met looking down
/// ceiling  ground to be met looking up; NULL, or the same as floor: both are in one ground
/// point    finite
/// The volume is closed: a point on the floor or on the ceiling is inside. In one ground, floor and ceiling have to be
/// apart: a point on a surface with nothing else above or below is not inside.
/// cursor   counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_inside(const lf_ground *floor, const lf_ground *ceiling, lf_vec3 point,
                                  bool *inside, lf_cursor *cursor);

/// A volume with a name.
typedef struct lf_locale {
    const char *name;         ///< not NULL, not empty, unlike all others
    const lf_ground *floor;   ///< must outlive the locales
    const lf_ground *ceiling; ///< likewise; NULL: in the same ground as the floor
} lf_locale;

/// A set of named volumes. They may overlap.
typedef struct lf_locales lf_locales;

/// Make a set of locales.
/// list     count >= 1 of them; copied, the names too
/// host     hooks (only the allocator is used) or NULL
/// locales  written only on success; give it back with lf_locales_destroy
/// error    optional; `where` is the index of the offending locale
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_locales_create(const lf_locale *list, int64_t count, const lf_host *host,
                                   lf_locales **locales, lf_error *error);

/// Give locales back, not their grounds; NULL is fine. Threads: nobody else may be using them.
LF_API void lf_locales_destroy(lf_locales *locales);

/// How many there are. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_locales_count(const lf_locales *locales);

/// The name of a locale, 0 <= index < count; it lives as long as the locales. Allocates nothing. Threads: any number at
/// once.
LF_API const char *lf_locales_name(const lf_locales *locales, int64_t index);

/// The index of the locale of that name; -1: none. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_locales_find(const lf_locales *locales, const char *name);

/// Which locales hold a point, in ascending order: every one for which lf_ground_inside says yes.
/// point     finite
/// indices   room for capacity of them
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// cursor    counters and filters of the caller's thread, or NULL
/// The cost is that of two heights for each locale whose floor is under the point.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                               int64_t *count, lf_cursor *cursor);

/// One border crossed.
typedef struct lf_crossing {
    double t;       ///< along the segment, 0 to 1
    lf_vec3 point;  ///< where
    int64_t locale; ///< whose border
    bool entering;  ///< or leaving
} lf_crossing;

/// Which borders does a straight move cross, and where? The whole segment is examined, not samples of it: a locale that
/// is left for the width of a finger is left and entered.
/// from, to   finite; they may be the same
/// crossings  room for capacity of them, in the order of t; at the same t leaving comes first, then the lower locale
/// count      how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// From the locales that hold `from`, the crossings lead to those that hold `to`: a move that begins on a border and goes
/// away leaves at t = 0. In between, a border that is only touched is not crossed. What is shorter than 16 units in the last place of the coordinates
/// cannot be told from that.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also for a segment that meets the centre or the axis of a locale's frame.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_cross(const lf_locales *locales, lf_vec3 from, lf_vec3 to, lf_crossing *crossings,
                                  int64_t capacity, int64_t *count, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
