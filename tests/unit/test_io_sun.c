/// Where the sun stands, against published places and times; times as text.
#include "support.h"
#include <landfall/io.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static double time_of(const char *text) {
    double seconds = NAN;
    lf_error error;
    if (lf_time_read(text, &seconds, &error) != LF_OK)
        fail_msg("%s: %s", text, error.text);
    return seconds;
}

static void times_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"1970-01-01", 0},
        {"1970-01-01Z", 0},
        {"1970-01-01T00:00Z", 0},
        {"1970-01-02 00:00:01", 86401},
        {"1969-12-31T23:59:59Z", -1},
        {"2000-02-29T12:00:00Z", 951825600},
        {"2000-03-01", 951868800},
        {"1900-03-01", -2203891200},
        {"2026-06-21T12:00:00Z", 1782043200},
        {"2026-06-21T12:00:00.25Z", 1782043200.25},
        {"2026-06-21T12:00:00.2500000000000000000000000001", 1782043200.25},
        {"2026-06-21T14:00+02:00", 1782043200},
        {"2026-06-21T14:00+02", 1782043200},
        {"2026-06-21T04:30:00-0730", 1782043200},
        {"1000-01-01", -30610224000},
        {"2999-12-31T23:59:59Z", 32503679999},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (time_of(cases[i].text) != cases[i].seconds)
            fail_msg("%s is read as %.17g", cases[i].text, time_of(cases[i].text));
}

