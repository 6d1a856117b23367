/// Rays, lifted rays and sight on random planets, against walking along them in small steps.
#include "globe/globe.h"
#include "planet.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST ((size_t)1 << 30)

/// A line that is walked along.
typedef struct walk {
    const lf_globe *globe;
    lf_ellipsoid ellipsoid;
    lf_ray ray;
    double lift;
    bool ceiling;
} walk;

/// How high the line is above the ground; NAN where there is none.
static double above(const walk *w, double t) {
    lf_geodetic place =
        lf_ellipsoid_to_geodetic(&w->ellipsoid, lf_vec3_along(w->ray.origin, t, w->ray.direction));
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height(w->globe, place.lon_deg, place.lat_deg, &ground, NULL), LF_OK);
    double height = w->ceiling && ground.coarser ? ground.ceiling : ground.height;
    return place.height - height - w->lift;
}

/// Where the line first changes sides, in steps; -1: nowhere.
static double first_change(const walk *w, double from, double to, int64_t steps) {
    double before = above(w, from);
    for (int64_t i = 1; i <= steps; i++) {
        double t = from + (to - from) * (double)i / (double)steps, now = above(w, t);
        if ((before > 0 && now < 0) || (before < 0 && now > 0)) {
            double low = from + (to - from) * (double)(i - 1) / (double)steps, high = t;
            for (int k = 0; k < 80; k++) {
                double middle = 0.5 * low + 0.5 * high, here = above(w, middle);
                if (isnan(here)) // a narrow hole between: no change of sides after all
                    return first_change(w, t, to, steps - i);
                if ((here > 0) == (before > 0))
                    low = middle;
                else
                    high = middle;
            }
            return low;
        }
        before = now;
    }
    return -1;
}

/// The least and the most that the line is above the ground next to a place, on whichever side of a border it is.
static void above_around(const walk *w, double t, double *low, double *high) {
    lf_geodetic place =
        lf_ellipsoid_to_geodetic(&w->ellipsoid, lf_vec3_along(w->ray.origin, t, w->ray.direction));
    bool pole = fabs(place.lat_deg) > 90 - 4e-9;
    double narrow = fmax(cos(place.lat_deg * 0.017453292519943295), 1e-9);
    for (int k = 0; k < (pole ? 64 : 9); k++) {
        lf_globe_elevation ground;
        double lon = place.lon_deg + (pole ? 5.625 * k : 1e-9 / narrow * (k % 3 - 1));
        double lat = pole ? copysign(90 - 2e-9, place.lat_deg) : place.lat_deg + 1e-9 * (k / 3 - 1);
        lf_globe_height(w->globe, lon, lat, &ground, NULL);
        double height = w->ceiling && ground.coarser ? ground.ceiling : ground.height;
        double above = place.height - height - w->lift;
        *low = isnan(above) ? *low : fmin(*low, above);
        *high = isnan(above) ? *high : fmax(*high, above);
    }
}

/// Within a millimetre of a hit there is ground: the line is near to it, or changes sides.
static void check_met(const walk *w, double t) {
    double step = 0.001 / lf_vec3_length(w->ray.direction), low = INFINITY, high = -INFINITY;
    for (int k = -8; k <= 8; k++)
        above_around(w, fmax(t + k * step / 8, 0), &low, &high);
    if (!(low <= 0.0005 && high >= -0.0005))
        fail_msg("a hit at t = %.17g, where the line is %g .. %g m above", t, low, high);
}

/// Is the line more than half a millimetre below the ground anywhere between two places? Where it grazes the ground, a tenth of a
/// millimetre of height is many along the line.
static bool goes_below(const walk *w, double from, double to) {
    for (int k = 0; k <= 64; k++) {
        double low = INFINITY, high = -INFINITY;
        above_around(w, from + (to - from) * k / 64, &low, &high);
        if (low < -0.0005)
            return true;
    }
    return false;
}

static void check_ray(const walk *w, const lf_hit *hit, double to, int64_t steps) {
    double length = lf_vec3_length(w->ray.direction);
    double found = first_change(w, w->ray.t_min, to, steps);
    if (hit->kind == LF_HIT_NONE) {
        if (found >= 0)
            fail_msg("missed: the line changes sides at %.17g of %.17g", found, to);
        return;
    }
    check_met(w, hit->t);
    if (found >= 0 && (hit->t - found) * length > 0.001 && goes_below(w, found, hit->t))
        fail_msg("a hit at %.17g, %g m behind %.17g", hit->t, (hit->t - found) * length, found);
}

static lf_geodetic random_place(test_random *random) {
    lf_geodetic place = {test_random_between(random, -200, 200), test_random_between(random, -90, 90),
                         test_random_between(random, -2000, 12000)};
    static const double special[] = {-180, -90, 0, 45, 90, 180, 22.5};
    if (test_random_below(random, 4) == 0)
        place.lon_deg = special[test_random_below(random, 7)];
    if (test_random_below(random, 5) == 0)
        place.lat_deg = test_random_below(random, 2) ? 89.9999 : -90;
    if (test_random_below(random, 6) == 0)
        place.lat_deg = 0;
    return place;
}

