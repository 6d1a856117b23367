// Rays over small grids and heights of them, against exact arithmetic.
#include "take.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes bytes = {data, data + size};
    nasty_grid nasty;
    grid_bench bench;
    grid_oracle oracle = {.name = "fuzz"};
    lf_hit looks[2];
    fuzz_grid_take(&nasty, &bytes);
    grid_bench_open(&bench, &nasty);
    for (int i = 0; i < 4 && (i == 0 || bytes.next < bytes.end); i++) {
        lf_ray ray = fuzz_ray(&bytes);
        grid_oracle_ray(&oracle, &bench, &ray);
        grid_oracle_height(&oracle, &bench, fuzz_vector(&bytes), looks);
    }
    FUZZ_HOLDS(oracle.wrong == 0);
    grid_bench_close(&bench);
    return 0;
}
