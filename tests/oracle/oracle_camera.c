// Thousands of flights over planets whose tiles arrive when they like. The oracle knows the finest surface
// and samples it densely: the camera is never below it and its clearance, never corrected faster than
// allowed, and untouched, bit for bit, when nothing is near.
#include "small_planet.h"
#include <landfall/camera.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 16 ///< of each frame

typedef struct flight {
    small_planet *planet;
    lf_globe *globe;
    lf_globe *empty; ///< the same ellipsoid, all ground far below
    lf_camera camera;
    test_random random;
    double dt;
    bool whole; ///< every tile is loaded, and stays
    int64_t touched, frames;
    int64_t did[2][8]; ///< how often, while tiles were missing and with all of them
} flight;

static double between(flight *f, double low, double high) {
    return test_random_between(&f->random, low, high);
}

static lf_geodetic random_place(flight *f) {
    double lat = asin(between(f, -1, 1)) * 180 / acos(-1.0);
    if (test_random_below(&f->random, 8) == 0)
        lat = copysign(between(f, 89.5, 90), lat);
    double lon = test_random_below(&f->random, 6) == 0 ? between(f, 179.9, 180.1) : between(f, -180, 180);
    return (lf_geodetic){lon, lat, 0};
}

/// Metres between the camera and the finest ground, less the clearance.
static double space_at(const flight *f, lf_vec3 position) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(&f->planet->ellipsoid, position);
    return place.height - small_planet_height(f->planet, place.lon_deg, place.lat_deg) - f->camera.clearance;
}

static lf_vec3 random_vector(flight *f, double length) {
    lf_vec3 v = {between(f, -1, 1), between(f, -1, 1), between(f, -1, 1)};
    return lf_vec3_scale(lf_vec3_unit(v), length);
}

/// Start clear of the ground, near it or far from it, slow or fast, straight, around or diving.
static void start(flight *f) {
    lf_camera *camera = &f->camera;
    double relief = f->planet->high, radius = f->planet->ellipsoid.radius;
    *camera = lf_camera_default();
    lf_geodetic place = random_place(f);
    camera->clearance = test_random_below(&f->random, 3) == 0 ? 0 : between(f, 0, 0.05 * relief);
    double ground = small_planet_height(f->planet, place.lon_deg, place.lat_deg);
    double above =
        test_random_below(&f->random, 3) == 0 ? between(f, 0.02, 1) : pow(10, between(f, 0, 1)) * relief;
    place.height = ground + camera->clearance + above;
    camera->position = lf_ellipsoid_to_centred(&f->planet->ellipsoid, place);
    f->dt = pow(10, between(f, -2.5, 0));
    double speed = relief * pow(10, between(f, -2.5, 1));
    lf_vec3 up = lf_vec3_unit(camera->position);
    int64_t kind = test_random_below(&f->random, 5);
    if (kind == 0 || kind == 3)
        camera->velocity = random_vector(f, speed);
    if (kind == 1 || kind == 3)
        camera->turn = random_vector(f, speed / radius);
    if (kind == 2) // diving
        camera->velocity = lf_vec3_along(random_vector(f, 0.5 * speed), -speed, up);
    if (kind == 4) { // thrust and turning
        camera->acceleration = random_vector(f, speed);
        camera->turn_acceleration = random_vector(f, 0.3 * speed / radius);
        camera->turn = random_vector(f, speed / radius);
    }
    camera->raise_limit =
        test_random_below(&f->random, 6) == 0 ? LF_INFINITY : relief * pow(10, between(f, -2, 0.5));
    camera->look_ahead = test_random_below(&f->random, 4) == 0 ? 0 : f->dt * between(f, 0, 30);
}

/// Metres of the way that the velocities lead along, and the raising that is allowed, a little longer for being raised.
static double farthest(const flight *f, const lf_camera_result *r) {
    double sum = 0, end = r->share * f->dt;
    for (int i = 0; i < r->piece_count; i++) {
        double from = r->pieces[i].start, to = i + 1 < r->piece_count ? r->pieces[i + 1].start : end;
        if (to > from)
            sum += (to - from) * (lf_vec3_length(r->pieces[i].velocity) +
                                  lf_vec3_length(r->pieces[i].turn) * lf_vec3_length(r->pieces[i].from));
    }
    double least = f->planet->ellipsoid.radius * pow(1 - f->planet->ellipsoid.flattening, 2);
    return sum * (1 + 2 * r->raised / least) + r->raised + 1e-6 * (1 + sum);
}