/// Near lines, far lines, plumb lines, lines along the ground, lines through the pole.
static lf_ray random_ray(test_random *random, const lf_ellipsoid *ellipsoid) {
    lf_geodetic from = random_place(random), to = random_place(random);
    switch (test_random_below(random, 6)) {
    case 0: // from space
        from.height = test_random_between(random, 1e5, 2e7);
        break;
    case 1: // near
        to.lon_deg = from.lon_deg + test_random_between(random, -0.2, 0.2);
        to.lat_deg = fmin(fmax(from.lat_deg + test_random_between(random, -0.2, 0.2), -90), 90);
        break;
    case 2: // plumb
        to = from;
        from.height = 50000;
        to.height = -20000;
        break;
    case 3: // over the pole
        to = from;
        to.lon_deg += 180;
        from.lat_deg = to.lat_deg = 89;
        break;
    case 4: // along a meridian or a parallel
        to.lon_deg = from.lon_deg + (test_random_below(random, 2) ? 0 : 3);
        to.lat_deg = from.lat_deg * 0.97;
        break;
    default: // anything
        break;
    }
    lf_ray ray =
        lf_ray_between(lf_ellipsoid_to_centred(ellipsoid, from), lf_ellipsoid_to_centred(ellipsoid, to));
    return ray;
}

static void load_some(lf_globe *globe, const planet *p, test_random *random) {
    for (int i = 0; i < 12; i++) {
        int level = (int)test_random_below(random, p->levels);
        lf_tile_key key = {level, (int32_t)test_random_below(random, (int64_t)2 << level),
                           (int32_t)test_random_below(random, (int64_t)1 << level)};
        assert_int_equal(lf_globe_load(globe, key, NULL), LF_OK);
    }
}

static lf_ellipsoid random_ellipsoid(test_random *random) {
    lf_ellipsoid kinds[3] = {lf_ellipsoid_wgs84(), {6371000, 0}, {1738000, 0.1}};
    return kinds[test_random_below(random, 3)];
}

static void rays_on_what_is_loaded(void **state) {
    (void)state;
    test_random random = test_random_start(901);
    int64_t met = 0, count = test_rounds(24);
    for (int64_t i = 0; i < count; i++) {
        planet p = planet_random(&random);
        lf_ellipsoid ellipsoid = random_ellipsoid(&random);
        lf_globe *globe = planet_globe(&p, &ellipsoid, MOST);
        load_some(globe, &p, &random);
        for (int k = 0; k < 12; k++) {
            walk w = {globe, ellipsoid, random_ray(&random, &ellipsoid), 0, false};
            lf_hit hit;
            w.ceiling = !p.unbounded && test_random_below(&random, 3) == 0;
            bool lifted = test_random_below(&random, 3) == 0;
            w.lift = lifted ? test_random_between(&random, -100, 500) : 0;
            assert_int_equal(lf__globe_ray_first(globe, &w.ray, w.lift,
                                                 w.ceiling ? LF__GLOBE_CEILING : LF__GLOBE_SURFACE, &hit,
                                                 NULL),
                             LF_OK);
            check_ray(&w, &hit, 1, 1500);
            met += hit.kind != LF_HIT_NONE;
        }
        lf_globe_destroy(globe);
        assert_int_equal(p.handed_out, 0);
    }
    assert_true(met > count);
}

/// Is a point in a tile, or within a millimetre of it?
static bool in_tile(const lf_ellipsoid *ellipsoid, uint64_t tile, lf_vec3 point) {
    lf_geodetic_box area = lf_tile_area(2, 1, lf_tile_unpack(tile));
    lf_geodetic at = lf_ellipsoid_to_geodetic(ellipsoid, point);
    double degree = ellipsoid->radius * 0.017453292519943295, lon = at.lon_deg;
    if (lon < 0.5 * (area.west + area.east) - 180)
        lon += 360;
    if (lon > 0.5 * (area.west + area.east) + 180)
        lon -= 360;
    double east = fmax(area.west - lon, lon - area.east) * cos(at.lat_deg * 0.017453292519943295),
           north = fmax(area.south - at.lat_deg, at.lat_deg - area.north);
    return fmax(east, north) * degree < 0.001;
}

