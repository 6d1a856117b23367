/// Viewsheds of small rasters: the samples around the observer, and the rings of a sector.
#include "base/base.h"
#include "grid/grid_query.h"
#include "sight/viewshed_small.h"
#include <math.h>
#include <string.h>

/// Rounding error of directions and places, relative to the step between samples.
#define SMALL_STEP_OFF 3e-4

/// Where at least one sample in so many is a void, it is worth finding out where heights begin and end.
#define SMALL_VOID_SHARE 16

/// Beyond all directions of a sector.
#define SMALL_CLEAR 8

/// Rounding of a direction, in fans.
#define SMALL_FAN_OFF 1e-3

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

lf_window lf__small_area(const lf__viewshed *view) {
    lf_window w = view->window;
    int64_t low[2] = {(int64_t)floor(view->eye.x) - 1, (int64_t)floor(view->eye.y) - 1},
            high[2] = {low[0] + 3, low[1] + 3}, most[2] = {view->grid->columns - 1, view->grid->rows - 1};
    int64_t first[2] = {w.column - 1, w.row - 1}, last[2] = {w.column + w.columns, w.row + w.rows};
    for (int k = 0; k < 2; k++) {
        low[k] = first[k] < low[k] ? first[k] : low[k];
        high[k] = last[k] > high[k] ? last[k] : high[k];
        low[k] = low[k] < 0 ? 0 : low[k];
        high[k] = high[k] > most[k] ? most[k] : high[k];
    }
    return (lf_window){low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1};
}

/// Heights of a row above the observer; those of voids are numbers without meaning.
static void small_read_row(const lf__viewshed *view, const lf__small_kernel *kernel, const lf_window *area,
                           int64_t row, float *to) {
    const lf_grid *grid = view->grid;
    const char *at = grid->values + (area->row + row) * grid->row_step + area->column * grid->column_step;
    if (grid->plain && grid->column_step == (ptrdiff_t)lf__sample_size(grid->type)) {
        kernel->heights(at, grid->type, view->z, to, area->columns);
        return;
    }
    for (int64_t k = 0; k < area->columns; k++)
        to[k] = (float)(lf__grid_height(grid, area->column + k, area->row + row) - view->z);
}

/// Samples of a row whose voids are set together: fours, and less than 64.
#define SMALL_VOIDS 56

/// The least of a height and these is the height, or a void, for each set of four bits.
#define SMALL_FOUR(a, b, c, d) \
    { a, b, c, d }
#define SMALL_TWO(c, d)                                                               \
    SMALL_FOUR(INFINITY, INFINITY, c, d), SMALL_FOUR(LF__SMALL_VOID, INFINITY, c, d), \
        SMALL_FOUR(INFINITY, LF__SMALL_VOID, c, d), SMALL_FOUR(LF__SMALL_VOID, LF__SMALL_VOID, c, d)
static const float small_fours[16][4] = {SMALL_TWO(INFINITY, INFINITY), SMALL_TWO(LF__SMALL_VOID, INFINITY),
                                         SMALL_TWO(INFINITY, LF__SMALL_VOID),
                                         SMALL_TWO(LF__SMALL_VOID, LF__SMALL_VOID)};

/// Set the voids of a row, and where its heights begin and end. Up to three heights beyond the row are read and written as they are.
static void small_read_voids(const lf_grid *grid, const lf_window *area, int64_t row, float *to,
                             lf__small_spans *span) {
    int64_t first = INT16_MAX, last = -1;
    for (int64_t k = 0, many; k < area->columns; k += many) {
        many = area->columns - k < SMALL_VOIDS ? area->columns - k : SMALL_VOIDS;
        uint64_t bits = lf__grid_bits(grid, grid->voids, area->column + k, area->row + row, (int)many),
                 heights = ~bits & (((uint64_t)1 << many) - 1);
        if (heights) {
            first = last < 0 ? k + __builtin_ctzll(heights) : first;
            last = k + 63 - __builtin_clzll(heights);
        }
        for (float *at = to + k; bits; bits >>= 4, at += 4) { // NAN is less than nothing
            const float *four = small_fours[bits & 15];
            for (int m = 0; m < 4; m++)
                at[m] = at[m] < four[m] ? at[m] : four[m];
        }
    }
    span->first[row] = (int16_t)first;
    span->last[row] = (int16_t)last;
}

