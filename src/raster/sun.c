/// The position of the sun by libnova, and times as text.
///
/// libnova gives the position of the Earth (VSOP87, on the ecliptic of the year 2000), nutation and sidereal
/// time. The transform to the sky of a place is done here: the apparent positions of the sun of libnova 0.16
/// leave out precession, which is a degree in 72 years.
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

/// libnova keeps the last nutation and the last position of the Earth in static memory.
static pthread_mutex_t libnova_lock = PTHREAD_MUTEX_INITIALIZER;

static lf_sun_moment sun_moment(double unix_seconds) {
    double days = unix_seconds / 86400 + 2440587.5, dynamical, stars_deg;
    struct ln_helio_posn sun;
    struct ln_nutation nutation;
    pthread_mutex_lock(&libnova_lock);
    dynamical = ln_get_jde(days);
    ln_get_solar_geom_coords(dynamical, &sun);
    ln_get_nutation(dynamical, &nutation);
    stars_deg = 15 * ln_get_mean_sidereal_time(days);
    pthread_mutex_unlock(&libnova_lock);

    // On the ecliptic of the day the latitude of the sun is below 2" and is ignored.
    double centuries = (dynamical - 2451545) / 36525;
    double precession_deg = (5029.0966 + 1.1111 * centuries) * centuries / 3600;
    double aberration_deg = 20.4898 / 3600 / sun.R;
    double longitude = (sun.L + precession_deg + nutation.longitude - aberration_deg) * RADIANS;
    double tilt = (nutation.ecliptic + nutation.obliquity) * RADIANS;
    lf_sun_moment now = {atan2(cos(tilt) * sin(longitude), cos(longitude)), asin(sin(tilt) * sin(longitude)),
                         (stars_deg + nutation.longitude * cos(tilt)) * RADIANS};
    return now;
}

/// Refraction at a true altitude, in degrees: Saemundsson's formula. Below the horizon it fades out, because
/// the light passes through ever less air.
static double refraction_deg(double altitude_deg) {
    double held = altitude_deg < -1 ? -1 : altitude_deg;
    double lift = 1.02 / 60 / tan((held + 10.3 / (held + 5.11)) * RADIANS);
    if (lift < 0) // at the zenith
        lift = 0;
    return altitude_deg < -1 ? lift * tan(RADIANS) / tan(-altitude_deg * RADIANS) : lift;
}

static lf_sun sun_over_place(lf_sun_moment now, double lon_deg, double lat_deg) {
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
    *moment = sun_moment(unix_seconds);
    return LF_OK;
}

lf_status lf_sun_over(const lf_sun_moment *moment, double lon_deg, double lat_deg, bool refraction,
                      lf_sun *sun) {
    if (!moment || !sun || !is_place(lon_deg, lat_deg))
        return LF_BAD_ARGUMENT;
    *sun = sun_over_place(*moment, lon_deg, lat_deg);
    if (refraction)
        sun->altitude_deg += refraction_deg(sun->altitude_deg);
    return LF_OK;
}

static lf_status check_day(const lf_sun_day_def *day, lf_error *error) {
    if (!is_place(day->lon_deg, day->lat_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "longitude %g, latitude %g: expected finite numbers and a latitude of -90 to 90",
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

// ---------------------------------------------------------------------------------------------------
// Times as text
// ---------------------------------------------------------------------------------------------------

typedef struct clock_text {
    const char *start, *at;
    const char *wrong; ///< what was expected where reading stopped; NULL: nothing is wrong
} clock_text;

/// Read so many digits as a number from low to high.
static int read_digits(clock_text *text, int count, int low, int high, const char *what) {
    int value = 0;
    if (text->wrong)
        return low;
    for (int i = 0; i < count; i++) {
        if (text->at[i] < '0' || text->at[i] > '9') {
            text->wrong = what;
            return low;
        }
        value = 10 * value + (text->at[i] - '0');
    }
    if (value < low || value > high) {
        text->wrong = what;
        return low;
    }
    text->at += count;
    return value;
}

static bool skip_character(clock_text *text, char c) {
    if (text->wrong || *text->at != c)
        return false;
    text->at++;
    return true;
}

static void expect_character(clock_text *text, char c, const char *what) {
    if (!text->wrong && !skip_character(text, c))
        text->wrong = what;
}

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/// Days since 1970-01-01: years are counted from March, so that the leap day is the last of its year.
static int64_t days_since_1970(int year, int month, int day) {
    int64_t years = month <= 2 ? year - 1 : year, months = month <= 2 ? month + 9 : month - 3;
    return 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 719468;
}

static double read_date(clock_text *text) {
    int year = read_digits(text, 4, 1000, 2999, "a year from 1000 to 2999");
    expect_character(text, '-', "\"-\"");
    int month = read_digits(text, 2, 1, 12, "a month from 01 to 12");
    expect_character(text, '-', "\"-\"");
    int day = read_digits(text, 2, 1, month_days(year, month), "a day of that month");
    return 86400.0 * (double)days_since_1970(year, month, day);
}

/// Seconds of the day.
static double read_clock(clock_text *text) {
    int hour = read_digits(text, 2, 0, 23, "an hour from 00 to 23");
    expect_character(text, ':', "\":\"");
    int minute = read_digits(text, 2, 0, 59, "a minute from 00 to 59");
    double seconds = 3600.0 * hour + 60.0 * minute;
    if (!skip_character(text, ':'))
        return seconds;
    seconds += read_digits(text, 2, 0, 59, "a second from 00 to 59");
    if (!skip_character(text, '.'))
        return seconds;
    double fraction = read_digits(text, 1, 0, 9, "a digit"), unit = 10;
    for (; !text->wrong && *text->at >= '0' && *text->at <= '9' && unit < 1e15; text->at++, unit *= 10)
        fraction = 10 * fraction + (*text->at - '0');
    while (!text->wrong && *text->at >= '0' && *text->at <= '9')
        text->at++; // finer than a double
    return seconds + fraction / unit;
}

/// Seconds that local time is ahead of UTC.
static double read_zone(clock_text *text) {
    int sign = skip_character(text, '+') ? 1 : skip_character(text, '-') ? -1 : 0;
    if (sign == 0) {
        skip_character(text, 'Z');
        return 0;
    }
    int hours = read_digits(text, 2, 0, 23, "hours of difference to UTC"), minutes = 0;
    if (skip_character(text, ':') || (!text->wrong && *text->at != 0))
        minutes = read_digits(text, 2, 0, 59, "minutes of difference to UTC");
    return sign * (3600.0 * hours + 60.0 * minutes);
}

lf_status lf_time_read(const char *given, double *unix_seconds, lf_error *error) {
    if (!given || !unix_seconds)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "text or unix_seconds is NULL");
    clock_text text = {given, given, NULL};
    double seconds = read_date(&text);
    if (skip_character(&text, 'T') || skip_character(&text, ' ')) {
        seconds += read_clock(&text);
        seconds -= read_zone(&text);
    } else {
        skip_character(&text, 'Z');
    }
    if (!text.wrong && *text.at != 0)
        text.wrong = "nothing more";
    if (text.wrong)
        return lf__fail(error, LF_BAD_FORMAT, text.at - text.start,
                        "\"%.60s\" is no time such as 2026-06-21T12:00:00Z: expected %s at \"%.20s\"", given,
                        text.wrong, text.at);
    *unix_seconds = seconds;
    return LF_OK;
}
