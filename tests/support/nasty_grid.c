#include "nasty_grid.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const relief_names[] = {
#define RELIEF_NAME(name, text) text,
    NASTY_RELIEF_LIST(RELIEF_NAME)
#undef RELIEF_NAME
};

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

/// The relief's numbers, drawn once per grid.
typedef struct recipe {
    nasty_relief relief;
    double base, step, by_column, by_row;
    int64_t middle;
} recipe;

static double relief_at(const recipe *recipe, int64_t i, int64_t j, test_random *random) {
    double x = (double)i, y = (double)j, step = recipe->step;
    switch (recipe->relief) {
    case NASTY_RELIEF_ROUGH:
        return test_random_between(random, 0, 3);
    case NASTY_RELIEF_TIES:
        return (double)test_random_below(random, 3);
    case NASTY_RELIEF_PLATEAUS:
        return (double)((i / 3 * 5 + j / 2 * 3) % 4);
    case NASTY_RELIEF_SAW:
        return (double)(i % 2) * step + (double)(j % 3 == 1) * recipe->by_row;
    case NASTY_RELIEF_SPIKES:
        return one_in(random, 6) ? 1000 * (double)(test_random_below(random, 5) - 2) : 0;
    case NASTY_RELIEF_HIGH:
        return recipe->base + (double)test_random_below(random, 4);
    case NASTY_RELIEF_FINE:
        return recipe->base + (double)test_random_below(random, 6) * 0x1p-29;
    case NASTY_RELIEF_PLANE:
        return recipe->by_column * x + recipe->by_row * y;
    case NASTY_RELIEF_SADDLE:
        return x * y * step + recipe->by_column * x;
    case NASTY_RELIEF_RIDGE:
        return -fabs(x - (double)recipe->middle) * step + recipe->by_row * y;
    case NASTY_RELIEF_EIGHTHS:
        return (double)test_random_below(random, 17) / 8;
    case NASTY_RELIEF_TINY:
        return test_random_between(random, -1e-9, 1e-9);
    case NASTY_RELIEF_WILD:
        return pow(10, test_random_between(random, -9, 12)) * (one_in(random, 2) ? 1 : -1);
    default:
        return step;
    }
}

static void draw_relief(double *wanted, nasty_relief relief, int64_t columns, int64_t rows,
                        test_random *random) {
    recipe recipe = {relief,
                     floor(test_random_between(random, 1e6, 1e7)),
                     (double)(1 + test_random_below(random, 3)),
                     (double)(test_random_below(random, 5) - 2),
                     (double)(test_random_below(random, 5) - 2),
                     test_random_below(random, columns)};
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++)
            wanted[j * columns + i] = relief_at(&recipe, i, j, random);
}

static size_t sample_size(lf_sample_type type) {
    return type == LF_SAMPLE_DOUBLE ? 8 : type == LF_SAMPLE_FLOAT ? 4 : 2;
}

static void write_sample(lf_sample_type type, char *at, double value) {
    double whole = isnan(value) ? 0 : rint(value);
    float single = (float)value;
    int16_t with_sign = (int16_t)fmax(-32768, fmin(32767, whole));
    uint16_t without = (uint16_t)fmax(0, fmin(65535, whole));
    const void *from = type == LF_SAMPLE_DOUBLE  ? (const void *)&value
                       : type == LF_SAMPLE_FLOAT ? (const void *)&single
                       : type == LF_SAMPLE_INT16 ? (const void *)&with_sign
                                                 : (const void *)&without;
    memcpy(at, from, sample_size(type));
}

static double read_sample(lf_sample_type type, const char *at) {
    double value;
    float single;
    int16_t with_sign;
    uint16_t without;
    switch (type) {
    case LF_SAMPLE_DOUBLE:
        memcpy(&value, at, sizeof value);
        return value;
    case LF_SAMPLE_FLOAT:
        memcpy(&single, at, sizeof single);
        return single;
    case LF_SAMPLE_INT16:
        memcpy(&with_sign, at, sizeof with_sign);
        return with_sign;
    default:
        memcpy(&without, at, sizeof without);
        return without;
    }
}

typedef struct layout {
    ptrdiff_t column_step, row_step;
} layout;

static layout steps_of(const lf_samples *samples) {
    layout layout = {samples->column_step, samples->row_step};
    if (layout.column_step == 0)
        layout.column_step = (ptrdiff_t)sample_size(samples->type);
    if (layout.row_step == 0)
        layout.row_step = (ptrdiff_t)samples->columns * layout.column_step;
    return layout;
}

