/// Windows of viewsheds: what a range reaches, and what is void in them.
#include "sight/sight.h"
#include "sight/viewshed.h"

/// Columns or rows, within 0 .. count - 1, within reach of a place; false: none.
static bool view_reach(double at, double far, int64_t count, int64_t *first, int64_t *number) {
    double low = fmax(ceil(at - far - 1e-6), 0), high = fmin(floor(at + far + 1e-6), (double)(count - 1));
    if (!(low <= high))
        return false;
    *first = (int64_t)low;
    *number = (int64_t)high - *first + 1;
    return true;
}

lf_window lf__viewshed_near(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at) {
    lf_window none = {0, 0, 0, 0}, window = lf_grid_window(grid);
    if (!isfinite(def->range_max))
        return window;
    lf__viewshed view = {.grid = grid, .def = *def, .at = at, .eye = lf__sight_place(grid, at)};
    lf_vec2 far = lf__viewshed_range_reach(grid, def, at);
    // A window cannot extend across the seam: then it has all columns.
    if ((!lf__viewshed_crosses(&view) &&
         !view_reach(view.eye.x, far.x, window.columns, &window.column, &window.columns)) ||
        !view_reach(view.eye.y, far.y, grid->rows, &window.row, &window.rows))
        return none;
    return window;
}

int64_t lf__viewshed_voids(const lf_grid *grid, lf_window w) {
    int64_t voids = 0;
    for (int64_t j = w.row; j < w.row + w.rows && grid->voids; j++)
        for (int64_t i = w.column; i < w.column + w.columns; i++)
            voids += lf__grid_bare(grid, i, j);
    return voids;
}

lf_window lf__viewshed_common(lf_window a, lf_window b) {
    int64_t column = a.column > b.column ? a.column : b.column, row = a.row > b.row ? a.row : b.row;
    int64_t columns =
        (a.column + a.columns < b.column + b.columns ? a.column + a.columns : b.column + b.columns) - column;
    int64_t rows = (a.row + a.rows < b.row + b.rows ? a.row + a.rows : b.row + b.rows) - row;
    return columns > 0 && rows > 0 ? (lf_window){column, row, columns, rows}
                                   : (lf_window){a.column, a.row, 0, 0};
}
