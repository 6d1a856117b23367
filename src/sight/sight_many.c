/// Many lines.
#include "base/base.h"
#include "grid/packed.h"
#include "sight/pair.h"

/// Lines that one thread takes at a time.
#define SHARE 256

typedef struct batch {
    const lf_ground *ground;
    lf_sight_rules rules;
    const char *a, *b;
    size_t a_stride, b_stride;
    lf_sight *sights;
    size_t sight_stride;
    uint8_t *verdicts;
} batch;

static lf_vec3 end_at(const char *ends, size_t stride, int64_t i) {
    return *(const lf_vec3 *)(const void *)(ends + (size_t)i * stride);
}

/// Bytes between ends: packed, the same one for all, or what the caller says.
static size_t stride_of(size_t given) {
    return given == 0 ? sizeof(lf_vec3) : given == SIZE_MAX ? 0 : given;
}

static lf_status start(batch *batch, const lf_ground *ground, const lf_sight_rules *rules, int64_t count) {
    if (!ground || count < 0 || lf__sight_rules_read(rules, &batch->rules) != LF_OK ||
        !lf__sight_rules_fit(&batch->rules, ground) || (count > 0 && (!batch->a || !batch->b)))
        return LF_BAD_ARGUMENT;
    batch->ground = ground;
    batch->a_stride = stride_of(batch->a_stride);
    batch->b_stride = stride_of(batch->b_stride);
    bool fine = true;
    for (int64_t i = 0; i < count && fine; i++)
        fine = lf__sight_end_valid(&batch->rules, end_at(batch->a, batch->a_stride, i)) &&
               lf__sight_end_valid(&batch->rules, end_at(batch->b, batch->b_stride, i));
    return fine ? LF_OK : LF_BAD_ARGUMENT;
}

static void sight_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    lf__grid_hall hall;
    lf_cursor cursor = lf__hall_cursor(&hall);
    (void)worker;
    for (int64_t i = first; i < last; i++)
        lf__sight_between(b->ground, &b->rules, end_at(b->a, b->a_stride, i), end_at(b->b, b->b_stride, i),
                          (lf_sight *)(void *)((char *)b->sights + (size_t)i * b->sight_stride), &cursor);
}

lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                        size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count, lf_sight *sights,
                        size_t sight_stride, const lf_tasks *tasks) {
    batch many = {.a = (const char *)a,
                  .b = (const char *)b,
                  .a_stride = a_stride,
                  .b_stride = b_stride,
                  .sights = sights,
                  .sight_stride = sight_stride ? sight_stride : sizeof *sights};
    lf_status status = start(&many, ground, rules, count);
    if (status != LF_OK || (count > 0 && !sights))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, sight_share, &many);
    return lf__ground_told(ground, LF_OK);
}

/// Lines ahead whose first heights are asked for before they are needed.
#define AHEAD 6

/// Ask for the heights under the place where a line begins.
static void ask_for(const lf_grid *grid, lf_vec3 end) {
    lf_vec2 place = lf__grid_place(grid, end.x, end.y);
    if (!(place.x >= 0 && place.y >= 0 && place.x < (double)(grid->columns - 1) &&
          place.y < (double)(grid->rows - 1)))
        return;
    const char *post =
        grid->values + (int64_t)place.y * grid->row_step + (int64_t)place.x * grid->column_step;
    __builtin_prefetch(post);
    __builtin_prefetch(post + grid->row_step);
}

static void verdict_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    lf__grid_hall hall;
    lf_cursor cursor = lf__hall_cursor(&hall); // for the end that decided last, too
    (void)worker;
    const lf_grid *grid = lf__ground_grid(b->ground);
    grid = grid && grid->packed ? NULL : grid;
    for (int64_t i = first; i < last; i++) {
        if (grid && i + AHEAD < last)
            ask_for(grid, end_at(b->a, b->a_stride, i + AHEAD));
        b->verdicts[i] = (uint8_t)lf__sight_verdict(b->ground, &b->rules, end_at(b->a, b->a_stride, i),
                                                    end_at(b->b, b->b_stride, i), &cursor);
    }
}

lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                            size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                            uint8_t *verdicts, const lf_tasks *tasks) {
    batch many = {.a = (const char *)a,
                  .b = (const char *)b,
                  .a_stride = a_stride,
                  .b_stride = b_stride,
                  .verdicts = verdicts};
    lf_status status = start(&many, ground, rules, count);
    if (status != LF_OK || (count > 0 && !verdicts))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, verdict_share, &many);
    return lf__ground_told(ground, LF_OK);
}

typedef struct matrix {
    batch pairs; ///< a and b are the points
    int64_t count;
} matrix;

static void matrix_share(void *job, int64_t first, int64_t last, int worker) {
    const matrix *m = job;
    const batch *b = &m->pairs;
    lf__grid_hall hall;
    lf_cursor cursor = lf__hall_cursor(&hall);
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        b->verdicts[i * m->count + i] = LF_VERDICT_CLEAR;
        for (int64_t j = i + 1; j < m->count; j++) { // the other half is the same
            lf_verdict verdict = lf__sight_verdict(b->ground, &b->rules, end_at(b->a, b->a_stride, i),
                                                   end_at(b->a, b->a_stride, j), &cursor);
            b->verdicts[i * m->count + j] = b->verdicts[j * m->count + i] = (uint8_t)verdict;
        }
    }
}

lf_status lf_sight_matrix(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *points,
                          int64_t count, uint8_t *verdicts, const lf_tasks *tasks) {
    matrix m = {.pairs = {.a = (const char *)points, .b = (const char *)points, .verdicts = verdicts},
                .count = count};
    lf_status status = start(&m.pairs, ground, rules, count);
    if (status != LF_OK || (count > 0 && !verdicts))
        return LF_BAD_ARGUMENT;
    lf__run(tasks, count, 1, matrix_share, &m);
    return lf__ground_told(ground, LF_OK);
}