static void oracle(flight *f, const lf_camera *before, const lf_camera_result *r) {
    bool clear = space_at(f, before->position) >= 0;
    double limit = before->raise_limit * f->dt, worst = 0;
    // Where everything is loaded, a camera that has been clear stays so by itself.
    if (clear && f->whole)
        assert_int_equal(r->did & (LF_CAMERA_RECOVERING | LF_CAMERA_COARSE | LF_CAMERA_UNPROVEN), 0);
    for (int i = 1; i <= SAMPLES; i++) {
        lf_vec3 at = lf_camera_at(r, lf_globe_ground(f->globe), f->dt * i / SAMPLES);
        double space = space_at(f, at);
        worst = fmin(worst, space);
    }
    if (clear && worst < -1e-5)
        fail_msg("%g m too low: did %u, frame of %g s, %d pieces, share %g, rate %g", -worst, r->did, f->dt,
                 r->piece_count, r->share, r->raise_rate);
    assert_true(r->share >= 0 && r->share <= 1 && r->raise_rate >= 0);
    if (!(r->did & LF_CAMERA_RECOVERING))
        assert_true(r->raised <= limit * (1 + 1e-12));
    double moved = lf_vec3_length(lf_vec3_sub(f->camera.position, before->position));
    if (!(r->did & LF_CAMERA_RECOVERING) && moved > farthest(f, r))
        fail_msg("moved %g m, allowed %g: did %u", moved, farthest(f, r), r->did);
    lf_vec3 end = lf_camera_at(r, lf_globe_ground(f->globe), f->dt);
    assert_memory_equal(&end, &f->camera.position, sizeof end);
}

/// Is the whole way, as far as it is looked at, higher than everything?
static bool nothing_near(const flight *f, const lf_camera *before) {
    double speed = lf_vec3_length(before->velocity) + f->dt * lf_vec3_length(before->acceleration) +
                   (lf_vec3_length(before->turn) + f->dt * lf_vec3_length(before->turn_acceleration)) *
                       lf_vec3_length(before->position);
    double reach = speed * (f->dt + before->look_ahead);
    double height = lf_ellipsoid_to_geodetic(&f->planet->ellipsoid, before->position).height;
    return height - 3 * reach > f->planet->high + before->clearance + 1;
}

static void oracle_free(flight *f, const lf_camera *before, const lf_camera_result *r) {
    if (nothing_near(f, before))
        assert_int_equal(r->did & ~(uint32_t)LF_CAMERA_UNPROVEN, 0);
    if (r->did & ~(uint32_t)LF_CAMERA_UNPROVEN)
        return;
    lf_camera other = *before;
    assert_int_equal(lf_camera_step(&other, lf_globe_ground(f->empty), f->dt, NULL), LF_OK);
    assert_memory_equal(&other, &f->camera, sizeof other);
}

/// Some tiles come, some go.
static void load_some(flight *f) {
    lf_globe_update_rules view = lf_globe_update_rules_default();
    view.position = f->camera.position;
    view.velocity = f->camera.velocity;
    view.most = test_random_below(&f->random, 6);
    assert_int_equal(lf_globe_update(f->globe, &view, NULL), LF_OK);
    if (test_random_below(&f->random, 60) == 0)
        lf_globe_unload(f->globe);
}

static void fly(flight *f, int frames) {
    for (int i = 0; i < frames; i++) {
        lf_camera before = f->camera;
        lf_camera_result result;
        if (!f->whole)
            load_some(f);
        if (lf_camera_step(&f->camera, lf_globe_ground(f->globe), f->dt, &result) != LF_OK)
            return; // far away, beyond what a camera may be
        oracle(f, &before, &result);
        oracle_free(f, &before, &result);
        f->frames++;
        for (int k = 0; k < 8; k++)
            f->did[f->whole][k] += result.did >> k & 1;
        f->touched += result.did != 0;
    }
}

static void flights_stay_above_ground(void **state) {
    (void)state;
    flight f = {.random = test_random_start(9)};
    int64_t planets = test_rounds(6);
    for (int64_t i = 0; i < planets; i++) {
        bool earth = i % 3 == 2;
        lf_ellipsoid ellipsoid = earth ? lf_ellipsoid_wgs84() : (lf_ellipsoid){5e4, i % 3 == 1 ? 0.05 : 0};
        double relief = earth ? 9000 : 2000;
        f.planet =
            small_planet_make(ellipsoid, 5, (small_planet_land)(i % 3), relief, test_random_bits(&f.random));
        small_planet *below = small_planet_make(ellipsoid, 1, SMALL_PLANET_SPIKES, 0, 1);
        for (int64_t k = 0; k < below->columns * below->rows; k++)
            below->samples[k] = (float)(-0.2 * ellipsoid.radius);
        f.planet->late = 50;
        f.whole = i % 2 == 0;
        size_t budget = f.whole ? (size_t)1 << 30 : 40000 + (size_t)test_random_below(&f.random, 2000000);
        f.globe = small_planet_globe(f.planet, budget);
        if (f.whole)
            assert_int_equal(lf_globe_load_area(f.globe, (lf_geodetic_box){-180, -90, 180, 90}, 4), LF_OK);
        f.empty = small_planet_globe(below, 1 << 20);
        for (int k = 0; k < 150; k++) {
            start(&f);
            fly(&f, 12);
        }
        lf_globe_destroy(f.globe);
        lf_globe_destroy(f.empty);
        small_planet_free(below);
        small_planet_free(f.planet);
    }
    print_message("%lld frames, %lld touched\n", (long long)f.frames, (long long)f.touched);
    for (int k = 0; k < 8; k++)
        print_message("%10s %6lld %6lld\n", lf_camera_act_name((lf_camera_act)(1 << k)),
                      (long long)f.did[0][k], (long long)f.did[1][k]);
    assert_true(f.touched > 0 && f.touched < f.frames);
}

