/// Status texts, instruction sets, mapped files and checksums.
#include "base/base.h"
#include "base/system.h"
#include <stdlib.h>
#include <string.h>

#define LF__TEXT_OF(number) #number
#define LF__TEXT(number) LF__TEXT_OF(number)

const char *lf_version(void) {
    return LF__TEXT(LF_VERSION_MAJOR) "." LF__TEXT(LF_VERSION_MINOR) "." LF__TEXT(LF_VERSION_PATCH);
}

const char *lf_status_name(lf_status status) {
    switch (status) {
#define STATUS_NAME(name, value, text) \
    case name:                         \
        return #name;
        LF_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    }
    return "LF_?";
}

const char *lf_status_text(lf_status status) {
    switch (status) {
#define STATUS_TEXT(name, value, text) \
    case name:                         \
        return text;
        LF_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "not a status";
}

LF__ENUM_NAME(lf_reason_name, lf_reason, LF_REASON_LIST, LF_NAME_CASE_3)

// ---------------------------------------------------------------------------------------------------
// Instruction sets
// ---------------------------------------------------------------------------------------------------

static const char *const isa_names[] = {"scalar", "avx2", "avx512"};

static lf_isa machine_isa(void) {
#if LF__X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
            return LF_ISA_AVX512;
        return LF_ISA_AVX2;
    }
    return LF_ISA_SCALAR;
#else
    return LF__SIMD ? LF_ISA_AVX2 : LF_ISA_SCALAR; // kernels of AVX2, by other vectors
#endif
}

const char *lf_isa_name(lf_isa isa) {
    return isa >= LF_ISA_SCALAR && isa <= LF_ISA_AVX512 ? isa_names[isa] : "?";
}

lf_isa lf_isa_best(void) {
    lf_isa best = machine_isa();
    const char *name = getenv("LANDFALL_ISA");
    if (!name || !*name)
        return best;
    for (int isa = LF_ISA_AVX512; isa > LF_ISA_SCALAR; isa--)
        if (strcmp(name, isa_names[isa]) == 0)
            return (int)best < isa ? best : (lf_isa)isa;
    return LF_ISA_SCALAR;
}

// ---------------------------------------------------------------------------------------------------
// Mapped files
// ---------------------------------------------------------------------------------------------------

lf_status lf_map_open(const char *path, lf_map *map, lf_error *error) {
    if (!path || !map)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or map is NULL");
    return lf__view_open(path, map, error);
}

void lf_map_close(lf_map *map) {
    if (!map)
        return;
    if (map->data)
        lf__view_close(map);
    map->data = NULL;
    map->size = 0;
}

// ---------------------------------------------------------------------------------------------------
// Checksums
// ---------------------------------------------------------------------------------------------------

#define XXH_PRIME_1 UINT64_C(11400714785074694791)
#define XXH_PRIME_2 UINT64_C(14029467366897019727)
#define XXH_PRIME_3 UINT64_C(1609587929392839161)
#define XXH_PRIME_4 UINT64_C(9650029242287828579)
#define XXH_PRIME_5 UINT64_C(2870177450012600261)

static inline uint64_t xxh_rotate(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

static inline uint64_t xxh_load64(const uint8_t *at) {
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

static inline uint64_t xxh_mix(uint64_t lane, uint64_t input) {
    return xxh_rotate(lane + input * XXH_PRIME_2, 31) * XXH_PRIME_1;
}

/// Stripes of 32 bytes in four independent lanes.
static uint64_t xxh_sum_stripes(const uint8_t *at, size_t stripes, uint64_t seed) {
    uint64_t lanes[4] = {seed + XXH_PRIME_1 + XXH_PRIME_2, seed + XXH_PRIME_2, seed, seed - XXH_PRIME_1};
    for (size_t k = 0; k < stripes; k++, at += 32)
        for (int lane = 0; lane < 4; lane++)
            lanes[lane] = xxh_mix(lanes[lane], xxh_load64(at + 8 * lane));
    uint64_t sum = xxh_rotate(lanes[0], 1) + xxh_rotate(lanes[1], 7) + xxh_rotate(lanes[2], 12) +
                   xxh_rotate(lanes[3], 18);
    for (int lane = 0; lane < 4; lane++)
        sum = (sum ^ xxh_mix(0, lanes[lane])) * XXH_PRIME_1 + XXH_PRIME_4;
    return sum;
}

uint64_t lf__xxh64(const void *data, size_t bytes, uint64_t seed) {
    const uint8_t *at = data;
    size_t left = bytes % 32;
    uint64_t sum =
        (bytes >= 32 ? xxh_sum_stripes(at, bytes / 32, seed) : seed + XXH_PRIME_5) + (uint64_t)bytes;
    at = at ? at + (bytes - left) : at;
    for (; left >= 8; left -= 8, at += 8)
        sum = xxh_rotate(sum ^ xxh_mix(0, xxh_load64(at)), 27) * XXH_PRIME_1 + XXH_PRIME_4;
    if (left >= 4) {
        uint32_t x;
        memcpy(&x, at, sizeof x);
        sum = xxh_rotate(sum ^ x * XXH_PRIME_1, 23) * XXH_PRIME_2 + XXH_PRIME_3;
        left -= 4, at += 4;
    }
    for (; left > 0; left--, at++)
        sum = xxh_rotate(sum ^ *at * XXH_PRIME_5, 11) * XXH_PRIME_1;
    sum = (sum ^ sum >> 33) * XXH_PRIME_2;
    sum = (sum ^ sum >> 29) * XXH_PRIME_3;
    return sum ^ sum >> 32;
}
