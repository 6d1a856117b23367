/// Siting: greedy maximum coverage with lazy evaluation.
///
/// What a candidate adds never grows while others are chosen, so what it added earlier is an upper bound of what it adds now. The
/// candidates are in a heap by such bounds: the one in front is evaluated again, and chosen if it stays there. Before its viewshed is
/// computed, a bound is what all samples within its range count.
///
/// A viewshed is kept as bits of the samples that the candidate reaches. When they take too much memory, those of the candidates with
/// the lowest bounds are dropped; these are hardly ever asked for again.
///
/// With weights a gain is a sum of doubles in a fixed order. Leaving out terms, none of which is negative, does not make such a sum
/// larger, rounded or not: bounds hold exactly.
#include "base/base.h"
#include "base/containers.h"
#include "sight/sight.h"
#include "sight/viewshed.h"
#include "sight/viewshed_world.h"
#include <string.h>

/// Viewsheds that are computed at once where none is known: more than threads, and few enough to leave the rest out.
#define SITE_BATCH 64

/// The bits of a candidate's viewshed: words of the plane of the window, rows of them.
typedef struct site_bits {
    uint64_t *words;              ///< NULL: not kept
    int64_t word, row;            ///< first, within the window
    int64_t row_words, row_count; ///< 0: it sees nothing
} site_bits;

typedef struct site_candidate {
    double bound;
    int64_t index;
    int64_t round; ///< in which the bound was computed; -1: before its viewshed was
} site_candidate;

typedef struct siting {
    lf_site_def def;
    lf__viewshed view;
    lf_allocator allocator;
    site_candidate *heap;
    int64_t heap_count;
    site_bits *bits; ///< by index
    uint64_t *open;  ///< samples that still count, row_words for each row
    uint8_t *counts; ///< with an overlap: places that see a sample
    int64_t row_words;
    lf_observer batch[SITE_BATCH];
    lf_compass compasses[SITE_BATCH];
    int64_t batch_index[SITE_BATCH];
    size_t kept; ///< bytes of bits
    lf_site_stats stats;
} siting;

// ---------------------------------------------------------------------------------------------------
// Bits
// ---------------------------------------------------------------------------------------------------

static size_t bits_bytes(const site_bits *bits) {
    return (size_t)(bits->row_words * bits->row_count) * sizeof *bits->words;
}

static void bits_free(siting *s, site_bits *bits) {
    if (!bits->words)
        return;
    s->kept -= bits_bytes(bits);
    lf__free_array(&s->allocator, bits->words, bits->row_words * bits->row_count, sizeof *bits->words);
    bits->words = NULL;
}

/// The bits of a row of bytes, into words of which the first begins `skip` columns before it.
static void pack_row(const uint8_t *seen, int64_t columns, int64_t skip, uint64_t *words) {
    for (int64_t k = 0; k < columns; k++)
        words[(k + skip) / 64] |= (uint64_t)(seen[k] == LF_VISIBILITY_VISIBLE) << ((k + skip) % 64);
}

static void batch_begin(void *user) {
    (void)user;
}

/// Keep the bits of one of a batch. Allocators of hosts are called by one thread at a time: memory is there already.
static void batch_take(void *user, const lf__viewshed *view, lf__byte_plane seen, int64_t observer,
                       bool many) {
    siting *s = user;
    site_bits *bits = &s->bits[s->batch_index[observer]];
    int64_t skip = (view->window.column - s->def.window.column) % 64;
    (void)many;
    memset(bits->words, 0, bits_bytes(bits));
    for (int64_t row = 0; row < view->window.rows; row++)
        pack_row(seen.bytes + row * seen.row_step, view->window.columns, skip,
                 bits->words + row * bits->row_words);
}

/// Space for the bits of a candidate.
static lf_status bits_allocate(siting *s, int64_t index) {
    site_bits *bits = &s->bits[index];
    lf_window near = lf__viewshed_reached(&s->view, s->def.window, &s->def.candidates[index]);
    void *words = NULL;
    int64_t column = near.column - s->def.window.column;
    *bits = (site_bits){NULL, column / 64, near.row - s->def.window.row, 0, near.rows};
    if (near.columns == 0)
        return LF_OK;
    bits->row_words = (column + near.columns - 1) / 64 - column / 64 + 1;
    lf_status status =
        lf__allocate_array(&s->allocator, bits->row_words * bits->row_count, sizeof *bits->words, &words);
    if (status != LF_OK)
        return status;
    bits->words = words;
    s->kept += bits_bytes(bits);
    s->stats.bytes = s->kept > s->stats.bytes ? s->kept : s->stats.bytes;
    return LF_OK;
}

