/// Many pairs of boxes.
#include "base/base.h"
#include "contact/contact.h"

/// A batch and how it is answered.
typedef struct work {
    const lf_contact_batch *batch;
    const lf__contact_kernels *kernels;
} work;

static void meet_share(void *job, int64_t first, int64_t last, int worker) {
    const work *w = job;
    (void)worker;
    w->kernels->many(w->batch, first, last);
}

/// Pairs before the first one that is wrong.
static int64_t count_usable(const lf_contact_batch *batch) {
    int64_t good = 0;
    while (good < batch->count && lf__contact_pair_usable(lf__moving_at(batch->a, batch->a_stride, good),
                                                          lf__moving_at(batch->b, batch->b_stride, good)))
        good++;
    return good;
}

lf_status lf_contact_boxes_many(const lf_contact_batch *batch, int64_t *wrong) {
    if (wrong)
        *wrong = -1;
    if (!batch || batch->count < 0 || !(batch->ahead >= 0) ||
        (batch->count > 0 && (!batch->a || !batch->b || !batch->meetings)))
        return LF_BAD_ARGUMENT;
    work w = {batch, lf__contact_kernels_for(lf_isa_best())};
    int64_t good;
    if (batch->tasks) { // nobody writes beyond the first wrong one
        good = count_usable(batch);
        lf__run(batch->tasks, good, 256, meet_share, &w);
    } else {
        good = w.kernels->many(batch, 0, batch->count);
    }
    if (good == batch->count)
        return LF_OK;
    if (wrong)
        *wrong = good;
    return LF_BAD_ARGUMENT;
}
