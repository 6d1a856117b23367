/// Where the sun stands, by libnova.
///
/// libnova gives where the Earth is (VSOP87, seen from the ecliptic of the year 2000), nutation and the time of the stars. From there to
/// the sky of a place is done here: libnova's own apparent places of the sun (0.16) leave out precession, a degree in 72 years.
#include "base/base.h"
#include <landfall/io.h>
#include <libnova/dynamical_time.h>
#include <libnova/nutation.h>
#include <libnova/sidereal_time.h>
#include <libnova/solar.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#define RADIANS 0.017453292519943295

/// The years 1000 .. 2999.
#define FIRST_SECOND (-30610224000.0)
#define LAST_SECOND 32503680000.0

#define MOST_STEPS 10000000

/// libnova keeps the last nutation and the last place of the Earth in common memory.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static lf_sun_moment sky_at(double unix_seconds) {
    double days = unix_seconds / 86400 + 2440587.5, dynamical, stars_deg;
    struct ln_helio_posn sun;
    struct ln_nutation nutation;
    pthread_mutex_lock(&one_at_a_time);
    dynamical = ln_get_jde(days);
    ln_get_solar_geom_coords(dynamical, &sun);
    ln_get_nutation(dynamical, &nutation);
    stars_deg = 15 * ln_get_mean_sidereal_time(days);
    pthread_mutex_unlock(&one_at_a_time);

    // On the ecliptic of the day the sun's latitude is below 2": it is left out.
    double centuries = (dynamical - 2451545) / 36525;
    double precession_deg = (5029.0966 + 1.1111 * centuries) * centuries / 3600;
    double aberration_deg = 20.4898 / 3600 / sun.R;
    double longitude = (sun.L + precession_deg + nutation.longitude - aberration_deg) * RADIANS;
    double tilt = (nutation.ecliptic + nutation.obliquity) * RADIANS;
    lf_sun_moment now = {atan2(cos(tilt) * sin(longitude), cos(longitude)), asin(sin(tilt) * sin(longitude)),
                         (stars_deg + nutation.longitude * cos(tilt)) * RADIANS};
    return now;
}

/// By how much air lifts what stands at a true altitude; degrees. Saemundsson's formula; what is below the level of the sea
/// goes through ever less air, so that it fades from there on.
static double lifted_deg(double altitude_deg) {
    double held = altitude_deg < -1 ? -1 : altitude_deg;
    double lift = 1.02 / 60 / tan((held + 10.3 / (held + 5.11)) * RADIANS);
    if (lift < 0) // at the zenith
        lift = 0;
    return altitude_deg < -1 ? lift * tan(RADIANS) / tan(-altitude_deg * RADIANS) : lift;
}

static lf_sun turn_to_place(lf_sun_moment now, double lon_deg, double lat_deg) {
    const double parallax_deg = 8.794 / 3600;
    double hour = now.turned + fmod(lon_deg, 360) * RADIANS - now.right_ascension;
    double lat = lat_deg * RADIANS, dec = now.declination;
    double east = -cos(dec) * sin(hour);
    double north = cos(lat) * sin(dec) - sin(lat) * cos(dec) * cos(hour);
    double up = sin(lat) * sin(dec) + cos(lat) * cos(dec) * cos(hour);
    double azimuth_deg = atan2(east, north) / RADIANS;
    double altitude_deg = atan2(up, hypot(east, north)) / RADIANS;
    azimuth_deg = azimuth_deg < 0 ? azimuth_deg + 360 : azimuth_deg;
    altitude_deg -= parallax_deg * cos(altitude_deg * RADIANS);
    lf_sun sun = {azimuth_deg < 360 ? azimuth_deg : 0, altitude_deg, 0};
    return sun;
}

static bool is_place(double lon_deg, double lat_deg) {
    return isfinite(lon_deg) && lat_deg >= -90 && lat_deg <= 90;
}

lf_status lf_sun_moment_at(double unix_seconds, lf_sun_moment *moment) {
    if (!moment || !(unix_seconds >= FIRST_SECOND && unix_seconds < LAST_SECOND))
        return LF_BAD_ARGUMENT;
    *moment = sky_at(unix_seconds);
    return LF_OK;
}

lf_status lf_sun_over(const lf_sun_moment *moment, double lon_deg, double lat_deg, bool refraction,
                      lf_sun *sun) {
    if (!moment || !sun || !is_place(lon_deg, lat_deg))
        return LF_BAD_ARGUMENT;
    *sun = turn_to_place(*moment, lon_deg, lat_deg);
    if (refraction)
        sun->altitude_deg += lifted_deg(sun->altitude_deg);
    return LF_OK;
}

lf_status lf_sun_at(double lon_deg, double lat_deg, double unix_seconds, bool refraction, lf_sun *sun) {
    lf_sun_moment moment;
    if (!sun || !is_place(lon_deg, lat_deg) || lf_sun_moment_at(unix_seconds, &moment) != LF_OK)
        return LF_BAD_ARGUMENT;
    return lf_sun_over(&moment, lon_deg, lat_deg, refraction, sun);
}

static lf_status check_day(const lf_sun_day_def *day, lf_error *error) {
    if (!is_place(day->lon_deg, day->lat_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "longitude %g, latitude %g is no place on Earth",
                        day->lon_deg, day->lat_deg);
    if (!(day->hours > 0 && isfinite(day->hours)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "hours is %g: must be above 0", day->hours);
    if (!(day->start >= FIRST_SECOND && day->start + 3600 * day->hours < LAST_SECOND))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the time is not within the years 1000 to 2999");
    if (!(day->step_minutes > 0 && 60 * day->hours / day->step_minutes <= MOST_STEPS))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "step_minutes is %g: must be above 0, and no more than %d steps", day->step_minutes,
                        MOST_STEPS);
    if (isnan(day->lowest_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "lowest_deg is not a number");
    return LF_OK;
}

lf_status lf_sun_day(const lf_sun_day_def *def, lf_sun *suns, int64_t capacity, int64_t *count,
                     lf_error *error) {
    lf_sun_day_def day = lf_sun_day_def_default();
    lf_status status = lf__def_read(&day, sizeof day, def, error);
    if (!status)
        status = check_day(&day, error);
    if (!status && (!count || capacity < 0 || (capacity > 0 && !suns)))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "count or suns is NULL, or capacity is below 0");
    if (status)
        return status;
    double end = 60 * day.hours;
    int64_t found = 0, steps = (int64_t)ceil(end / day.step_minutes);
    for (int64_t i = 0; i < steps; i++) {
        double from = (double)i * day.step_minutes, to = fmin(from + day.step_minutes, end);
        lf_sun sun;
        lf_sun_at(day.lon_deg, day.lat_deg, day.start + 30 * (from + to), day.refraction, &sun);
        sun.hours = (to - from) / 60;
        if (!(to > from) || sun.altitude_deg < day.lowest_deg)
            continue;
        if (found < capacity)
            suns[found] = sun;
        found++;
    }
    *count = found;
    return found > capacity ? LF_PARTIAL : LF_OK;
}
