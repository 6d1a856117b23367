#include "base/base.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static void every_status_has_name_and_text(void **state) {
    (void)state;
    assert_string_equal(lf_status_name(LF_OK), "LF_OK");
    assert_string_equal(lf_status_name(LF_CANCELLED), "LF_CANCELLED");
    assert_string_equal(lf_status_name((lf_status)-99), "LF_?");
    assert_string_equal(lf_status_text(LF_NO_MEMORY), "out of memory");
    assert_string_equal(lf_status_text((lf_status)-99), "not a status");
    assert_string_equal(lf_reason_name(LF_REASON_HOLE), "hole");
    assert_string_equal(lf_reason_name((lf_reason)99), "?");
    assert_string_equal(lf_version(), "0.2.0");
}

static void isa_is_held_down_by_the_environment(void **state) {
    (void)state;
    unsetenv("LANDFALL_ISA");
    lf_isa best = lf_isa_best();
    setenv("LANDFALL_ISA", "scalar", 1);
    assert_int_equal(lf_isa_best(), LF_ISA_SCALAR);
    setenv("LANDFALL_ISA", "nonsense", 1);
    assert_int_equal(lf_isa_best(), LF_ISA_SCALAR);
    setenv("LANDFALL_ISA", "avx512", 1);
    assert_int_equal(lf_isa_best(), best);
    unsetenv("LANDFALL_ISA");
    assert_string_equal(lf_isa_name(LF_ISA_AVX2), "avx2");
    assert_string_equal(lf_isa_name((lf_isa)9), "?");
}

static void a_def_of_another_size(void **state) {
    (void)state;
    struct {
        size_t size;
        int a, b;
    } full = {sizeof full, 1, 2}, given = {offsetof(lf_error, text), 7, 8};
    lf_error error;
    given.size = sizeof(size_t) + sizeof(int);
    assert_int_equal(lf__def_read(&full, sizeof full, &given, &error), LF_OK);
    assert_int_equal(full.a, 7);
    assert_int_equal(full.b, 2);
    assert_int_equal(full.size, sizeof full);
    given.size = sizeof full + 1;
    assert_int_equal(lf__def_read(&full, sizeof full, &given, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf__def_read(&full, sizeof full, NULL, &error), LF_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_name_and_text),
        cmocka_unit_test(isa_is_held_down_by_the_environment),
        cmocka_unit_test(a_def_of_another_size),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
