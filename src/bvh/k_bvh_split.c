/// Cutting runs of items in two, by the surface area heuristic over bins.
///
/// Nearly all the time goes into growing boxes. Every processor of the family has registers of four floats,
/// so there is no choice at run time; the scalar form has the same bits.
#include "bvh/bvh_build.h"

#if LF__SIMD
#include "base/k_simd.h"

static inline void bvh_split_grow(lf__bounds *b, const lf__bounds *other) {
    _mm_storeu_ps(b->low, _mm_min_ps(_mm_loadu_ps(other->low), _mm_loadu_ps(b->low)));
    _mm_storeu_ps(b->high, _mm_max_ps(_mm_loadu_ps(other->high), _mm_loadu_ps(b->high)));
}

/// Twice the centre. The item's number in the fourth lane would count as a tiny float, with which arithmetic
/// is slow: 0.
static inline __m128 centre_of(const lf__bounds *box) {
    __m128 three = _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0));
    return _mm_add_ps(_mm_and_ps(_mm_loadu_ps(box->low), three), _mm_loadu_ps(box->high));
}

static inline void grow_centres(lf__bounds *b, const lf__bounds *other) {
    __m128 centre = centre_of(other);
    _mm_storeu_ps(b->low, _mm_min_ps(centre, _mm_loadu_ps(b->low)));
    _mm_storeu_ps(b->high, _mm_max_ps(centre, _mm_loadu_ps(b->high)));
}

/// The bins of an item along x, y and z; `low` and `scale` have four floats.
static inline void find_bins(const lf__bounds *box, const float *low, const float *scale, int most,
                             int bins[4]) {
    __m128 place = _mm_mul_ps(_mm_sub_ps(centre_of(box), _mm_loadu_ps(low)), _mm_loadu_ps(scale));
    place = _mm_min_ps(place, _mm_set1_ps((float)most));
    _mm_storeu_si128((__m128i *)(void *)bins, _mm_cvttps_epi32(place));
}

#else

static inline void bvh_split_grow(lf__bounds *b, const lf__bounds *other) {
    lf__bounds_grow(b, other->low, other->high);
}

static inline void grow_centres(lf__bounds *b, const lf__bounds *other) {
    float centre[4];
    for (int k = 0; k < 4; k++)
        centre[k] = other->low[k] + other->high[k];
    lf__bounds_grow(b, centre, centre);
}

static inline void find_bins(const lf__bounds *box, const float *low, const float *scale, int most,
                             int bins[4]) {
    for (int k = 0; k < 3; k++) {
        float place = (box->low[k] + box->high[k] - low[k]) * scale[k];
        bins[k] = (int)(place < (float)most ? place : (float)most);
    }
}
#endif

#define BINS 16

typedef struct split_choice {
    int axis, bin;
    float scale;
    double cost;
} split_choice;

/// The items of a run by the place of their centres along each axis.
typedef struct bin_set {
    lf__bounds box[3][BINS];
    int64_t count[3][BINS];
} bin_set;

typedef struct binning {
    bin_set set;
    float scale[4]; ///< bins per unit of twice the centre; 0: all centres are in one place
} binning;