static char *sample_at(const lf_samples *samples, int64_t i, int64_t j) {
    layout layout = steps_of(samples);
    return (char *)samples->values + j * layout.row_step + i * layout.column_step;
}

void nasty_grid_decode(const lf_samples *samples, double *heights) {
    ptrdiff_t mask_step = samples->mask_row_step ? samples->mask_row_step : (ptrdiff_t)samples->columns;
    for (int64_t j = 0; j < samples->rows; j++)
        for (int64_t i = 0; i < samples->columns; i++) {
            double value = read_sample(samples->type, sample_at(samples, i, j));
            bool hole = !isfinite(value) || value == samples->nodata ||
                        (samples->mask && samples->mask[j * mask_step + i] == 0);
            bool plain = samples->scale == 1 && samples->offset == 0;
            double scaled = plain ? value : value * samples->scale;
            heights[j * samples->columns + i] = hole ? NAN : plain ? value : scaled + samples->offset;
        }
}

/// Choose how samples lie in memory, and take that memory: packed, with gaps, backwards, column by column.
static void lay_out(nasty_samples *made, test_random *random) {
    lf_samples *samples = &made->samples;
    ptrdiff_t size = (ptrdiff_t)sample_size(samples->type), start = 0;
    ptrdiff_t columns = (ptrdiff_t)samples->columns, rows = (ptrdiff_t)samples->rows;
    int64_t way = test_random_below(random, 5);
    if (way >= 1) {
        samples->column_step = size * (1 + (ptrdiff_t)test_random_below(random, 2));
        samples->row_step = samples->column_step * columns + size * (ptrdiff_t)test_random_below(random, 4);
    }
    if (way == 2) {
        samples->row_step = size;
        samples->column_step = rows * size + size * (ptrdiff_t)test_random_below(random, 3);
    }
    layout steps = steps_of(samples);
    ptrdiff_t last_column = (columns - 1) * steps.column_step, last_row = (rows - 1) * steps.row_step;
    made->values_bytes = (size_t)(last_column + last_row + size);
    made->values = test_space((int64_t)made->values_bytes, 1);
    memset(made->values, 0x5b, made->values_bytes);
    if (way == 3 || way == 4) { // from the last row, as rasters with north on top are
        start += last_row;
        samples->row_step = -steps.row_step;
    }
    if (way == 4) {
        start += last_column;
        samples->column_step = -steps.column_step;
    }
    samples->values = (char *)made->values + start;
}

/// Scale and offset, so that whole numbers of 16 bits can hold the heights.
static void choose_scale(lf_samples *samples, double low, test_random *random) {
    static const double scales[6] = {1, 0.25, 0.1, -0.5, 2, 1};
    bool whole = samples->type == LF_SAMPLE_INT16 || samples->type == LF_SAMPLE_UINT16;
    if (one_in(random, 3))
        samples->scale = scales[test_random_below(random, 6)];
    if (one_in(random, 4))
        samples->offset = test_random_between(random, -100, 100);
    if (whole && fabs(low) > 10000)
        samples->offset = low;
    if (samples->type == LF_SAMPLE_FLOAT && fabs(low) > 1e5 && one_in(random, 2))
        samples->offset = low;
}

/// Make one sample a hole, in one of the ways there are.
static void dig(nasty_samples *made, int64_t i, int64_t j, int64_t way) {
    lf_samples *samples = &made->samples;
    bool whole = samples->type == LF_SAMPLE_INT16 || samples->type == LF_SAMPLE_UINT16;
    if (made->mask && (whole || way == 0)) {
        made->mask[j * samples->mask_row_step + i] = 0;
        return;
    }
    double value = way == 1 && !whole ? LF_INFINITY : way == 2 && !whole ? NAN : samples->nodata;
    write_sample(samples->type, sample_at(samples, i, j), value);
}

