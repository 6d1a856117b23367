/// Colours laid over a map, post by post.
#include "io/canvas.h"

#define MOST_SAMPLES 6 // posts along each side of a pixel that are looked at

typedef struct job {
    lf_canvas *canvas;
    const lf_view *view;
    const lf_grid *grid;
    lf__pixels reach;
    int64_t columns, rows;
    int wide, high; ///< samples of a pixel
    lf_tint *tint;
    void *user;
} job;

/// Sums of what the samples of a pixel are; colours count by how much they cover.
typedef struct sums {
    double red, green, blue, alpha;
} sums;

static void add_sample(const job *job, lf_vec2 pixel, sums *sums) {
    lf_vec2 place = lf_grid_locate(job->grid, lf_view_to_world(job->view, pixel));
    double column = floor(place.x + 0.5), row = floor(place.y + 0.5);
    if (!(column >= 0) || !(row >= 0) || column >= (double)job->columns || row >= (double)job->rows)
        return;
    lf_colour colour = job->tint(job->user, (int64_t)column, (int64_t)row);
    sums->red += colour.red * (double)colour.alpha;
    sums->green += colour.green * (double)colour.alpha;
    sums->blue += colour.blue * (double)colour.alpha;
    sums->alpha += colour.alpha;
}

static lf_colour pixel_tint(const job *job, int64_t x, int64_t y) {
    sums sums = {0, 0, 0, 0};
    lf_colour none = {0, 0, 0, 0};
    for (int b = 0; b < job->high; b++)
        for (int a = 0; a < job->wide; a++) {
            lf_vec2 pixel = {(double)x + (a + 0.5) / job->wide, (double)y + (b + 0.5) / job->high};
            add_sample(job, pixel, &sums);
        }
    if (!(sums.alpha > 0))
        return none;
    lf_colour mean = {(uint8_t)(sums.red / sums.alpha + 0.5), (uint8_t)(sums.green / sums.alpha + 0.5),
                      (uint8_t)(sums.blue / sums.alpha + 0.5),
                      (uint8_t)(sums.alpha / (job->wide * job->high) + 0.5)};
    return mean;
}

static void tint_rows(void *user, int64_t first, int64_t last, int worker) {
    const job *job = user;
    (void)worker;
    for (int64_t y = job->reach.y0 + first; y < job->reach.y0 + last; y++)
        for (int64_t x = job->reach.x0; x < job->reach.x1; x++)
            lf__canvas_mix(&job->canvas->pixels[y * job->canvas->width + x], pixel_tint(job, x, y), 1);
}

/// Posts that a pixel of the view covers along its sides.
static int samples_of(const lf_view *view, const lf_grid *grid, double dx, double dy) {
    lf_vec2 corner = {view->area.x, view->area.y}, next = {view->area.x + dx, view->area.y + dy};
    lf_vec2 a = lf_grid_locate(grid, lf_view_to_world(view, corner));
    lf_vec2 b = lf_grid_locate(grid, lf_view_to_world(view, next));
    double posts = fmax(fabs(b.x - a.x), fabs(b.y - a.y));
    return posts >= MOST_SAMPLES ? MOST_SAMPLES : posts > 1 ? (int)ceil(posts) : 1;
}

lf_status lf_picture_tint(lf_canvas *canvas, const lf_view *view, const lf_grid *grid, lf_tint *tint,
                          void *user) {
    if (!canvas || !view || !grid || !tint)
        return LF_BAD_ARGUMENT;
    lf_grid_info info = lf_grid_describe(grid);
    job job = {.canvas = canvas, .view = view, .grid = grid, .columns = info.columns, .rows = info.rows};
    lf_vec2 low = {view->area.x, view->area.y};
    lf_vec2 high = {view->area.x + view->area.width, view->area.y + view->area.height};
    if (!lf__canvas_reach(canvas, low, high, &job.reach))
        return LF_OK;
    job.wide = samples_of(view, grid, 1, 0);
    job.high = samples_of(view, grid, 0, 1);
    job.tint = tint;
    job.user = user;
    lf__run(canvas->host.tasks, job.reach.y1 - job.reach.y0, 8, tint_rows, &job);
    return LF_OK;
}