/// Compute the viewsheds of a batch.
static lf_status batch_run(siting *s, int64_t count, lf_error *error) {
    lf_viewshed_stats found = {0};
    lf__viewshed view = s->view;
    lf__viewshed_visitor visitor = {s, batch_begin, batch_take};
    lf_status status = LF_OK;
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        int64_t index = s->batch_index[k];
        s->batch[k] = s->def.candidates[index];
        if (view.def.compasses)
            s->compasses[k] = s->view.def.compasses[index];
        status = lf__viewshed_status(bits_allocate(s, index), error);
    }
    if (status != LF_OK)
        return status;
    if (view.def.compasses)
        view.def.compasses = s->compasses;
    s->stats.viewsheds += count;
    view.def.host.progress = NULL;
    status = lf__viewshed_each(&view, s->batch, count, &visitor, &found, error);
    if (status != LF_OK && error && error->where >= 0 && error->where < count)
        error->where = s->batch_index[error->where];
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Gains
// ---------------------------------------------------------------------------------------------------

/// What the samples of a word count, of those that are set.
static double word_weight(const siting *s, int64_t row, int64_t word, uint64_t set) {
    const float *weights = s->def.weights + row * s->def.window.columns + word * 64;
    double sum = 0;
    for (; set; set &= set - 1)
        sum += (double)weights[__builtin_ctzll(set)];
    return sum;
}

/// What a candidate adds, times the overlap.
static double gain_of(siting *s, const site_bits *bits) {
    int64_t samples = 0;
    double sum = 0;
    s->stats.gains++;
    for (int64_t row = 0; row < bits->row_count; row++) {
        const uint64_t *seen = bits->words + row * bits->row_words,
                       *open = s->open + (bits->row + row) * s->row_words + bits->word;
        for (int64_t k = 0; k < bits->row_words; k++) {
            uint64_t set = seen[k] & open[k];
            if (!s->def.weights)
                samples += __builtin_popcountll(set);
            else if (set)
                sum += word_weight(s, bits->row + row, bits->word + k, set);
        }
    }
    return s->def.weights ? sum : (double)samples;
}

