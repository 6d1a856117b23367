#include <landfall/base.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"scalar", "avx2", "avx512"};

static lf_isa machine_isa(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
            return LF_ISA_AVX512;
        return LF_ISA_AVX2;
    }
#endif
    return LF_ISA_SCALAR;
}

const char *lf_isa_name(lf_isa isa) {
    return isa >= LF_ISA_SCALAR && isa <= LF_ISA_AVX512 ? names[isa] : "?";
}

lf_isa lf_isa_best(void) {
    lf_isa best = machine_isa();
    const char *word = getenv("LANDFALL_ISA");
    if (!word || !*word)
        return best;
    for (int isa = LF_ISA_AVX512; isa > LF_ISA_SCALAR; isa--)
        if (strcmp(word, names[isa]) == 0)
            return (int)best < isa ? best : (lf_isa)isa;
    return LF_ISA_SCALAR;
}
