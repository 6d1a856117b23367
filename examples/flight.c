/// A camera that flies around a small made planet, straight at its mountains, and says what the ground made it do.
///
///     flight 50
#include <landfall/landfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 33

/// An engine's own tiles: here one level of them, 4 by 2, with a ridge every 30 degrees.
static lf_tile_state bring_tile(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    static float heights[SAMPLES * SAMPLES];
    (void)user;
    (void)wait;
    (void)detail;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        double lon = -180 + 90 * (key.column + (i % SAMPLES) / (SAMPLES - 1.0));
        heights[i] = (float)(1500 * fmax(0, cos(lon * 12 * 0.017453292519943295)));
    }
    tile->heights = heights;
    tile->columns = tile->rows = SAMPLES;
    return LF_TILE_READY;
}

int main(int count, char **words) {
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe;
    lf_error error;
    double clearance = count > 1 ? atof(words[1]) : 50, lowest = LF_INFINITY;
    def.ellipsoid = (lf_ellipsoid){200000, 0}; // a small moon
    def.provider.fetch = bring_tile;
    def.root_columns = 4;
    def.root_rows = 2;
    def.level_count = 1;
    if (lf_globe_create(&def, &globe, &error) != LF_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    lf_camera camera = lf_camera_default();
    camera.position = lf_ellipsoid_to_centred(&def.ellipsoid, (lf_geodetic){-170, 20, 200});
    camera.turn = (lf_vec3){0, 0, 0.005}; // a kilometre per second, eastwards
    camera.clearance = clearance;
    int done[8] = {0};
    for (int frame = 0; frame < 3000; frame++) {
        lf_camera_result result;
        lf_globe_elevation ground;
        if (lf_camera_step(&camera, lf_globe_ground(globe), 1.0 / 60, &result) != LF_OK)
            return 2;
        lf_geodetic place = lf_ellipsoid_to_geodetic(&def.ellipsoid, camera.position);
        lf_globe_height(globe, place.lon_deg, place.lat_deg, &ground, NULL);
        lowest = fmin(lowest, place.height - ground.height);
        for (int k = 0; k < 8; k++)
            done[k] += result.did >> k & 1;
    }
    for (int k = 0; k < 8; k++)
        if (done[k] > 0)
            printf("%-10s %4d frames: %s\n", lf_camera_act_name((lf_camera_act)(1 << k)), done[k],
                   lf_camera_act_reason((lf_camera_act)(1 << k)));
    printf("never lower than %.1f m above ground\n", lowest);
    lf_globe_destroy(globe);
    return lowest >= clearance ? 0 : 1;
}
