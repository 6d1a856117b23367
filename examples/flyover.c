/// flyover: fly a camera over a globe whose tiles this program computes; it never goes under ground.
#include <landfall/landfall.h>
#include <stdio.h>
#include <stdlib.h>

static void check(lf_status status, const char *text) {
    if (status >= 0)
        return;
    fprintf(stderr, "flyover: %s\n", text ? text : lf_status_text(status));
    exit(1);
}

/// Compute a tile: 4000 mountain ranges around the globe, from 0 to 2000 m high, on levels 0 to 11.
static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    (void)user, (void)wait, (void)detail;
    double width = 3.14159265358979 / (1 << key.level); // of a tile, radians
    float *heights = malloc(17 * 17 * sizeof *heights); // row by row, each from west to east
    check(heights ? LF_OK : LF_NO_MEMORY, NULL);
    for (int i = 0; i < 17 * 17; i++)
        heights[i] = (float)(1000 + 1000 * sin(4000 * width * (key.column + i % 17 / 16.0)));
    *tile = (lf_tile){.heights = heights, .columns = 17, .rows = 17, .high = 2000, .owner = heights};
    tile->children = key.level < 11 ? LF_TILE_CHILDREN_ALL : 0;
    tile->bounded = true; // from low (0) to high, finer tiles too: the camera is safe before they are loaded
    return LF_TILE_READY;
}

static void release(void *user, lf_tile *tile) {
    (void)user;
    free(tile->owner);
}

int main(void) {
    lf_error error;
    lf_globe *globe = NULL;
    lf_globe_def def = lf_globe_def_default();
    def.provider = (lf_globe_provider){.fetch = fetch, .release = release};
    check(lf_globe_create(&def, &globe, &error), error.text);
    lf_camera camera = lf_camera_default();
    camera.clearance = 50;
    lf_globe_update_rules view = lf_globe_update_rules_default();
    camera.position = lf_ellipsoid_to_centred(&def.ellipsoid, (lf_geodetic){10, 46, 3000});
    for (int i = 1; i <= 50; i++) { // seconds; go east, and down to 1000 m, which is below the peaks
        lf_geodetic goal = {10 + 0.004 * i, 46, fmax(3000 - 100 * i, 1000)};
        lf_vec3 to = lf_ellipsoid_to_centred(&def.ellipsoid, goal);
        lf_globe_elevation ground;
        lf_camera_result result;
        view.position = camera.position;
        check(lf_globe_update(globe, &view, NULL), NULL);
        check(lf_camera_aim(&camera, lf_globe_ground(globe), to, 1), NULL);
        check(lf_camera_step(&camera, lf_globe_ground(globe), 1, &result), NULL);
        lf_geodetic at = lf_ellipsoid_to_geodetic(&def.ellipsoid, camera.position);
        check(lf_globe_height_finest(globe, at.lon_deg, at.lat_deg, &ground), NULL);
        printf("%2d s, longitude %.3f: %.0f m above ground", i, at.lon_deg, at.height - ground.height);
        for (int act = 1; act <= LF_CAMERA_UNPROVEN; act *= 2)
            if (result.did & (uint32_t)act)
                printf(", %s", lf_camera_act_name((lf_camera_act)act));
        printf("\n");
    }
    lf_globe_destroy(globe);
}
