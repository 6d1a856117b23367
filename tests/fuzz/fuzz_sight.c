// Lines of sight over small grids, flat and bent, against exact arithmetic.
#include "sight_oracle.h"
#include "take.h"
#include <stdio.h>
#include <stdlib.h>

static lf_sight_rules take_rules(fuzz_bytes *bytes) {
    static const double bends[4] = {LF_CURVATURE_FLAT, LF_CURVATURE_LIGHT, LF_CURVATURE_RADIO, -1};
    static const double radii[4] = {6371008.8, 64, 1000, 1};
    lf_sight_rules rules = lf_sight_rules_default();
    rules.curvature.coefficient = bends[fuzz_below(bytes, 4)];
    rules.curvature.radius = radii[fuzz_below(bytes, 4)];
    rules.voids = (lf_void_policy)fuzz_below(bytes, 3);
    rules.frequency_mhz = fuzz_below(bytes, 2) ? 300 : 0;
    rules.detail = true;
    return rules;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes bytes = {data, data + size};
    nasty_grid nasty;
    grid_bench bench;
    grid_oracle oracle = {.name = "fuzz"};
    fuzz_grid_take(&nasty, &bytes);
    grid_bench_open(&bench, &nasty);
    for (int i = 0; i < 3 && (i == 0 || bytes.next < bytes.end); i++) {
        nasty_sight asked = {.kind = NASTY_SIGHT_POSTS, .rules = take_rules(&bytes)};
        asked.a = fuzz_vector(&bytes);
        asked.b = fuzz_vector(&bytes);
        sight_oracle_line(&oracle, &bench, &asked);
    }
    FUZZ_HOLDS(oracle.wrong == 0);
    grid_bench_close(&bench);
    return 0;
}