static void empty_small_spans(lf__small_spans *spans, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        spans->first[k] = INT16_MAX;
        spans->last[k] = -1;
    }
}

/// Add a row to the spans of some columns or diagonals.
static void add_small_row(lf__small_spans *spans, int64_t first, int64_t end, int16_t row) {
    for (int64_t k = first; k < end; k++)
        spans->first[k] = spans->first[k] < row ? spans->first[k] : row;
    for (int64_t k = first; k < end; k++)
        spans->last[k] = row;
}

/// Where heights begin and end in columns and diagonals, as rows; between the first and the last of a row there may be voids.
static void set_small_spans(lf__small_ground *ground, bool rising) {
    const lf_window *area = &ground->area;
    empty_small_spans(&ground->column, area->columns);
    empty_small_spans(&ground->diagonal, area->columns + area->rows - 1);
    for (int64_t j = 0; j < area->rows; j++) {
        int64_t first = ground->row.first[j], end = ground->row.last[j] + 1,
                diagonal = rising ? area->rows - 1 - j : j;
        add_small_row(&ground->column, first, end, (int16_t)j);
        add_small_row(&ground->diagonal, diagonal + first, diagonal + end, (int16_t)j);
    }
}

void lf__small_read(const lf__sweep *sweep, const lf__small_kernel *kernel, lf__small_ground *ground) {
    const lf__viewshed *view = sweep->view;
    const lf_window *area = &ground->area;
    int64_t voids = 0; // before the first height of a row, or behind the last one
    for (int64_t row = 0; row < area->rows; row++) {
        float *to = ground->heights + row * area->columns;
        small_read_row(view, kernel, area, row, to);
        if (!view->grid->voids)
            continue;
        small_read_voids(view->grid, area, row, to, &ground->row);
        int64_t last = ground->row.last[row];
        voids += area->columns - (last < 0 ? 0 : last - ground->row.first[row] + 1);
    }
    ground->crops = voids > 0 && voids * SMALL_VOID_SHARE >= area->columns * area->rows;
    if (ground->crops)
        set_small_spans(ground, view->grid->surface == LF_SURFACE_RISING);
}

// ---------------------------------------------------------------------------------------------------
// What is needed of a ring
// ---------------------------------------------------------------------------------------------------

/// Limit samples of a ring to those between its first and its last height.
static void crop_small_ring(const lf__small *s, int64_t ring, lf__sample_span *in) {
    const lf__small_ground *ground = s->ground;
    const lf__sector *sector = s->sector;
    int64_t i = ring * sector->along.i - ground->area.column, j = ring * sector->along.j - ground->area.row;
    const lf__small_spans *spans = &ground->column;
    int64_t from = j, at = i; // b = 0
    int step = sector->across.j;
    if (step == 0) {
        spans = &ground->row;
        from = i;
        at = j;
        step = sector->across.i;
    } else if (sector->across.i != 0) {
        spans = &ground->diagonal;
        at = sector->across.i == step ? i - j + ground->area.rows - 1 : i + j;
    }
    int64_t first = step > 0 ? spans->first[at] - from : from - spans->last[at],
            last = step > 0 ? spans->last[at] - from : from - spans->first[at];
    in->low = in->low > first ? in->low : first;
    in->high = in->high < last ? in->high : last;
}

/// Distances, and where targets are.
static void plan_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    lf_window w = s->sweep->view->window;
    int64_t ring = sector->first_ring + r;
    double x = (double)ring - sector->oa;
    lf__small_ring *to = &s->ring[r];
    lf__sample_span in = {sector->low_b, ring + sector->high_less};
    lf__sample_span_clip(&in, ring * sector->along.i - w.column, sector->across.i, w.columns);
    lf__sample_span_clip(&in, ring * sector->along.j - w.row, sector->across.j, w.rows);
    to->x = (float)x;
    to->per_x = (float)(1 / x);
    to->target_first = 0;
    to->target_last = -1;
    if (in.low <= in.high && s->ground->crops)
        crop_small_ring(s, ring, &in);
    if (in.low > in.high)
        return;
    to->target_first = (int)(in.low - s->base);
    to->target_last = (int)(in.high - s->base);
}

