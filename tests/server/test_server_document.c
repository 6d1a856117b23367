/// The reader of JSON bodies against Jansson: the same texts are accepted, with the same values.
#include "document.h"
#include "support.h"
#include "text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const document_limits wide = {1000, 1e6};

static bool same(const value *ours, const json_t *theirs);

static bool same_object(const value *ours, const json_t *theirs) {
    uint32_t members = 0;
    for (const value *at = ours + 1; at < value_end(ours); at = value_next(at + 1), members++)
        if (strlen(at->string) != at->count ||
            !same(value_member(ours, at->string), json_object_get(theirs, at->string)))
            return false;
    return members == ours->count && json_object_size(theirs) <= ours->count;
}

static bool same_array(const value *ours, const json_t *theirs) {
    size_t i = 0;
    for (const value *at = value_first(ours); at < value_end(ours); at = value_next(at))
        if (!same(at, json_array_get(theirs, i++)))
            return false;
    return i == ours->count && i == json_array_size(theirs);
}

static bool same(const value *ours, const json_t *theirs) {
    if (!ours || !theirs)
        return false;
    switch (ours->kind) {
    case VALUE_NULL:
        return json_is_null(theirs);
    case VALUE_FALSE:
        return json_is_false(theirs);
    case VALUE_TRUE:
        return json_is_true(theirs);
    case VALUE_NUMBER:
        return json_is_number(theirs) && json_number_value(theirs) == ours->number &&
               json_is_integer(theirs) == ours->whole;
    case VALUE_STRING:
        return json_is_string(theirs) && json_string_length(theirs) == ours->count &&
               memcmp(json_string_value(theirs), ours->string, ours->count + 1) == 0;
    case VALUE_ARRAY:
        return json_is_array(theirs) && same_array(ours, theirs);
    case VALUE_OBJECT:
        return json_is_object(theirs) && same_object(ours, theirs);
    }
    return false;
}

static void compare(const char *text, size_t size) {
    document document;
    document_error error;
    json_error_t their_error;
    char *copy = malloc(size ? size : 1); // of its own, so that reading past its end is seen
    assert_non_null(copy);
    memcpy(copy, text, size);
    document_status status = document_read(&document, copy, size, wide, &error);
    json_t *theirs = json_loadb(copy, size, 0, &their_error);
    // Whole numbers beyond 64 bits are numbers, which Jansson refuses.
    bool large = !theirs && json_error_code(&their_error) == json_error_numeric_overflow;
    if (memchr(copy, 0, size)) // Jansson skips one after a number
        assert_int_equal(status, DOCUMENT_BROKEN);
    else if ((status == DOCUMENT_FINE) != (theirs != NULL) && !large)
        fail_msg("%.*s: %s, Jansson: %s", (int)size, text, status ? error.text : "accepted",
                 theirs ? "accepted" : their_error.text);
    if (status == DOCUMENT_FINE && theirs && !same(document.values, theirs))
        fail_msg("%.*s: other values than Jansson's", (int)size, text);
    if (status == DOCUMENT_BROKEN)
        assert_true(error.line > 0 && error.text[0]);
    json_decref(theirs);
    document_free(&document);
    free(copy);
}

static void known_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "{}",
                                        "[]",
                                        " [ ] ",
                                        "[1]",
                                        "[1,]",
                                        "[,1]",
                                        "{,}",
                                        "{\"a\":1,}",
                                        "{\"a\" 1}",
                                        "{\"a\":}",
                                        "{a:1}",
                                        "[1 2]",
                                        "[[]",
                                        "[]]",
                                        "{]",
                                        "[}",
                                        "1",
                                        "\"a\"",
                                        "null",
                                        "[nul]",
                                        "[nulll]",
                                        "[true,false,null]",
                                        "[01]",
                                        "[-]",
                                        "[-0]",
                                        "[-0.0]",
                                        "[1.]",
                                        "[.5]",
                                        "[+1]",
                                        "[1e]",
                                        "[1e+]",
                                        "[1e5]",
                                        "[1E-5]",
                                        "[1e999]",
                                        "[-1e999]",
                                        "[1e-999]",
                                        "[0x1]",
                                        "[NaN]",
                                        "[Infinity]",
                                        "[99999999999999999999]",
                                        "[9007199254740993, 0.1, 46.12345678901234567]",
                                        "[\"\\u00e9\\n\\\"\\\\\\/\\b\\f\\r\\t\"]",
                                        "[\"\\u0000\"]",
                                        "[\"\\ud83d\\ude00\"]",
                                        "[\"\\ud83d\"]",
                                        "[\"\\ude00\"]",
                                        "[\"\\ud83d\\u0041\"]",
                                        "[\"\\ud83d\\ud83d\"]",
                                        "[\"\\x\"]",
                                        "[\"\\u12\"]",
                                        "[\"\\u12g4\"]",
                                        "[\"a",
                                        "[\"a\\",
                                        "[\"\\u",
                                        "[\"\t\"]",
                                        "[\"\xc3\xa9\"]",
                                        "[\"\xc3\"]",
                                        "[\"\xff\"]",
                                        "[\"\xed\xa0\x80\"]",
                                        "[\"\xf0\x9f\x98\x80\"]",
                                        "[\"\x7f\"]",
                                        "{\"a\":1,\"a\":2}",
                                        "{\"\":1}",
                                        "{\"a\":{\"b\":[1,{\"c\":[]}]},\"d\":[[],{}]}",
                                        "[1]\n\n",
                                        "[1] x",
                                        "\v[1]",
                                        "\xef\xbb\xbf[1]",
                                        "[1]\r\n\t "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        compare(texts[i], strlen(texts[i]));
    compare("[1]\0", 4);
    compare("[\"a\0b\"]", 7);
    compare("[1\0]", 4);
}

