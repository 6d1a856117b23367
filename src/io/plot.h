/// What the files of plots share.
#ifndef LF_IO_PLOT_H
#define LF_IO_PLOT_H

#include "io/canvas.h"

/// An axis that has been settled: low and high are logarithms (base ten) on a logarithmic axis.
typedef struct lf__plot_axis {
    double low, high;
    bool logarithmic;
    lf_ticks ticks;
} lf__plot_axis;

/// A plot that is being drawn.
typedef struct lf__plot {
    lf_canvas *canvas;
    const lf_plot_def *def;
    lf__plot_axis x, y;
    lf_view view;
} lf__plot;

/// A value on an axis: itself, or its logarithm; NaN when it has none.
static inline double lf__plot_value(const lf__plot_axis *axis, double value) {
    if (!axis->logarithmic)
        return value;
    return value > 0 ? log10(value) : (double)NAN;
}

/// Where a point lands on the canvas; NaN when it has no place.
static inline lf_vec2 lf__plot_point(const lf__plot *plot, double x, double y) {
    return lf_view_to_pixel(&plot->view, lf__plot_value(&plot->x, x), lf__plot_value(&plot->y, y));
}

/// The colour of series number i.
lf_colour lf__series_colour(const lf_plot_def *def, int64_t i);

void lf__plot_series(const lf__plot *plot);
void lf__plot_legend(const lf__plot *plot);

#endif
