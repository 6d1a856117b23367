/// landfall/sun.h: where the sun stands (library landfall-io, by libnova).
#ifndef LANDFALL_SUN_H
#define LANDFALL_SUN_H

#include <landfall/horizon.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Read a time: "2026-06-21", "2026-06-21T12:00", "2026-06-21T12:00:00" or with fractions of a second, a blank instead of the T
/// allowed; behind it "Z" or the difference to UTC ("+02:00", "-0730", "+02"). Without either it is UTC; without a clock it is
/// midnight. The Gregorian calendar is used throughout.
/// text          the whole text is the time; years 1000 .. 2999
/// unix_seconds  written only on success: since 1970-01-01T00:00Z, leap seconds not counted
/// error         optional; `where` is the character that offends, from 0
/// Errors: LF_BAD_ARGUMENT, LF_BAD_FORMAT. Allocates nothing. Threads: any.
LF_API lf_status lf_time_read(const char *text, double *unix_seconds, lf_error *error);

/// Where the middle of the sun's disc stands, seen from a place on Earth: to 0.01 degrees.
/// lon_deg, lat_deg  finite, latitude -90 .. 90. At a pole azimuths count as if one came there along that longitude
/// unix_seconds      within the years 1000 .. 2999
/// refraction        the altitude as the sun appears in usual air (1010 hPa, 10 degrees C) instead of where it is
/// sun               written only on success; azimuth 0 .. 360 clockwise from true north, which on a projected map is not +y: see
///                   lf_compass_to_map; its hours are 0
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any, but one waits for the other.
LF_API lf_status lf_sun_at(double lon_deg, double lat_deg, double unix_seconds, bool refraction, lf_sun *sun);

/// The sun at a moment, before it is known where from: for many places at once.
typedef struct lf_sun_moment {
    double right_ascension, declination; ///< of the sun, apparent; radians
    double turned;                       ///< how far the sky over Greenwich has turned; radians
} lf_sun_moment;

/// The sun at a moment.
/// unix_seconds  within the years 1000 .. 2999
/// moment        written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any, but one waits for the other.
LF_API lf_status lf_sun_moment_at(double unix_seconds, lf_sun_moment *moment);

/// The sun of a moment as lf_sun_at has it, bit for bit.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sun_over(const lf_sun_moment *moment, double lon_deg, double lat_deg, bool refraction,
                             lf_sun *sun);

/// Which suns to collect; start from lf_sun_day_def_default() and fill in the place and the start.
typedef struct lf_sun_day_def {
    size_t size;             ///< stamped by the default function
    double lon_deg, lat_deg; ///< as in lf_sun_at
    double start;            ///< unix seconds, as lf_time_read gives them
    double hours;            ///< from the start on; > 0, 24 by default
    double step_minutes;     ///< > 0; 10 by default
    double lowest_deg;       ///< suns below this altitude are left out; -1 by default
    bool refraction;         ///< true by default
} lf_sun_day_def;

static inline lf_sun_day_def lf_sun_day_def_default(void) {
    lf_sun_day_def def = {sizeof(lf_sun_day_def), 0, 0, 0, 24, 10, -1, true};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_sun_day_def_init(lf_sun_day_def *def, size_t size);

/// The suns of a day, or of any other time: one for each step, taken at the middle of the step and counting for all of it (the
/// last step ends with the time asked for). Ready for lf_sun_hours.
/// suns   room for capacity, in order of time
/// count  how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// error  optional
/// Errors: LF_BAD_ARGUMENT (named; more than 10 million steps too). Allocates nothing. Threads: as lf_sun_at.
LF_API lf_status lf_sun_day(const lf_sun_day_def *def, lf_sun *suns, int64_t capacity, int64_t *count,
                            lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
