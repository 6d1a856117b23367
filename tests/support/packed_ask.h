/// The same question to a compressed ground and to a plain one of what it decodes to: one answer, bit for bit, or the test fails.
#ifndef LF_TESTS_PACKED_ASK_H
#define LF_TESTS_PACKED_ASK_H

#include "support.h"
#include <landfall/ground.h>

typedef struct packed_twins {
    const lf_ground *packed, *plain;
    lf_cursor *cursor; ///< for the compressed one, which is asked with it and without
} packed_twins;

/// First, any and all hits.
void packed_ask_ray(const packed_twins *twins, const lf_ray *ray);

/// Looking down and up, with weights, singly and as a batch.
void packed_ask_height(const packed_twins *twins, lf_vec3 point);

/// A sight line with its details, and the bare verdict.
void packed_ask_sight(const packed_twins *twins, lf_vec3 from, lf_vec3 to);

#endif
