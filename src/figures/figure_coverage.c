/// What chosen places cover, one after the other.
#include "base/base.h"
#include "figures.h"
#include <math.h>

typedef struct coverage_figure {
    double *sites, *covered, *gains; ///< percent; from 0 sites on
    int64_t count;
    double limit;
} coverage_figure;

static lf_status draw_coverage(lf_canvas *canvas, const void *content, lf_error *error) {
    const coverage_figure *c = content;
    const double ends[] = {c->sites[0], c->sites[c->count - 1]}, limits[] = {c->limit, c->limit};
    const lf_series series[] = {{.name = "covered",
                                 .x = c->sites,
                                 .y = c->covered,
                                 .count = c->count,
                                 .kind = LF_SERIES_AREA,
                                 .marker = LF_MARKER_DISC,
                                 .colour = lf_colour_of(0x2E6FB5)},
                                {.name = "added by each place",
                                 .x = c->sites + 1,
                                 .y = c->gains + 1,
                                 .count = c->count - 1,
                                 .kind = LF_SERIES_LINE,
                                 .colour = lf_colour_of(0x8A7B5C)},
                                {.name = "no choice covers more",
                                 .x = ends,
                                 .y = limits,
                                 .count = 2,
                                 .kind = LF_SERIES_LINE,
                                 .colour = lf_colour_of(0xC8452F),
                                 .dash = 8}};
    lf_plot_def def = lf_plot_def_default();
    def.title = "coverage by chosen places";
    def.x.label = "places";
    def.x.low = 0;
    def.x.high = fmax(1, ends[1]);
    def.y.label = "covered, %";
    def.y.low = 0;
    def.series = series;
    def.series_count = 3;
    return lf_canvas_plot(canvas, &def, NULL, error);
}

lf_status lf_figure_coverage(const lf_figure_page *page, const lf_site *sites, int64_t count,
                             const lf_site_stats *stats, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(&page->host);
    void *all = NULL;
    lf_status status = lf__allocate_array(&allocator, count + 1, 3 * sizeof(double), &all);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    double percent = stats->total > 0 ? 100 / stats->total : 0, *numbers = all;
    coverage_figure figure = {numbers, numbers + count + 1, numbers + 2 * (count + 1), count + 1,
                              percent * stats->limit};
    for (int64_t k = 0; k <= count; k++) {
        figure.sites[k] = (double)k;
        figure.covered[k] = k > 0 ? percent * sites[k - 1].covered : 0;
        figure.gains[k] = k > 0 ? percent * sites[k - 1].gain : 0;
    }
    status = lf_figure_write(page, draw_coverage, &figure, error);
    lf__free_array(&allocator, all, count + 1, 3 * sizeof(double));
    return status;
}