/// The finest there is, from a globe that has nothing loaded, against one that has everything.
static void rays_on_the_finest(void **state) {
    (void)state;
    test_random random = test_random_start(902);
    for (int64_t i = 0; i < test_rounds(8); i++) {
        planet p = planet_random(&random);
        p.levels = p.levels > 3 ? 3 : p.levels;
        p.hollow = false;
        lf_ellipsoid ellipsoid = random_ellipsoid(&random);
        lf_globe *all = planet_globe(&p, &ellipsoid, MOST), *few = planet_globe(&p, &ellipsoid, 1);
        assert_int_equal(lf_globe_load_area(all, (lf_geodetic_box){-180, -90, 180, 90}, p.levels), LF_OK);
        for (int k = 0; k < 10; k++) {
            lf_ray ray = random_ray(&random, &ellipsoid);
            lf_hit hit, other;
            assert_int_equal(lf__globe_ray_first(all, &ray, 0, LF__GLOBE_SURFACE, &hit, NULL), LF_OK);
            assert_int_equal(lf__globe_ray_finest(few, &ray, 0, &other, NULL), LF_OK);
            assert_int_equal(hit.kind != LF_HIT_NONE, other.kind != LF_HIT_NONE);
            if (hit.kind == LF_HIT_NONE)
                continue;
            assert_true(fabs(hit.t - other.t) * lf_vec3_length(ray.direction) < 0.001);
            if (hit.user != other.user) // on the side between two tiles rounding decides
                assert_true(in_tile(&ellipsoid, hit.user, other.point) &&
                            in_tile(&ellipsoid, other.user, hit.point));
        }
        lf_globe_destroy(few);
        lf_globe_destroy(all);
    }
}

static void sight_both_ways(void **state) {
    (void)state;
    test_random random = test_random_start(903);
    int64_t clear = 0, blocked = 0;
    for (int64_t i = 0; i < test_rounds(10); i++) {
        planet p = planet_random(&random);
        lf_ellipsoid ellipsoid = lf_ellipsoid_wgs84();
        lf_globe *globe = planet_globe(&p, &ellipsoid, MOST);
        load_some(globe, &p, &random);
        for (int k = 0; k < 12; k++) {
            lf_geodetic a = random_place(&random), b = a;
            b.lon_deg += test_random_between(&random, -2, 2);
            b.lat_deg = fmin(fmax(b.lat_deg + test_random_between(&random, -2, 2), -90), 90);
            b.height = test_random_between(&random, -2000, 12000);
            lf_vec3 from = lf_ellipsoid_to_centred(&ellipsoid, a),
                    to = lf_ellipsoid_to_centred(&ellipsoid, b);
            lf_globe_sight there, back;
            assert_int_equal(lf__globe_sight_between(globe, from, to, 0, &there, NULL), LF_OK);
            assert_int_equal(lf__globe_sight_between(globe, to, from, 0, &back, NULL), LF_OK);
            assert_int_equal(there.clear, back.clear);
            walk w = {globe, ellipsoid, lf_ray_between(from, to), -0.001, false};
            w.ray.t_min = 0.01 / there.length;
            lf_hit hit = there.hit;
            if (there.clear)
                hit.kind = LF_HIT_NONE;
            // An end below ground is a meeting at once: the line is below all the way.
            bool below = above(&w, w.ray.t_min) < 0;
            if (!below)
                check_ray(&w, &hit, 1 - w.ray.t_min, 1500);
            clear += there.clear;
            blocked += !there.clear;
        }
        lf_globe_destroy(globe);
    }
    assert_true(clear > 0 && blocked > 0);
}

/// Lines of up to 2000 km that just touch the ground: where they are blocked, ground is at the line, seen from both ends.
static void long_lines_that_touch(void **state) {
    (void)state;
    test_random random = test_random_start(904);
    int64_t touched = 0;
    for (int64_t i = 0; i < test_rounds(6); i++) {
        planet p = planet_random(&random);
        lf_ellipsoid ellipsoid = lf_ellipsoid_wgs84();
        lf_globe *globe = planet_globe(&p, &ellipsoid, MOST);
        load_some(globe, &p, &random);
        for (int k = 0; k < 6; k++) {
            lf_geodetic a = random_place(&random), b = a;
            b.lon_deg += test_random_between(&random, -18, 18);
            b.lat_deg = fmin(fmax(b.lat_deg + test_random_between(&random, -5, 5), -90), 90);
            a.height = test_random_between(&random, 15000, 60000);
            double low = 0, high = 3e6;
            lf_globe_sight seen[2] = {0};
            for (int step = 0; step < 48; step++) { // to the height from which the line is clear
                b.height = 0.5 * (low + high);
                lf_vec3 from = lf_ellipsoid_to_centred(&ellipsoid, a),
                        to = lf_ellipsoid_to_centred(&ellipsoid, b);
                for (int way = 0; way < 2; way++) {
                    lf_globe_sight *s = &seen[way];
                    lf_vec3 one = way ? to : from, other = way ? from : to;
                    assert_int_equal(lf__globe_sight_between(globe, one, other, 0, s, NULL), LF_OK);
                    walk w = {globe, ellipsoid, lf_ray_between(one, other), -0.001, false};
                    if (!s->clear)
                        check_met(&w, s->t);
                    assert_true(s->clear || s->hit.kind != LF_HIT_NONE);
                    touched += !s->clear && step > 40;
                }
                assert_int_equal(seen[0].clear, seen[1].clear);
                *(seen[0].clear ? &high : &low) = b.height;
            }
        }
        lf_globe_destroy(globe);
    }
    assert_true(touched > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_on_what_is_loaded),
        cmocka_unit_test(rays_on_the_finest),
        cmocka_unit_test(sight_both_ways),
        cmocka_unit_test(long_lines_that_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
