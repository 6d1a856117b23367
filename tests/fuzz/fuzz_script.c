/// Scripts of any bytes: read, run for a few steps, and released. They fail with a message that names them, or they run;
/// nothing is left behind, and no limit is overrun: of memory, of output, of charged work, and of processor time.
#include "fuzz.h"
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEMORY ((size_t)4 << 20)
#define OUTPUT 4096
#define INSTRUCTIONS 200000
#define OVERRUN \
    4000000 ///< instructions of the largest piece of work that is charged when it is done, with so much memory
#define TIME_LIMIT 1.0 ///< seconds by the clock, for each call
#define CALL_SECONDS \
    4.0 ///< of processor time that a call may take: the time limit, and a piece of work that cannot be ended

static void count_output(void *user, const char *text) {
    *(size_t *)user += strlen(text) + 1;
}

/// A call that began at `start` is over.
static void check_call(const lf_script *script, clock_t start, int64_t before, size_t *said) {
    FUZZ_HOLDS((double)(clock() - start) / CLOCKS_PER_SEC < CALL_SECONDS);
    FUZZ_HOLDS(*said <= OUTPUT);
    *said = 0;
    if (!script)
        return;
    lf_script_stats stats = lf_script_describe(script);
    FUZZ_HOLDS(stats.peak <= MEMORY);
    FUZZ_HOLDS(stats.instructions - before <= INSTRUCTIONS + OVERRUN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    size_t said = 0;
    def.name = "fuzz.lua";
    def.text = size > 0 ? (const char *)data : "";
    def.length = size;
    def.instructions = INSTRUCTIONS;
    def.memory = MEMORY;
    def.output = OUTPUT;
    def.time_limit = TIME_LIMIT;
    def.say = count_output;
    def.user = &said;
    clock_t start = clock();
    lf_status status = lf_script_create(&def, &script, &error);
    FUZZ_HOLDS(status == LF_OK || script == NULL);
    check_call(script, start, 0, &said);
    for (int i = 0; i < 4 && status == LF_OK; i++) {
        int64_t before = lf_script_describe(script).instructions;
        start = clock();
        status = lf_script_step(script, 0.25, &error);
        check_call(script, start, before, &said);
    }
    FUZZ_HOLDS(status <= LF_OK);
    FUZZ_HOLDS(status == LF_OK || error.text[0] != '\0');
    lf_script_destroy(script);
    return 0;
}