/// The rows and fans of each ring that lines to targets on it or behind it need. Lines need the samples on both sides, and whether the next
/// ones are voids.
static void plan_small(lf__small *s) {
    int fan_first = LF__SMALL_FANS, fan_last = -1;
    for (int r = 0; r < s->rings; r++)
        plan_small_ring(s, r);
    for (int r = s->rings - 1; r >= 0; r--) {
        lf__small_ring *ring = &s->ring[r];
        if (ring->target_first <= ring->target_last) {
            double scale = LF__SMALL_FANS * (double)ring->per_x,
                   low = ((double)ring->target_first - s->ob) * scale - SMALL_FAN_OFF,
                   high = ((double)ring->target_last - s->ob) * scale + SMALL_FAN_OFF;
            int first = low > 0 ? (int)low : 0, last = high < LF__SMALL_FANS ? (int)high : LF__SMALL_FANS - 1;
            fan_first = first < fan_first ? first : fan_first;
            fan_last = last > fan_last ? last : fan_last;
        }
        if (fan_last < 0) {
            s->rings = r;
            continue;
        }
        double per_fan = (double)ring->x / LF__SMALL_FANS;
        ring->fan_first = fan_first;
        ring->fan_last = fan_last;
        ring->first = (int)(s->ob + per_fan * fan_first) - 2;
        ring->last = (int)(s->ob + per_fan * (fan_last + 1)) + 3;
    }
}

// ---------------------------------------------------------------------------------------------------
// Rings
// ---------------------------------------------------------------------------------------------------

static float most_of(float a, float b) {
    return a > b ? a : b;
}

/// The next row of a ring from one on that is a void, or a height; after the last one: there is none.
static int next_small_row(const lf__small *s, int r, int row, int last, bool is_void) {
    for (; row <= last; row = (row | 63) + 1) {
        uint64_t bits = (is_void ? s->void_rows[r][row >> 6] : ~s->void_rows[r][row >> 6]) >> (row & 63);
        if (bits) {
            row += __builtin_ctzll(bits);
            break;
        }
    }
    return row <= last ? row : last + 1;
}

/// The longest run of heights among rows of a ring; false: there is none.
static bool longest_small_run(const lf__small *s, int r, int *first, int *last) {
    int count = 0, end = *last;
    for (int row = *first, behind; row <= end; row = next_small_row(s, r, behind, end, false)) {
        behind = next_small_row(s, r, row, end, true);
        if (behind - row > count) {
            count = behind - row;
            *first = row;
            *last = behind - 1;
        }
    }
    return count > 0;
}

/// Limit the directions whose lines cross no void before a ring to those that cross it between heights, and not close to a void.
static void clear_small_ring(lf__small *s, int r) {
    lf__small_ring *ring = &s->ring[r];
    ring->clear_low = r > 0 ? ring[-1].clear_low : -SMALL_CLEAR;
    ring->clear_high = r > 0 ? ring[-1].clear_high : SMALL_CLEAR;
    if (!ring->voids || ring->clear_low > ring->clear_high)
        return;
    double x = (double)ring->x, beside = (double)LF__SMALL_BESIDE,
           low = s->ob + x * (double)ring->clear_low - beside,
           high = s->ob + x * (double)ring->clear_high + beside;
    int begin = low > ring->first ? (int)low : ring->first,
        end = high < ring->last ? (int)high + 1 : ring->last;
    int first = begin, last = end;
    if (!longest_small_run(s, r, &first, &last)) {
        ring->clear_low = SMALL_CLEAR;
        ring->clear_high = -SMALL_CLEAR;
        return;
    }
    if (first > begin)
        ring->clear_low = most_of(ring->clear_low, (float)(((double)first + beside - s->ob) / x));
    if (last < end)
        ring->clear_high = -most_of(-ring->clear_high, -(float)(((double)last - beside - s->ob) / x));
}

/// Copy heights that are so far apart.
static void copy_small(const float *from, ptrdiff_t step, float *to, int count) {
    int k = 0;
    if (step == 1) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    if (step == -1) {
        for (; k < count; k++)
            to[k] = from[-k];
        return;
    }
    for (; k + 4 <= count; k += 4, from += 4 * step) {
        to[k] = from[0];
        to[k + 1] = from[step];
        to[k + 2] = from[2 * step];
        to[k + 3] = from[3 * step];
    }
    for (; k < count; k++, from += step)
        to[k] = *from;
}