static double half_area(const lf__bounds *b) {
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

static inline void run_add(lf__item_run *r, const lf__item_ref *ref) {
    bvh_split_grow(&r->box, &ref->box);
    grow_centres(&r->centres, &ref->box);
}

lf__item_run lf__run_measure(const lf__item_ref *refs, int64_t first, int64_t last) {
    lf__item_run r = {first, last, lf__bounds_empty(), lf__bounds_empty()};
    for (int64_t i = first; i < last; i++)
        run_add(&r, &refs[i]);
    return r;
}

static void bins_clear(bin_set *set) {
    for (int axis = 0; axis < 3; axis++)
        for (int b = 0; b < BINS; b++) {
            set->box[axis][b] = lf__bounds_empty();
            set->count[axis][b] = 0;
        }
}

static inline void bins_add(bin_set *set, const lf__bounds *box, const float *low, const float *scale) {
    int place[4];
    find_bins(box, low, scale, BINS - 1, place);
    for (int axis = 0; axis < 3; axis++) {
        bvh_split_grow(&set->box[axis][place[axis]], box);
        set->count[axis][place[axis]]++;
    }
}

static void bins_join(bin_set *set, const bin_set *other) {
    for (int axis = 0; axis < 3; axis++)
        for (int b = 0; b < BINS; b++) {
            bvh_split_grow(&set->box[axis][b], &other->box[axis][b]);
            set->count[axis][b] += other->count[axis][b];
        }
}

/// From this many items on two sets of bins are faster than one.
#define TWO_SETS 128

/// Neighbours among the items are mostly in the same bin, whose box one cannot grow before the box before it has been stored: long
/// runs have a second set of bins for every other item.
static void fill_bins(const lf__item_ref *refs, const lf__item_run *r, binning *bins) {
    for (int axis = 0; axis < 3; axis++) {
        float extent = r->centres.high[axis] - r->centres.low[axis];
        bins->scale[axis] = extent > 0 ? (float)BINS / extent : 0;
        if (!(bins->scale[axis] < 1e30f))
            bins->scale[axis] = 0;
    }
    bins->scale[3] = 0;
    bins_clear(&bins->set);
    int64_t i = r->first;
    if (r->last - r->first >= TWO_SETS) {
        bin_set second;
        bins_clear(&second);
        for (; i + 2 <= r->last; i += 2) {
            bins_add(&bins->set, &refs[i].box, r->centres.low, bins->scale);
            bins_add(&second, &refs[i + 1].box, r->centres.low, bins->scale);
        }
        bins_join(&bins->set, &second);
    }
    for (; i < r->last; i++)
        bins_add(&bins->set, &refs[i].box, r->centres.low, bins->scale);
}

/// How many leaves' worth of work: eight items cost the same as one.
static double bvh_split_blocks(int64_t count) {
    return (double)((count + LF__BVH_WIDTH - 1) / LF__BVH_WIDTH);
}

/// The cheapest cut between bins along one axis.
static split_choice best_cut(const binning *bins, int axis) {
    double right_cost[BINS];
    lf__bounds box = lf__bounds_empty();
    int64_t count = 0;
    for (int b = BINS - 1; b > 0; b--) {
        bvh_split_grow(&box, &bins->set.box[axis][b]);
        count += bins->set.count[axis][b];
        right_cost[b] = half_area(&box) * bvh_split_blocks(count);
    }
    split_choice best = {axis, 0, bins->scale[axis], INFINITY};
    box = lf__bounds_empty();
    count = 0;
    for (int b = 1; b < BINS; b++) {
        bvh_split_grow(&box, &bins->set.box[axis][b - 1]);
        count += bins->set.count[axis][b - 1];
        double cost = half_area(&box) * bvh_split_blocks(count) + right_cost[b];
        if (cost < best.cost)
            best.bin = b, best.cost = cost;
    }
    return best;
}

static split_choice choose_split(const lf__item_ref *refs, const lf__item_run *r) {
    binning bins;
    fill_bins(refs, r, &bins);
    split_choice best = {-1, 0, 0, INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        if (bins.scale[axis] <= 0)
            continue;
        split_choice cut = best_cut(&bins, axis);
        if (cut.cost < best.cost)
            best = cut;
    }
    return best;
}

/// The same bin as in find_bins, where all bins are below BINS.
static inline bool is_below(const lf__item_ref *ref, const lf__item_run *r, const split_choice *choice) {
    int axis = choice->axis;
    return (int)((ref->box.low[axis] + ref->box.high[axis] - r->centres.low[axis]) * choice->scale) <
           choice->bin;
}

/// Move the refs below the cut to the front and compute the boxes of both parts.
static void partition(lf__item_ref *refs, const lf__item_run *r, const split_choice *choice,
                      lf__item_run *low, lf__item_run *high) {
    int64_t i = r->first, j = r->last;
    *low = *high = (lf__item_run){r->first, r->last, lf__bounds_empty(), lf__bounds_empty()};
    while (i < j) {
        if (is_below(&refs[i], r, choice)) {
            run_add(low, &refs[i++]);
        } else {
            lf__item_ref moved = refs[i];
            refs[i] = refs[--j];
            refs[j] = moved;
            run_add(high, &moved);
        }
    }
    low->last = high->first = i;
}

/// Cut a run in two. Deep down, and where all centres coincide, the items are halved as they lie: that keeps
/// the depth within bounds whatever the data.
static void bvh_split_cut(lf__item_ref *refs, lf__item_run *r, lf__item_run *other, int depth) {
    if (depth < LF__BVH_DEPTH / 2) {
        split_choice choice = choose_split(refs, r);
        lf__item_run low;
        if (choice.axis >= 0) {
            partition(refs, r, &choice, &low, other);
            if (low.last > low.first && other->last > other->first) {
                *r = low;
                return;
            }
        }
    }
    int64_t middle = r->first + (r->last - r->first) / 2;
    *other = lf__run_measure(refs, middle, r->last);
    *r = lf__run_measure(refs, r->first, middle);
}

/// Always cuts the largest run that is too long for a leaf. The new part stays behind the old one, so that
/// the runs keep the order of their refs.
int lf__run_spread(lf__item_ref *refs, lf__item_run *runs, int most, int leaf, int depth) {
    int count = 1;
    while (count < most) {
        int pick = -1;
        double largest = -1;
        for (int i = 0; i < count; i++) {
            double area = half_area(&runs[i].box);
            if (runs[i].last - runs[i].first > leaf && area > largest)
                pick = i, largest = area;
        }
        if (pick < 0)
            break;
        for (int i = count++; i > pick + 1; i--)
            runs[i] = runs[i - 1];
        bvh_split_cut(refs, &runs[pick], &runs[pick + 1], depth);
    }
    return count;
}

#undef BINS
#undef TWO_SETS
