/// The flight of a camera: the ground below it, the path as given, and as flown.
#include "base/base.h"
#include "figures.h"

#define CURVES 6

/// The numbers of each curve, and of the points at which the camera was held.
typedef struct flight_figure {
    double *time, *ground, *given, *flown, *held_time, *held;
    int64_t count, held_count;
} flight_figure;

static void fill_flight(flight_figure *f, const lf_figure_flight_frame *frames, size_t step) {
    for (int64_t i = 0; i < f->count; i++) {
        const lf_figure_flight_frame *frame =
            (const void *)((const char *)(const void *)frames + (size_t)i * step);
        f->time[i] = frame->time;
        f->ground[i] = frame->ground;
        f->given[i] = frame->given;
        f->flown[i] = frame->flown;
        if (frame->held) {
            f->held_time[f->held_count] = frame->time;
            f->held[f->held_count++] = frame->flown;
        }
    }
}

static lf_status draw_flight(lf_canvas *canvas, const void *content, lf_error *error) {
    const flight_figure *f = content;
    lf_colour earth = lf_colour_of(0x8A7B5C), sky = lf_colour_of(0x2E6FB5), pale = lf_colour_of(0xC8452F);
    int64_t n = f->count;
    lf_series series[4] = {
        {"ground below", f->time, f->ground, n, LF_SERIES_AREA, LF_MARKER_NONE, earth, 0, 0},
        {"without response", f->time, f->given, n, LF_SERIES_LINE, LF_MARKER_NONE, pale, 0, 6},
        {"with response", f->time, f->flown, n, LF_SERIES_LINE, LF_MARKER_NONE, sky, 0, 0},
        {"held back", f->held_time, f->held, f->held_count, LF_SERIES_POINTS, LF_MARKER_DISC, sky, 0, 0},
    };
    lf_plot_def def = lf_plot_def_default();
    def.title = "the flight of a camera";
    def.x.label = "time, s";
    def.x.low = f->time[0];
    def.x.high = f->time[n - 1];
    def.y.label = "height, m";
    def.series = series;
    def.series_count = f->held_count > 0 ? 4 : 3;
    return lf_canvas_plot(canvas, &def, NULL, error);
}

lf_status lf_figure_flight(const lf_figure_page *page, const lf_figure_flight_frame *frames, int64_t count,
                           size_t step, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(&page->host);
    double *all = NULL;
    lf_status status = lf__allocate_array(&allocator, count, CURVES * sizeof *all, (void **)&all);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    flight_figure figure = {
        all, all + count, all + 2 * count, all + 3 * count, all + 4 * count, all + 5 * count, count, 0};
    fill_flight(&figure, frames, step);
    status = lf_figure_write(page, draw_flight, &figure, error);
    lf__free_array(&allocator, all, count, CURVES * sizeof *all);
    return status;
}