static void bad_times_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t where;
    } cases[] = {
        {"", 0},
        {"noon", 0},
        {"0999-01-01", 0},
        {"3000-01-01", 0},
        {"2026", 4},
        {"2026-13-01", 5},
        {"2026-00-01", 5},
        {"2026-02-29", 8},
        {"1900-02-29", 8},
        {"2026-04-31", 8},
        {"2026-6-21", 5},
        {"2026-06-21T", 11},
        {"2026-06-21T24:00", 11},
        {"2026-06-21T12", 13},
        {"2026-06-21T12:60", 14},
        {"2026-06-21T12:00:60", 17},
        {"2026-06-21T12:00:00.", 20},
        {"2026-06-21T12:00:00+2", 20},
        {"2026-06-21T12:00:00+02:", 23},
        {"2026-06-21T12:00:00+02:0", 23},
        {"2026-06-21T12:00:00+020x", 22},
        {"2026-06-21T12:00:00ZZ", 20},
        {"2026-06-21 ", 11},
        {"2026-06-21x", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double seconds = 5;
        lf_error error;
        assert_int_equal(lf_time_read(cases[i].text, &seconds, &error), LF_BAD_FORMAT);
        assert_true(seconds == 5);
        if (error.where != cases[i].where)
            fail_msg("\"%s\" is refused at %d: %s", cases[i].text, (int)error.where, error.text);
    }
    double seconds;
    assert_int_equal(lf_time_read(NULL, &seconds, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_time_read("2026-06-21", NULL, NULL), LF_BAD_ARGUMENT);
}

static lf_sun sun_of(double lon, double lat, const char *text, bool refraction) {
    lf_sun sun = {NAN, NAN, NAN};
    assert_int_equal(lf_sun_at(lon, lat, time_of(text), refraction, &sun), LF_OK);
    assert_true(sun.azimuth_deg >= 0 && sun.azimuth_deg < 360);
    assert_true(sun.hours == 0);
    return sun;
}

/// The worked example of Reda and Andreas, Solar Position Algorithm for Solar Radiation Applications (NREL/TP-560-34302):
/// 2003-10-17, 12:30:30 seven hours behind UTC, at 105.1786 W, 39.742476 N; and its sunrise and sunset (of
/// the day in UTC).
static void nrel_example(void **state) {
    (void)state;
    lf_sun sun = sun_of(-105.1786, 39.742476, "2003-10-17T12:30:30-07:00", false);
    assert_true(fabs(sun.azimuth_deg - 194.34024) < 0.01);
    assert_true(fabs(sun.altitude_deg - 39.872046) < 0.01);
    lf_sun lifted = sun_of(-105.1786, 39.742476, "2003-10-17T12:30:30-07:00", true);
    assert_true(fabs(lifted.altitude_deg - (90 - 50.11162)) < 0.01);
    assert_true(lifted.altitude_deg > sun.altitude_deg && lifted.azimuth_deg == sun.azimuth_deg);
    assert_true(fabs(sun_of(-105.1786, 39.742476, "2003-10-17T06:12:43-07:00", false).altitude_deg + 0.8333) <
                0.01);
    assert_true(fabs(sun_of(-105.1786, 39.742476, "2003-10-16T17:20:19-07:00", false).altitude_deg + 0.8333) <
                0.01);
}

/// From a pole, the altitude is the declination. Meeus, Astronomical Algorithms, example 25.b: 1992-10-13 at 0h of dynamical time, which
/// was 59 seconds ahead, -7 degrees 47' 01.74".
static void meeus_declination(void **state) {
    (void)state;
    double declination = -(7 + 47 / 60.0 + 1.74 / 3600);
    assert_true(fabs(sun_of(0, 90, "1992-10-12T23:59:01Z", false).altitude_deg - declination) < 0.01);
    assert_true(fabs(sun_of(0, -90, "1992-10-12T23:59:01Z", false).altitude_deg + declination) < 0.01);
}

/// Equinoxes and solstices as almanacs print them: declination 0 at the one, and stationary near 23.44 at the other.
static void seasons(void **state) {
    (void)state;
    assert_true(fabs(sun_of(0, 90, "2024-03-20T03:06Z", false).altitude_deg) < 0.01);
    assert_true(fabs(sun_of(0, 90, "2026-03-20T14:46Z", false).altitude_deg) < 0.01);
    assert_true(fabs(sun_of(0, 90, "2026-09-23T00:05Z", false).altitude_deg) < 0.01);
    assert_true(fabs(sun_of(0, 90, "2026-06-21T08:25Z", false).altitude_deg - 23.436) < 0.01);
    assert_true(fabs(sun_of(0, -90, "2026-12-21T20:50Z", false).altitude_deg - 23.436) < 0.01);
    // A day and a half from the March equinox the sun has moved by a little more than half a degree.
    assert_true(sun_of(0, 90, "2026-03-22T02:46Z", false).altitude_deg > 0.5);
}

/// Around the world: with the sun's own hour the azimuth turns, east before noon, west after.
static void directions(void **state) {
    (void)state;
    lf_sun morning = sun_of(11, 47, "2026-06-21T05:00Z", false),
           evening = sun_of(11, 47, "2026-06-21T18:00Z", false);
    assert_true(morning.azimuth_deg > 45 && morning.azimuth_deg < 90 && morning.altitude_deg > 0);
    assert_true(evening.azimuth_deg > 270 && evening.azimuth_deg < 315 && evening.altitude_deg > 0);
    lf_sun north = sun_of(151, -34, "2026-06-21T02:00Z", false); // noon in Sydney
    assert_true(north.azimuth_deg < 20 || north.azimuth_deg > 340);
    lf_sun turned = sun_of(371, 47, "2026-06-21T05:00Z", false);
    assert_true(fabs(turned.azimuth_deg - morning.azimuth_deg) < 1e-9);
}

/// Refraction lifts, less and less the higher the sun stands, about 34' on the horizon, and never jumps.
static void refraction_is_smooth(void **state) {
    (void)state;
    double start = time_of("2026-03-20T00:00Z"), before = NAN, seen_low = 0;
    for (int i = 0; i < 24 * 360; i++) {
        lf_sun plain, lifted;
        assert_int_equal(lf_sun_at(0, 0.5, start + 10 * i, false, &plain), LF_OK);
        assert_int_equal(lf_sun_at(0, 0.5, start + 10 * i, true, &lifted), LF_OK);
        double lift = lifted.altitude_deg - plain.altitude_deg;
        assert_true(lift > -1e-9 && lift < 0.8);
        assert_false(fabs(lift - before) > 0.03);
        if (fabs(lifted.altitude_deg) < 0.02) {
            assert_true(fabs(lift - 34 / 60.0) < 0.1);
            seen_low++;
        }
        before = lift;
    }
    assert_true(seen_low > 0);
}

static void day_of_suns(void **state) {
    (void)state;
    lf_sun_day_def day = lf_sun_day_def_default();
    day.lon_deg = 11.5, day.lat_deg = 48.1;
    day.start = time_of("2026-03-20T00:00+01:00");
    day.step_minutes = 7; // does not divide the day
    static lf_sun suns[300];
    int64_t count = -1;
    assert_int_equal(lf_sun_day(&day, suns, 300, &count, NULL), LF_OK);
    double hours = 0;
    for (int64_t i = 0; i < count; i++) {
        hours += suns[i].hours;
        assert_true(suns[i].altitude_deg >= -1);
        assert_true(i == 0 || suns[i].azimuth_deg > suns[i - 1].azimuth_deg);
    }
    assert_true(fabs(hours - 12.35) < 0.25); // an equinox, and the sun from 1 degree below level on

    day.lowest_deg = -90; // every step, the last one shorter
    assert_int_equal(lf_sun_day(&day, suns, 300, &count, NULL), LF_OK);
    assert_int_equal(count, 206);
    assert_true(fabs(suns[205].hours - 5 / 60.0) < 1e-12);
    lf_sun middle;
    assert_int_equal(lf_sun_at(11.5, 48.1, day.start + 210, true, &middle), LF_OK);
    assert_true(fabs(middle.azimuth_deg - suns[0].azimuth_deg) < 1e-6);

    lf_sun first[3];
    assert_int_equal(lf_sun_day(&day, first, 3, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 206);
    assert_memory_equal(first, suns, sizeof first);
    assert_int_equal(lf_sun_day(&day, NULL, 0, &count, NULL), LF_PARTIAL);
}

static void bad_suns_are_refused(void **state) {
    (void)state;
    lf_sun sun = {1, 2, 3};
    double noon = time_of("2026-06-21T12:00Z");
    assert_int_equal(lf_sun_at(NAN, 0, noon, false, &sun), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_at(0, 90.5, noon, false, &sun), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_at(0, 0, NAN, false, &sun), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_at(0, 0, 4e10, false, &sun), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_at(0, 0, noon, false, NULL), LF_BAD_ARGUMENT);
    assert_true(sun.azimuth_deg == 1 && sun.altitude_deg == 2 && sun.hours == 3);

    lf_sun_day_def good = lf_sun_day_def_default(), bad = good;
    int64_t count = -7;
    lf_error error;
    good.start = noon;
    bad = good, bad.lat_deg = -91;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "-91"));
    bad = good, bad.step_minutes = 0;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    bad = good, bad.step_minutes = 1e-9;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    bad = good, bad.hours = -3;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    bad = good, bad.start = LF_INFINITY;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    bad = good, bad.lowest_deg = NAN;
    assert_int_equal(lf_sun_day(&bad, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_day(&good, NULL, 1, &count, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_day(&good, &sun, 1, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_day(NULL, &sun, 1, &count, &error), LF_BAD_ARGUMENT);
    assert_int_equal(count, -7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(bad_times_are_refused),
        cmocka_unit_test(nrel_example),
        cmocka_unit_test(meeus_declination),
        cmocka_unit_test(seasons),
        cmocka_unit_test(directions),
        cmocka_unit_test(refraction_is_smooth),
        cmocka_unit_test(day_of_suns),
        cmocka_unit_test(bad_suns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
