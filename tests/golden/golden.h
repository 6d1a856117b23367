/// Golden answers of the core: the same queries on every machine, compiler and build, compared with recorded answers.
///
/// Answers are recorded in groups. Most groups are made of + - x / sqrt and fma alone and must be the same bits everywhere: a
/// hash of them is recorded. Groups that pass through functions of the C library have a tolerance: their numbers are recorded.
/// Uses only public calls of the core, so that it can be compiled with the library in any form.
#ifndef LF_TESTS_GOLDEN_H
#define LF_TESTS_GOLDEN_H

#include <landfall/landfall.h>

/// Start a group.
/// tolerance  0: the same bits everywhere; otherwise numbers may differ by so much times max(1, |recorded|)
void golden_group(const char *name, double tolerance);

/// Add answers to the group.
void golden_real(double answer);
void golden_whole(int64_t answer);
void golden_vec3(lf_vec3 answer);
void golden_hit(const lf_hit *hit);
void golden_bytes(const uint8_t *bytes, int64_t count);
void golden_floats(const float *numbers, int64_t count);

/// End the program with a message unless a call succeeded.
void golden_ok(lf_status status, const char *what);

/// Random input: the same everywhere, without the C library.
typedef struct golden_random {
    uint64_t state;
} golden_random;
uint64_t golden_bits(golden_random *random);
/// A multiple of 2^-40 times (high - low) from low on.
double golden_between(golden_random *random, double low, double high);
lf_vec3 golden_point(golden_random *random, double low, double high);

/// Heights of rolling land, row by row; every 211th sample is a void when `voids`. Freed by the caller.
float *golden_heights(int64_t columns, int64_t rows, uint64_t seed, bool voids);
/// A grid of these, with a spacing that is no binary fraction.
lf_grid *golden_grid(int64_t side, lf_surface surface, lf_codec codec, bool voids);

/// The groups, by module.
void golden_numbers(void);
void golden_geometry(void);
void golden_grids(void);
void golden_views(void);
void golden_meshes(void);
void golden_models(void);
void golden_contacts(void);
void golden_scenes(void);
void golden_globes(void);
void golden_stores(const char *folder);

#endif