/// The samples that a candidate sees are seen by one more place; those seen by enough no longer count.
static void cover(siting *s, const site_bits *bits) {
    for (int64_t row = 0; row < bits->row_count; row++) {
        const uint64_t *seen = bits->words + row * bits->row_words;
        uint64_t *open = s->open + (bits->row + row) * s->row_words + bits->word;
        for (int64_t k = 0; k < bits->row_words; k++) {
            if (!s->counts) {
                open[k] &= ~seen[k];
                continue;
            }
            for (uint64_t set = seen[k] & open[k]; set; set &= set - 1) {
                int bit = __builtin_ctzll(set);
                uint8_t *count =
                    &s->counts[(bits->row + row) * s->def.window.columns + (bits->word + k) * 64 + bit];
                if (++*count == s->def.overlap)
                    open[k] &= ~((uint64_t)1 << bit);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// The heap
// ---------------------------------------------------------------------------------------------------

/// In front is the greatest bound, and of equal ones the first candidate.
static bool heap_before(const void *items, int64_t i, int64_t j) {
    const site_candidate *heap = items;
    return heap[i].bound < heap[j].bound || (heap[i].bound == heap[j].bound && heap[i].index > heap[j].index);
}

static void heap_swap(void *items, int64_t i, int64_t j) {
    site_candidate *heap = items, kept = heap[i];
    heap[i] = heap[j];
    heap[j] = kept;
}

static lf__heap heap_of(const siting *s) {
    return (lf__heap){s->heap, heap_before, heap_swap};
}

static site_candidate heap_pop(siting *s) {
    lf__heap heap = heap_of(s);
    site_candidate front = s->heap[0];
    s->heap[0] = s->heap[--s->heap_count];
    lf__heap_down(&heap, s->heap_count);
    return front;
}

static void heap_push(siting *s, site_candidate candidate) {
    lf__heap heap = heap_of(s);
    s->heap[s->heap_count] = candidate;
    lf__heap_up(&heap, s->heap_count++);
}

/// Sort, the greatest bound first: it stays a heap.
static void heap_order(siting *s) {
    lf__heap heap = heap_of(s);
    lf__heap_sort(&heap, s->heap_count); // the lowest first
    for (int64_t k = 0; k < s->heap_count / 2; k++)
        heap_swap(s->heap, k, s->heap_count - 1 - k);
}

/// Drop viewsheds of the lowest bounds until half of the memory is left.
static void drop_some(siting *s) {
    heap_order(s);
    for (int64_t k = s->heap_count - 1; k >= 0 && s->kept > s->def.memory / 2; k--)
        bits_free(s, &s->bits[s->heap[k].index]);
}

/// No choice covers more than what is covered and the greatest `most` bounds together.
static void lower_limit(siting *s, double covered) {
    double sum = covered;
    heap_order(s);
    for (int64_t k = 0; k < s->heap_count && k < s->def.most; k++)
        sum += s->heap[k].bound;
    s->stats.limit = fmin(s->stats.limit, sum / s->def.overlap);
}

/// Evaluate the candidate in front, and where it has no viewshed yet also those behind it that have none.
static lf_status evaluate_front(siting *s, int64_t round, lf_error *error) {
    site_candidate batch[SITE_BATCH];
    int64_t count = 0;
    do
        batch[count++] = heap_pop(s);
    while (count < SITE_BATCH && s->heap_count > 0 && batch[0].round < 0 && s->heap[0].round < 0);
    lf_status status = LF_OK;
    if (!s->bits[batch[0].index].words) {
        for (int64_t k = 0; k < count; k++)
            s->batch_index[k] = batch[k].index;
        status = batch_run(s, count, error);
    }
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        batch[k].bound = gain_of(s, &s->bits[batch[k].index]);
        batch[k].round = round;
        heap_push(s, batch[k]);
    }
    if (s->kept > s->def.memory)
        drop_some(s);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The choice
// ---------------------------------------------------------------------------------------------------

/// Choose one place after the other.
static lf_status choose(siting *s, lf_site *sites, int64_t *count, lf_error *error) {
    double covered = 0;
    lf_status status = LF_OK;
    *count = 0;
    while (*count < s->def.most && s->heap_count > 0 && s->heap[0].bound > 0) {
        if (s->heap[0].round != *count) {
            int64_t known =
                s->def.candidate_count < s->stats.viewsheds ? s->def.candidate_count : s->stats.viewsheds;
            if (!lf__report(&s->def.view.host, "sites", *count * s->def.candidate_count + known,
                            (s->def.most + 1) * s->def.candidate_count))
                return lf__viewshed_status(LF_CANCELLED, error);
            status = evaluate_front(s, *count, error);
            if (status != LF_OK)
                return status;
            continue;
        }
        lower_limit(s, covered);
        site_candidate best = s->heap[0];
        site_bits *bits = &s->bits[best.index];
        if (!bits->words) { // dropped since
            s->batch_index[0] = best.index;
            status = batch_run(s, 1, error);
            if (status != LF_OK)
                return status;
        }
        heap_pop(s);
        cover(s, bits);
        bits_free(s, bits);
        covered += best.bound;
        sites[(*count)++] = (lf_site){best.index, best.bound / s->def.overlap, covered / s->def.overlap};
    }
    lower_limit(s, covered);
    return LF_OK;
}

/// Which samples count.
static void open_samples(siting *s) {
    lf_window w = s->def.window;
    const lf__viewshed *view = &s->view;
    for (int64_t row = 0; row < w.rows; row++)
        for (int64_t column = 0; column < w.columns; column++) {
            int64_t i = w.column + column, j = w.row + row;
            float weight = s->def.weights ? s->def.weights[row * w.columns + column] : 1;
            bool none = view->world ? isnan(lf__targets_ground(view, i, j)) : lf__grid_bare(view->grid, i, j);
            if (none || !(weight > 0))
                continue;
            s->open[row * s->row_words + column / 64] |= (uint64_t)1 << column % 64;
            s->stats.total += (double)weight;
        }
    s->stats.limit = s->stats.total;
}

/// Before any viewshed: check all candidates. Their bounds are what all samples in range count, from sums over the rectangles from the
/// first sample to each.
static lf_status first_bounds(siting *s, double *sums, lf_error *error) {
    lf_window w = s->def.window;
    int64_t width = w.columns + 1;
    for (int64_t row = 0; row < w.rows && sums; row++) {
        double sum = 0;
        for (int64_t column = 0; column < w.columns; column++) {
            bool counts = s->open[row * s->row_words + column / 64] >> (column % 64) & 1;
            sum += counts ? (double)s->def.weights[row * w.columns + column] : 0;
            sums[(row + 1) * width + column + 1] = sums[row * width + column + 1] + sum;
        }
    }
    for (int64_t k = 0; k < s->def.candidate_count; k++) {
        lf_window near = lf__viewshed_reached(&s->view, w, &s->def.candidates[k]);
        lf__viewshed view = s->view;
        view.window = near;
        lf_status status =
            near.columns > 0 ? lf__viewshed_start(&view, &s->def.candidates[k], k, error) : LF_OK;
        if (status != LF_OK)
            return status;
        double bound = (double)(near.columns * near.rows);
        if (sums && near.columns > 0) {
            const double *low = sums + (near.row - w.row) * width + near.column - w.column,
                         *high = low + near.rows * width;
            // Rounding of sums of up to 2^53 terms is far less.
            bound = high[near.columns] - high[0] - low[near.columns] + low[0] + 1e-9 * s->stats.total;
        }
        heap_push(s, (site_candidate){bound, k, -1});
    }
    return LF_OK;
}

static lf_status site_check(siting *s, const lf_ground *ground, const lf_site_def *given, lf__targets *world,
                            lf_error *error) {
    lf_site_def *def = &s->def;
    *def = lf_site_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status != LF_OK)
        return status;
    if (!def->candidates || def->candidate_count < 1 || def->candidate_count >= UINT32_MAX || def->most < 1 ||
        def->overlap < 1 || def->overlap > UINT8_MAX)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%lld candidates, or their list is NULL; %lld of them are to be chosen, overlap %d",
                        (long long)def->candidate_count, (long long)def->most, def->overlap);
    if (def->window.columns == 0) {
        lf_viewshed_def far = def->view;
        far.range_max = LF_INFINITY;
        def->window = lf_viewshed_window(ground, &far, (lf_vec2){0, 0});
    }
    s->view.window = def->window;
    status = lf__viewshed_open(&s->view, world, ground, &def->view, error);
    int64_t samples = def->window.columns * def->window.rows;
    for (int64_t k = 0; k < samples && status == LF_OK && def->weights; k++)
        if (isinf(def->weights[k]))
            return lf__fail(error, LF_BAD_ARGUMENT, k, "weight %lld is not finite", (long long)k);
    s->allocator = lf__allocator_of(&s->view.def.host);
    s->def.view = s->view.def;
    s->row_words = (def->window.columns + 63) / 64;
    return status;
}

/// Memory of a siting, in the order in which it is taken.
enum { SITE_HEAP, SITE_BITS, SITE_OPEN, SITE_COUNTS, SITE_SUMS, SITE_BLOCKS };

typedef struct site_block {
    void *memory;
    int64_t count;
    size_t size;
} site_block;

static lf_status blocks_allocate(siting *s, site_block blocks[SITE_BLOCKS]) {
    lf_window w = s->def.window;
    int64_t n = s->def.candidate_count;
    blocks[SITE_HEAP] = (site_block){NULL, n, sizeof *s->heap};
    blocks[SITE_BITS] = (site_block){NULL, n, sizeof *s->bits};
    blocks[SITE_OPEN] = (site_block){NULL, s->row_words * w.rows, sizeof *s->open};
    blocks[SITE_COUNTS] = (site_block){NULL, s->def.overlap > 1 ? w.columns * w.rows : 0, 1};
    blocks[SITE_SUMS] =
        (site_block){NULL, s->def.weights ? (w.columns + 1) * (w.rows + 1) : 0, sizeof(double)};
    for (int k = 0; k < SITE_BLOCKS; k++) {
        if (blocks[k].count == 0)
            continue;
        lf_status status =
            lf__allocate_array(&s->allocator, blocks[k].count, blocks[k].size, &blocks[k].memory);
        if (status != LF_OK) {
            blocks[k].memory = NULL;
            return status;
        }
        memset(blocks[k].memory, 0, (size_t)blocks[k].count * blocks[k].size);
    }
    s->heap = blocks[SITE_HEAP].memory;
    s->bits = blocks[SITE_BITS].memory;
    s->open = blocks[SITE_OPEN].memory;
    s->counts = blocks[SITE_COUNTS].memory;
    return LF_OK;
}

static void blocks_free(siting *s, site_block blocks[SITE_BLOCKS]) {
    for (int64_t k = 0; k < s->def.candidate_count && s->bits; k++)
        bits_free(s, &s->bits[k]);
    for (int k = SITE_BLOCKS - 1; k >= 0; k--)
        if (blocks[k].memory)
            lf__free_array(&s->allocator, blocks[k].memory, blocks[k].count, blocks[k].size);
}

lf_status lf_site_choose(const lf_ground *ground, const lf_site_def *def, lf_site *sites, int64_t *count,
                         lf_site_stats *stats, lf_error *error) {
    siting s = {0};
    site_block blocks[SITE_BLOCKS] = {{NULL, 0, 0}};
    lf__targets world;
    lf__views views;
    if (!sites || !count)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "sites or count is NULL");
    lf_status status = site_check(&s, ground, def, &world, error);
    if (status == LF_OK)
        status = lf__viewshed_begin(&s.view, &world, &views, error);
    if (status != LF_OK)
        return status;
    status = lf__viewshed_status(blocks_allocate(&s, blocks), error);
    if (status == LF_OK) {
        open_samples(&s);
        status = first_bounds(&s, blocks[SITE_SUMS].memory, error);
    }
    if (status == LF_OK)
        status = choose(&s, sites, count, error);
    blocks_free(&s, blocks);
    lf__viewshed_end(&s.view, &world, &views);
    if (status == LF_OK && stats)
        *stats = s.stats;
    return status;
}