// ---------------------------------------------------------------------------------------------------
// Nets of triangles
// ---------------------------------------------------------------------------------------------------

#define NET_CELLS 6

/// A planet of one level, 16 by 8 tiles of triangles that are as uneven as they come. Neighbours do not fit, so between them are walls.
typedef struct net_planet {
    uint64_t salt;
    lf_geodetic vertices[(NET_CELLS + 1) * (NET_CELLS + 1)];
    int64_t corners[6 * NET_CELLS * NET_CELLS];
} net_planet;

static lf_tile_state fetch_net(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    net_planet *net = user;
    (void)wait;
    (void)detail;
    test_random random = {net->salt ^ lf_tile_pack(key)};
    double size = 22.5, cell = size / NET_CELLS;
    int side = NET_CELLS + 1, count = 0;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            bool inside = i > 0 && i < NET_CELLS && j > 0 && j < NET_CELLS;
            double x = i + (inside ? test_random_between(&random, -0.2, 0.2) : 0);
            double y = j + (inside ? test_random_between(&random, -0.2, 0.2) : 0);
            net->vertices[j * side + i] =
                (lf_geodetic){-180 + size * key.column + cell * x, -90 + size * key.row + cell * y,
                              test_random_between(&random, 0, 2000)};
        }
    for (int j = 0; j < NET_CELLS; j++)
        for (int i = 0; i < NET_CELLS; i++) {
            int64_t a = (int64_t)j * side + i, b = a + side;
            const int64_t two[6] = {a, a + 1, b + 1, a, b + 1, b};
            memcpy(net->corners + 6 * count++, two, sizeof two);
        }
    tile->vertices = net->vertices;
    tile->vertex_count = side * side;
    tile->corners = net->corners;
    tile->triangle_count = 2 * NET_CELLS * NET_CELLS;
    return LF_TILE_READY;
}

static double space_over(const lf_globe *globe, const lf_camera *camera, lf_vec3 position) {
    lf_ellipsoid ellipsoid = lf_globe_describe(globe).ellipsoid;
    lf_geodetic place = lf_ellipsoid_to_geodetic(&ellipsoid, position);
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height(globe, place.lon_deg, place.lat_deg, &ground, NULL), LF_OK);
    return ground.reason == LF_REASON_ANSWERED ? place.height - ground.height - camera->clearance
                                               : LF_INFINITY;
}

static void fly_over_net(flight *f, lf_ellipsoid ellipsoid) {
    lf_camera *camera = &f->camera;
    *camera = lf_camera_default();
    lf_geodetic place = random_place(f);
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height(f->globe, place.lon_deg, place.lat_deg, &ground, NULL), LF_OK);
    if (ground.reason != LF_REASON_ANSWERED)
        return;
    place.height = ground.height + camera->clearance + pow(10, between(f, -1, 3));
    camera->position = lf_ellipsoid_to_centred(&ellipsoid, place);
    camera->velocity = random_vector(f, 2000 * pow(10, between(f, -2, 0.5)));
    camera->turn = random_vector(f, camera->velocity.x / ellipsoid.radius);
    camera->raise_limit = 2000 * pow(10, between(f, -1.5, 0.5));
    f->dt = pow(10, between(f, -2, -0.5));
    for (int i = 0; i < 8; i++) {
        lf_camera before = *camera;
        lf_camera_result result;
        bool clear = space_over(f->globe, camera, camera->position) >= 0;
        if (lf_camera_step(camera, lf_globe_ground(f->globe), f->dt, &result) != LF_OK)
            return;
        for (int k = 1; clear && k <= SAMPLES; k++) {
            double space = space_over(f->globe, &before,
                                      lf_camera_at(&result, lf_globe_ground(f->globe), f->dt * k / SAMPLES));
            if (space < -1e-5)
                fail_msg("%g m too low over a net: did %u, share %g", -space, result.did, result.share);
        }
        f->frames++;
        f->touched += result.did != 0;
    }
}

static void flights_over_nets_stay_above_ground(void **state) {
    (void)state;
    flight f = {.random = test_random_start(10)};
    net_planet *net = test_space(1, sizeof *net);
    lf_globe_def def = lf_globe_def_default();
    net->salt = test_random_bits(&f.random);
    def.ellipsoid = (lf_ellipsoid){5e4, 0.003};
    def.provider = (lf_globe_provider){net, fetch_net, NULL};
    def.root_columns = 16;
    def.root_rows = 8;
    def.level_count = 1;
    assert_int_equal(lf_globe_create(&def, &f.globe, NULL), LF_OK);
    int64_t flights = test_rounds(150);
    for (int64_t i = 0; i < flights; i++)
        fly_over_net(&f, def.ellipsoid);
    print_message("%lld frames over nets, %lld touched\n", (long long)f.frames, (long long)f.touched);
    assert_true(f.touched > 0);
    lf_globe_destroy(f.globe);
    free(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flights_stay_above_ground),
                                       cmocka_unit_test(flights_over_nets_stay_above_ground)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
