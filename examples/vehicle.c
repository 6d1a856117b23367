/// vehicle RASTER: drive a four-wheeled vehicle from west to east over a raster, until a step or a void blocks it.
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 0.5       // metres up or down that a wheel can take within a metre of the way
#define DEGREE 57.2958 // degrees in a radian

/// End the program with a message, if there is an error.
static void check(lf_status status, const char *text) {
    if (status >= 0)
        return;
    fprintf(stderr, "vehicle: %s\n", text ? text : lf_status_text(status));
    exit(1);
}

/// What blocks a wheel on its way between two places: "hole", "outside" or "step"; NULL: nothing.
static const char *obstacle(const lf_ground *ground, const lf_hit *from, const lf_hit *to) {
    lf_walker wheel = lf_walker_default(STEP);
    lf_walk walk;
    if (to->kind == LF_HIT_NONE)
        return lf_reason_name(to->reason);
    check(lf_ground_walk(ground, &wheel, from->point, to->point, &walk, NULL, NULL), NULL);
    if (walk.end == LF_WALK_NO_GROUND)
        return lf_reason_name(walk.reason);
    // The surface of a raster has slopes between its samples, not steps: so also compare the heights.
    return walk.end != LF_WALK_ARRIVED || fabs(to->point.z - from->point.z) > STEP ? "step" : NULL;
}

int main(int argc, char **argv) {
    lf_error error;
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    lf_raster_def def = lf_raster_def_default();
    check(lf_raster_read(argc > 1 ? argv[1] : "", &def, &raster, &error), error.text);
    if (lf_raster_describe(raster).kind == LF_CRS_DEGREES)
        check(LF_UNSUPPORTED, "x and y are degrees; a vehicle needs metres");
    lf_grid_def grid_def = lf_raster_grid_def(raster); // borrows the samples: close the raster last
    check(lf_grid_create(&grid_def, &grid, &error), error.text);
    const lf_ground *ground = lf_grid_ground(grid);
    lf_box box = lf_ground_box(ground);
    lf_vec3 east = {1, 0, 0}, at = {box.low.x + 2, (box.low.y + box.high.y) / 2, LF_INFINITY};
    lf_footprint wheels = lf_footprint_wheels(2.6, 1.5);
    lf_stance last, now;
    const char *blocked = NULL;
    check(lf_ground_stand(ground, &wheels, at, east, &last, NULL), NULL);
    for (; at.x + 2 <= box.high.x; at.x += 1, last = now) {
        check(lf_ground_stand(ground, &wheels, at, east, &now, NULL), NULL);
        for (int i = 0; i < 4 && !blocked; i++)
            blocked = obstacle(ground, &last.contacts[i], &now.contacts[i]);
        if (blocked)
            break;
        double pitch = now.pitch * DEGREE, roll = now.roll * DEGREE;
        printf("%.2f %.2f %.2f pitch %.1f roll %.1f\n", at.x, at.y, now.position.z, pitch, roll);
    }
    printf("stopped before x = %.2f: %s\n", at.x, blocked ? blocked : "end of the raster");
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}