static void dig_holes(nasty_samples *made, test_random *random) {
    lf_samples *samples = &made->samples;
    int64_t how = test_random_below(random, 9);
    if (how < 4)
        return;
    samples->nodata = samples->type == LF_SAMPLE_UINT16 ? 65535 : -9999;
    if (one_in(random, 3)) {
        samples->mask_row_step = (ptrdiff_t)(samples->columns + test_random_below(random, 3));
        made->mask = test_space(samples->mask_row_step * samples->rows, 1);
        memset(made->mask, 0x80, (size_t)(samples->mask_row_step * samples->rows));
        samples->mask = made->mask;
    }
    int64_t left = test_random_below(random, samples->columns),
            top = test_random_below(random, samples->rows);
    for (int64_t j = 0; j < samples->rows; j++)
        for (int64_t i = 0; i < samples->columns; i++) {
            bool block = i >= left && i < left + 3 && j >= top && j < top + 2;
            if (how < 7 ? one_in(random, how == 4 ? 4 : 12) : how == 7 ? block : i == left)
                dig(made, i, j, test_random_below(random, 4));
        }
}

/// Type, scale and offset at random.
static void choose_type(lf_samples *samples, const double *wanted, int64_t count, test_random *random) {
    static const lf_sample_type types[5] = {LF_SAMPLE_DOUBLE, LF_SAMPLE_FLOAT, LF_SAMPLE_INT16,
                                            LF_SAMPLE_UINT16, LF_SAMPLE_DOUBLE};
    samples->type = types[test_random_below(random, 5)];
    double low = wanted[0];
    for (int64_t i = 1; i < count; i++)
        low = fmin(low, wanted[i]);
    choose_scale(samples, low, random);
}

nasty_samples nasty_samples_make(const lf_samples *like, const double *wanted, int64_t columns, int64_t rows,
                                 test_random *random) {
    nasty_samples made = {.samples = lf_grid_def_default().samples};
    lf_samples *samples = &made.samples;
    samples->columns = columns;
    samples->rows = rows;
    if (like) {
        samples->type = like->type;
        samples->scale = like->scale;
        samples->offset = like->offset;
    } else {
        choose_type(samples, wanted, columns * rows, random);
    }
    lay_out(&made, random);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++)
            write_sample(samples->type, sample_at(samples, i, j),
                         (wanted[j * columns + i] - samples->offset) / samples->scale);
    dig_holes(&made, random);
    return made;
}

void nasty_samples_free(nasty_samples *samples) {
    free(samples->values);
    free(samples->mask);
    *samples = (nasty_samples){0};
}

static void choose_size(int64_t *columns, int64_t *rows, int64_t size, test_random *random) {
    if (size > 0) {
        *columns = 2 + test_random_below(random, 2 * size);
        *rows = 2 + test_random_below(random, 2 * size);
        return;
    }
    int64_t how = test_random_below(random, 12);
    int64_t few = 2 + test_random_below(random, 7), some = 2 + test_random_below(random, 6);
    *columns = how < 2 ? 2 : how < 4 ? 2 : how < 5 ? 2 + few % 2 : how < 6 ? 8 + 2 * few : few;
    *rows = how < 2 ? 2 : how < 4 ? few : how < 5 ? 20 + 5 * some : how < 6 ? 7 + 2 * some : some;
    if (one_in(random, 2)) {
        int64_t kept = *columns;
        *columns = *rows;
        *rows = kept;
    }
}

static lf_geotransform choose_placing(test_random *random) {
    lf_geotransform geotransform = {{0, 0}, {1, 0}, {0, 1}};
    double angle = test_random_between(random, -3.2, 3.2);
    double wide = test_random_between(random, 0.1, 40), high = test_random_between(random, 0.1, 40);
    switch (test_random_below(random, 10)) {
    case 0:
    case 1:
        geotransform.origin = (lf_vec2){(double)test_random_below(random, 100) - 50, 4200000};
        geotransform.per_column.x = ldexp(1, (int)test_random_below(random, 9) - 4);
        geotransform.per_row.y = ldexp(1, (int)test_random_below(random, 9) - 4);
        break;
    case 2:
        geotransform.origin =
            (lf_vec2){test_random_between(random, -9, 9), test_random_between(random, 4e6, 6e6)};
        geotransform.per_column.x = wide;
        geotransform.per_row.y = high;
        break;
    case 3:
        geotransform.per_column = (lf_vec2){wide * cos(angle), wide * sin(angle)};
        geotransform.per_row = (lf_vec2){-high * sin(angle), high * cos(angle)};
        geotransform.origin.x = test_random_between(random, -1e6, 1e6);
        break;
    case 4: // skewed, a quarter turned
        geotransform.per_column = (lf_vec2){0.5, 2};
        geotransform.per_row = (lf_vec2){-4, 0.25};
        break;
    case 5: // turned by a quarter: columns run along y
        geotransform.per_column = (lf_vec2){0, 2};
        geotransform.per_row = (lf_vec2){-2, 0};
        geotransform.origin = (lf_vec2){1e7, -3e6};
        break;
    default:
        break;
    }
    return geotransform;
}

