/// Scripts of any bytes: read, run for a few steps, and given back. They fail with a message that names them, or they run;
/// nothing is left behind, and neither budget is overrun.
#include "fuzz.h"
#include <landfall/script.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    lf_error error = {LF_OK, -1, ""};
    def.name = "fuzz.lua";
    def.text = size > 0 ? (const char *)data : "";
    def.length = size;
    def.instructions = 200000;
    def.memory = MEMORY;
    lf_status status = lf_script_create(&def, &script, &error);
    FUZZ_HOLDS(status == LF_OK || script == NULL);
    for (int i = 0; i < 4 && status == LF_OK; i++) {
        status = lf_script_step(script, 0.25, &error);
        FUZZ_HOLDS(lf_script_describe(script).peak <= MEMORY);
    }
    FUZZ_HOLDS(status <= LF_OK);
    FUZZ_HOLDS(status == LF_OK || error.text[0] != '\0');
    lf_script_destroy(script);
    return 0;
}
