/// A planet of tiles that a callback makes: heights, what is loaded, and a ray from space.
#include <landfall/landfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 17
#define LEVELS 5

/// Waves all around, the same at every level.
static float wave(double lon_deg, double lat_deg) {
    const double degree = 3.14159265358979323846 / 180;
    return (float)(2000 * sin(6 * lon_deg * degree) * cos(lat_deg * degree) * cos(5 * lat_deg * degree));
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    float *heights = malloc(SIDE * SIDE * sizeof *heights);
    double side = ldexp(180, -key.level), step = side / (SIDE - 1);
    (void)user, (void)wait, (void)detail;
    if (!heights)
        return LF_TILE_FAILED;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            heights[j * SIDE + i] =
                wave(-180 + key.column * side + i * step, -90 + key.row * side + j * step);
    tile->heights = heights;
    tile->owner = heights;
    tile->columns = tile->rows = SIDE;
    tile->children = key.level + 1 < LEVELS ? LF_TILE_CHILDREN_ALL : 0;
    tile->bounded = true; // no wave is higher
    tile->low = -2000;
    tile->high = 2000;
    return LF_TILE_READY;
}

static void release(void *user, lf_tile *tile) {
    (void)user;
    free(tile->owner);
}

int main(void) {
    lf_globe_def def = lf_globe_def_default();
    lf_globe_update_rules view = lf_globe_update_rules_default();
    lf_globe *globe;
    lf_globe_elevation coarse, fine;
    lf_hit hit;
    def.provider = (lf_globe_provider){NULL, fetch, release};
    def.level_count = LEVELS;
    if (lf_globe_create(&def, &globe, NULL) != LF_OK)
        return 1;
    lf_globe_height(globe, 16, 2, &coarse, NULL);
    view.position = lf_ellipsoid_to_centred(&def.ellipsoid, (lf_geodetic){16, 2, 9000});
    lf_globe_update(globe, &view, NULL);
    lf_globe_height(globe, 16, 2, &fine, NULL);
    printf("level %d: %.0f m, at most %.0f\n", coarse.tile.level, coarse.height, coarse.ceiling);
    printf("level %d: %.0f m%s\n", fine.tile.level, fine.height,
           fine.coarser ? ", and finer ones are missing" : "");
    lf_ray ray = lf_ray_between(view.position, (lf_vec3){0, 0, 0});
    lf_ground_ray_first(lf_globe_ground_finest(globe), &ray, &hit, NULL);
    printf("straight down it is %.0f m\n", hit.t * lf_vec3_length(ray.direction));
    bool right = coarse.coarser && coarse.ceiling >= fine.height && fine.tile.level > coarse.tile.level &&
                 hit.kind == LF_HIT_CELL &&
                 fabs(hit.t * lf_vec3_length(ray.direction) - (9000 - fine.height)) < 500;
    lf_globe_destroy(globe);
    return right ? 0 : 1;
}
