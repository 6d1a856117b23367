/// A compressed grid beside a plain one of the heights that it decodes to: whatever is asked of both has the same answer, bit for bit.
#ifndef LF_TESTS_PACKED_PAIR_H
#define LF_TESTS_PACKED_PAIR_H

#include "nasty_grid.h"
#include <landfall/ground.h>

/// A compressed grid and a plain one of what it holds.
typedef struct packed_pair {
    nasty_grid nasty;
    lf_grid *packed, *plain;
    const lf_ground *packed_ground, *plain_ground;
    lf_cursor *cursor;
    double *heights; ///< decoded
} packed_pair;

/// A grid of any relief, surface, codec and error, by the round's number; what it decodes to has been compared with what it was made of.
void packed_pair_make(packed_pair *p, int64_t round, test_random *random);
void packed_pair_free(packed_pair *p);

#endif
