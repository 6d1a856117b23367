// Paths of cameras: refused with a message, or times ascend and every stop is near the globe.
#include "camera.h"
#include "messages.h"
#include "polygon_file.h"
#include <math.h>

static lf_tile_state fetch_flat(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    static const float heights[4];
    (void)user, (void)key, (void)wait, (void)detail;
    tile->heights = heights;
    tile->columns = tile->rows = 2;
    return LF_TILE_READY;
}

static lf_globe *flat_globe(void) {
    static lf_globe *globe;
    lf_globe_def def = lf_globe_def_default();
    def.provider.fetch = fetch_flat;
    if (!globe)
        FUZZ_HOLDS(lf_globe_create(&def, &globe, NULL) == LF_OK);
    return globe;
}

static void check_path(const camera_run *c) {
    const lf_camera_path *path = &c->path.given;
    FUZZ_HOLDS(path->stop_count >= 2);
    for (int64_t i = 0; i < path->stop_count; i++) {
        const lf_camera_stop *stop = &path->stops[i];
        const lf_geodetic *place = &c->path.places[i];
        FUZZ_HOLDS(i == 0 || stop->time > stop[-1].time);
        FUZZ_HOLDS(lf_vec3_finite(stop->position) && isfinite(place->height));
        FUZZ_HOLDS(!c->globe || fabs(place->lat_deg) <= 90);
    }
    double first = path->stops[0].time, last = path->stops[path->stop_count - 1].time;
    for (int i = 0; i <= 4; i++) {
        int64_t stop = -1;
        lf_vec3 at =
            lf_camera_path_at(path, lf_globe_ground(flat_globe()), first + i * ((last - first) / 4), &stop);
        FUZZ_HOLDS(stop >= 0 && stop < path->stop_count && lf_vec3_finite(at));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    char name[512];
    camera_run c = {.ellipsoid = lf_ellipsoid_wgs84(), .centred = data[0] & 1};
    c.globe = data[0] & 2 ? NULL : flat_globe();
    fuzz_path(name, sizeof name, "path.csv");
    fuzz_write(name, data + 1, size - 1);
    fuzz_said = 0;
    if (camera_path_read(&c, name))
        check_path(&c);
    else
        FUZZ_HOLDS(fuzz_said == 1);
    free_all();
    remove(name);
    return 0;
}