/// Texts that are made at random, then changed at a place or two.
static size_t make_text(test_random *random, char *text, size_t space, int depth) {
    static const char *const scalars[] = {"1",
                                          "-0.5",
                                          "46.1234567890123",
                                          "1e3",
                                          "true",
                                          "false",
                                          "null",
                                          "\"x\"",
                                          "\"\\u00e9\\\\\"",
                                          "\"\xc3\xa9\"",
                                          "12345678901234567890",
                                          "0"};
    int64_t kind = test_random_below(random, depth > 4 ? 2 : 5);
    if (kind < 2 && depth > 0)
        return (size_t)snprintf(text, space, "%s", scalars[test_random_below(random, 12)]);
    bool object = kind % 2 == 0;
    size_t count = 0;
    text[count++] = object ? '{' : '[';
    for (int64_t i = test_random_below(random, 5); i > 0 && count + 64 < space; i--) {
        if (object)
            count += (size_t)snprintf(text + count, space - count, "\"%c\":%s", (char)('a' + i % 3),
                                      i % 2 ? " " : "");
        count += make_text(random, text + count, (space - count) / 2, depth + 1);
        if (i > 1)
            text[count++] = ',';
    }
    text[count++] = object ? '}' : ']';
    return count;
}

static void random_texts(void **state) {
    (void)state;
    static const char bytes[] = "{}[]\",:\\u0123456789.-+eEntrfal \n\x80\xc3\x01";
    test_random random = test_random_start(1);
    int64_t cases = test_long() ? 2000000 : 30000;
    for (int64_t i = 0; i < cases; i++) {
        char text[4096];
        size_t size = make_text(&random, text, sizeof text, 0);
        for (int64_t k = i % 4; k > 0; k--)
            text[test_random_below(&random, (int64_t)size)] = bytes[test_random_below(&random, sizeof bytes)];
        compare(text, i % 16 == 5 ? (size_t)test_random_below(&random, (int64_t)size) : size);
    }
}

static void limits(void **state) {
    (void)state;
    document document;
    document_error error;
    assert_int_equal(document_read(&document, "[[[1]]]", 7, (document_limits){3, 10}, &error), DOCUMENT_FINE);
    document_free(&document);
    assert_int_equal(document_read(&document, "[[[1]]]", 7, (document_limits){2, 10}, &error), DOCUMENT_DEEP);
    assert_int_equal(document_read(&document, "[[],[],[]]", 10, (document_limits){2, 10}, &error),
                     DOCUMENT_FINE);
    document_free(&document);
    assert_int_equal(document_read(&document, "[1,2,3,4]", 9, (document_limits){2, 3}, &error),
                     DOCUMENT_LONG);
    assert_int_equal(document_read(&document, "[1,\n2,\n;]", 9, wide, &error), DOCUMENT_BROKEN);
    assert_int_equal(error.line, 3);
    assert_string_equal(error.text, "expected a value, found ;");
}

static void without_memory(void **state) {
    (void)state;
    char text[1024] = "[";
    for (int i = 0; i < 200; i++)
        strcat(text, "[1],");
    strcat(text, "0]");
    for (int64_t after = 0; after < 100; after++) {
        document document;
        document_error error;
        memory_fail_after(after);
        document_status status = document_read(&document, text, strlen(text), wide, &error);
        memory_fail_after(-1);
        if (status == DOCUMENT_FINE) {
            document_free(&document);
            assert_true(after > 1);
            return;
        }
        assert_int_equal(status, DOCUMENT_NO_MEMORY);
    }
    fail_msg("never enough");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_texts), cmocka_unit_test(random_texts),
                                       cmocka_unit_test(limits), cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
