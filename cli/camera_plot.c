/// The plot of a flight: the ground below the camera, the path as it was wanted, and as it was flown.
#include "camera_path.h"
#include "file_output.h"
#include <landfall/picture.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH 1100
#define HEIGHT 480

typedef struct curves {
    double *time, *ground, *wanted, *flown, *held_time, *held;
    int64_t held_count;
} curves;

static void fill(const camera_path *path, double *room, curves *c) {
    int64_t n = path->frame_count;
    *c = (curves){room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n, 0};
    for (int64_t i = 0; i < n; i++) {
        const path_frame *frame = &path->frames[i];
        c->time[i] = frame->time;
        c->ground[i] = frame->ground;
        c->wanted[i] = frame->wanted.height;
        c->flown[i] = frame->place.height;
        if (frame->result.did & LF_CAMERA_HELD) {
            c->held_time[c->held_count] = frame->time;
            c->held[c->held_count++] = frame->place.height;
        }
    }
}

static lf_status draw(const camera_path *path, const curves *c, lf_canvas *canvas, lf_error *error) {
    lf_colour earth = lf_colour_of(0x8A7B5C), sky = lf_colour_of(0x2E6FB5), pale = lf_colour_of(0xC8452F);
    int64_t n = path->frame_count;
    lf_series series[4] = {
        {"ground below", c->time, c->ground, n, LF_SERIES_AREA, LF_MARKER_NONE, earth, 0, 0},
        {"without response", c->time, c->wanted, n, LF_SERIES_LINE, LF_MARKER_NONE, pale, 0, 6},
        {"with response", c->time, c->flown, n, LF_SERIES_LINE, LF_MARKER_NONE, sky, 0, 0},
        {"held back", c->held_time, c->held, c->held_count, LF_SERIES_POINTS, LF_MARKER_DISC, sky, 0, 0},
    };
    lf_plot_def def = lf_plot_def_default();
    def.title = "a camera over the globe";
    def.x.label = "time, s";
    def.x.low = c->time[0];
    def.x.high = c->time[n - 1];
    def.y.label = "height above the ellipsoid, m";
    def.series = series;
    def.series_count = c->held_count > 0 ? 4 : 3;
    return lf_canvas_plot(canvas, &def, NULL, error);
}

bool camera_path_plot(cli *run, const camera_path *path, const char *name) {
    lf_error error = {0};
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    double *room = calloc((size_t)path->frame_count * 6 + 1, sizeof(double));
    lf_status status = room ? LF_OK : LF_NO_MEMORY;
    def.host = run->host;
    def.width = WIDTH;
    def.height = HEIGHT;
    if (status == LF_OK)
        status = lf_canvas_create(&def, &canvas, &error);
    if (status == LF_OK) {
        curves curves;
        fill(path, room, &curves);
        status = draw(path, &curves, canvas, &error);
    }
    if (status == LF_OK)
        status = lf_canvas_write(canvas, name, &error);
    lf_canvas_destroy(canvas);
    free(room);
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}
