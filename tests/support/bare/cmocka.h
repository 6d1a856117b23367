/// The calls of cmocka that kernel tests use, for other machines, for which there is no cmocka (tools/platforms). The first
/// failure ends the program.
#ifndef LF_TESTS_BARE_CMOCKA_H
#define LF_TESTS_BARE_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
};

#define cmocka_unit_test(test) \
    { #test, test }
#define cmocka_run_group_tests(tests, setup, teardown) bare_run(tests, (int)(sizeof(tests) / sizeof *(tests)))

#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cmocka_run_group_tests(tests, setup, teardown)

#define BARE_ASSERT(holds, text)                                                    \
    do {                                                                            \
        if (!(holds)) {                                                             \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, text); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), exit(1))
#define assert_true(x) BARE_ASSERT(x, #x)
#define assert_false(x) BARE_ASSERT(!(x), "!(" #x ")")
#define assert_null(x) BARE_ASSERT((x) == NULL, #x " == NULL")
#define assert_non_null(x) BARE_ASSERT((x) != NULL, #x " != NULL")
#define assert_int_equal(a, b) BARE_ASSERT((long long)(a) == (long long)(b), #a " == " #b)
#define assert_memory_equal(a, b, size) BARE_ASSERT(memcmp(a, b, size) == 0, #a " == " #b)
#define assert_string_equal(a, b) BARE_ASSERT(strcmp(a, b) == 0, #a " == " #b)

static inline int bare_run(const struct CMUnitTest *tests, int count) {
    for (int i = 0; i < count; i++) {
        tests[i].test(NULL);
        printf("%s: passed\n", tests[i].name);
    }
    return 0;
}

#endif