static void invert(nasty_grid *grid) {
    lf_vec2 column = grid->def.geotransform.per_column, row = grid->def.geotransform.per_row;
    double det = column.x * row.y - column.y * row.x;
    grid->a = row.y / det;
    grid->b = -row.x / det;
    grid->c = -column.y / det;
    grid->d = column.x / det;
}

void nasty_grid_place_plainly(nasty_grid *grid) {
    grid->def.geotransform = (lf_geotransform){{0, 0}, {1, 0}, {0, 1}};
    invert(grid);
}

void nasty_grid_make(nasty_grid *grid, nasty_relief relief, lf_surface surface, int64_t size,
                     test_random *random) {
    static const int leaves[8] = {0, 1, 2, 4, 8, 16, 1, 64};
    int64_t columns, rows;
    choose_size(&columns, &rows, size, random);
    *grid = (nasty_grid){.name = relief_names[relief], .relief = relief, .def = lf_grid_def_default()};
    grid->heights = test_space(columns * rows, sizeof *grid->heights);
    draw_relief(grid->heights, relief, columns, rows, random);
    nasty_samples made = nasty_samples_make(NULL, grid->heights, columns, rows, random);
    grid->def.samples = made.samples;
    grid->values = made.values;
    grid->values_bytes = made.values_bytes;
    grid->mask = made.mask;
    nasty_grid_decode(&grid->def.samples, grid->heights);
    grid->def.surface = surface;
    grid->def.leaf = leaves[test_random_below(random, 8)];
    grid->def.extend = surface != LF_SURFACE_POINT && one_in(random, 4);
    grid->def.borrow = !grid->def.extend && one_in(random, 3);
    grid->def.geotransform = choose_placing(random);
    invert(grid);
}

void nasty_grid_free(nasty_grid *grid) {
    free(grid->heights);
    free(grid->values);
    free(grid->mask);
    *grid = (nasty_grid){0};
}

exact_grid nasty_grid_exact(const nasty_grid *grid) {
    return (exact_grid){grid->def.samples.columns, grid->def.samples.rows, grid->heights, grid->def.surface,
                        grid->def.extend};
}

/// Where b and c are 0 their terms are left out.
static lf_vec2 turn(const nasty_grid *grid, double x, double y) {
    bool straight = grid->b == 0 && grid->c == 0;
    lf_vec2 local = {grid->a * x, grid->d * y};
    return straight ? local : (lf_vec2){grid->a * x + grid->b * y, grid->c * x + grid->d * y};
}

lf_vec2 nasty_grid_local(const nasty_grid *grid, double x, double y) {
    lf_vec2 origin = grid->def.geotransform.origin;
    return turn(grid, x - origin.x, y - origin.y);
}

lf_ray nasty_grid_local_ray(const nasty_grid *grid, const lf_ray *ray) {
    lf_vec2 from = nasty_grid_local(grid, ray->origin.x, ray->origin.y);
    lf_vec2 along = turn(grid, ray->direction.x, ray->direction.y);
    return (lf_ray){
        {from.x, from.y, ray->origin.z}, {along.x, along.y, ray->direction.z}, ray->t_min, ray->t_max};
}

static lf_vec3 world_vector(const nasty_grid *grid, lf_vec3 local) {
    const lf_geotransform *geotransform = &grid->def.geotransform;
    return (lf_vec3){local.x * geotransform->per_column.x + local.y * geotransform->per_row.x,
                     local.x * geotransform->per_column.y + local.y * geotransform->per_row.y, local.z};
}

lf_vec3 nasty_grid_world(const nasty_grid *grid, lf_vec3 local) {
    lf_vec3 from_origin = world_vector(grid, local);
    return (lf_vec3){grid->def.geotransform.origin.x + from_origin.x,
                     grid->def.geotransform.origin.y + from_origin.y, local.z};
}

lf_ray nasty_grid_world_ray(const nasty_grid *grid, const lf_ray *local) {
    return (lf_ray){nasty_grid_world(grid, local->origin), world_vector(grid, local->direction), local->t_min,
                    local->t_max};
}