/// Copy the heights of a ring; beyond the area those at its border are repeated, or voids, as there are no triangles.
/// False: there are none.
static bool read_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    const lf_window *area = &s->ground->area;
    int64_t ring = sector->first_ring + r;
    int low = s->ring[r].first, high = s->ring[r].last;
    lf__sample_span in = {s->base + low, s->base + high};
    lf__sample_span_clip(&in, ring * sector->along.i - area->column, sector->across.i, area->columns);
    lf__sample_span_clip(&in, ring * sector->along.j - area->row, sector->across.j, area->rows);
    if (in.low > in.high)
        return false;
    int64_t i = ring * sector->along.i + in.low * sector->across.i - area->column,
            j = ring * sector->along.j + in.low * sector->across.j - area->row;
    int first = (int)(in.low - s->base), last = (int)(in.high - s->base);
    float *to = s->raw;
    copy_small(s->ground->heights + j * area->columns + i,
               sector->across.j * area->columns + sector->across.i, &to[first], last - first + 1);
    bool voids = s->sweep->voids;
    float before = voids ? LF__SMALL_VOID : to[first], behind = voids ? LF__SMALL_VOID : to[last];
    for (int k = low; k < first; k++)
        to[k] = before;
    for (int k = last + 1; k <= high; k++)
        to[k] = behind;
    return true;
}

/// How far lowered ground of a ring and the strip behind it may be above its lowered samples.
static double small_bulge(const lf__sector *s, double x, double per_x) {
    double both = s->sag + s->bulge;
    return x > 0.25 ? both * per_x : 4 * both + s->bulge * per_x;
}

/// Margins of a ring and the strip behind it, from the sizes of this ring and the next; and which voids are up to the next.
static void finish_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    lf__small_ring *ring = &s->ring[r];
    const lf__small_sizes *own = &ring->sizes, *next = &ring[1].sizes;
    double x = (double)ring->x, per_x = 1.000001 * (double)ring->per_x,
           tilt = fabs(sector->tilt[0]) + fabs(sector->tilt[1]);
    double size = (double)most_of(own->slope, next->slope),
           step = (double)most_of(own->step, next->step) + (double)next->across;
    double off = (s->off + s->rest + 0x1p-21 * (s->sweep->most_height + 1)) * per_x +
                 0x1p-20 * (size + tilt) + SMALL_STEP_OFF * step;
    ring->hides = (float)off;
    ring->clears = (float)(1.0001 * (off + (r > 0 ? 2 : 4) * sector->sag * per_x));
    ring->stays = r > 0 ? most_of(ring[-1].clears, ring->clears) : ring->clears;
    double bulge = small_bulge(sector, x, per_x);
    ring->above = (float)(1.0001 * ((double)ring->clears + bulge));
    ring->below = (float)(1.0001 * ((double)ring->hides + bulge));
    ring->voids |= ring[1].voids;
    ring->all_voids = ring->voids | (r > 0 ? ring[-1].all_voids : 0);
}

/// Margins of the lines to targets on a ring, and its lowering if that is of the second degree.
static void start_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    lf__small_ring *ring = &s->ring[r];
    double x = (double)ring->x, per_x = 1.000001 * (double)ring->per_x,
           tilt = fabs(sector->tilt[0]) + fabs(sector->tilt[1]),
           less = s->terms_size * (x + 3) * (x + 3) * per_x,
           off = 0x1p-20 * ((s->sweep->most_height + 1) * per_x + 5 * less + 2 * tilt) + s->rest * per_x;
    ring->ratio = 1 - ring->per_x;
    ring->voids = 0;
    ring->target_off = (float)off;
    ring->target_least = (float)(1.000001 * (off + 0.26 * s->rises * x * x));
    ring->target_most = (float)(1.000001 * (off + 0.26 * s->sinks * x * x));
    ring->target_near = (float)(1.000001 * (off + s->rises * x));
    ring->less[0] = s->terms[2][0] * ring->x;
    ring->less[1] = s->terms[1][1];
    ring->less[2] = s->terms[0][2] * ring->per_x;
}

void lf__small_fill(lf__small *s, const lf__small_kernel *kernel) {
    plan_small(s);
    for (int r = 0; r < s->rings; r++) {
        start_small_ring(s, r);
        if (!read_small_ring(s, r)) {
            s->rings = r;
            break;
        }
        kernel->fill(s, r);
        clear_small_ring(s, r);
    }
    for (int r = 0; r < s->rings - 1; r++)
        finish_small_ring(s, r);
    for (int r = 0; r < s->rings - 1; r++)
        kernel->raise(s, r);
    s->voids = s->near_voids || (s->rings > 1 && s->ring[s->rings - 2].all_voids);
}
