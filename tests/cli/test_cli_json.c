/// JSON of the command, read by Jansson: whatever bytes and numbers go in, a valid document comes out. One table of fields gives text, JSON
/// and CSV.
#include "answer.h"
#include "support.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Run a writer on an output that goes to a file, and load what it wrote.
static json_t *load(void (*write)(output *out, void *user), void *user) {
    FILE *file = tmpfile();
    assert_non_null(file);
    output out;
    assert_true(output_open(&out, dup(fileno(file))));
    write(&out, user);
    assert_true(output_close(&out));
    rewind(file);
    json_error_t error;
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        print_message("%s\n", error.text);
    fclose(file);
    assert_non_null(document);
    return document;
}

typedef struct bytes {
    char text[64];
    size_t length;
} bytes;

#define END \
    { NULL, FIELD_NAME, 0, NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER }

static void write_bytes(output *out, void *user) {
    static const field fields[] = {{"text", FIELD_BYTES, 0, NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER}, END};
    const bytes *given = user;
    byte_span span = {given->text, given->length};
    answer_json(out, fields, &span, false);
}

static void any_bytes_make_a_string(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    for (int i = 0; i < 2000; i++) {
        bytes given = {.length = (size_t)test_random_below(&random, 60)};
        for (size_t k = 0; k < given.length; k++) // no NUL: Jansson takes those only when told to
            given.text[k] = (char)(1 + test_random_below(&random, 255));
        json_decref(load(write_bytes, &given));
    }
}

static void good_text_is_kept(void **state) {
    (void)state;
    static const char *const texts[] = {"plain",
                                        "a \"quoted\" \\ word",
                                        "tab\tline\n\x01\x7f",
                                        "\xc3\xa9t\xc3\xa9",
                                        "\xe2\x82\xac \xf0\x9f\x8f\x94",
                                        "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bytes given = {.length = strlen(texts[i])};
        memcpy(given.text, texts[i], given.length);
        json_t *document = load(write_bytes, &given);
        assert_string_equal(json_string_value(json_object_get(document, "text")), texts[i]);
        json_decref(document);
    }
}

static void bad_text_is_replaced(void **state) {
    (void)state;
    static const char *const texts[] = {"\xff",    "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                        "\xe2\x82"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bytes given = {.length = strlen(texts[i])};
        memcpy(given.text, texts[i], given.length);
        json_t *document = load(write_bytes, &given);
        assert_memory_equal(json_string_value(json_object_get(document, "text")), "\xef\xbf\xbd", 3);
        json_decref(document);
    }
}

typedef struct item {
    int64_t i;
    lf_vec3 v;
} item;

typedef struct nested {
    field_span empty, list;
    bool yes;
    const char *nothing;
    double number;
} nested;

#define AT(type_of, name, type, member) \
    { name, type, offsetof(type_of, member), NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER }

static void write_nested(output *out, void *user) {
    static const field items[] = {AT(item, "i", FIELD_INTEGER, i), AT(item, "v", FIELD_VECTOR, v), END};
    static const field fields[] = {
        {"empty", FIELD_LIST, offsetof(nested, empty), NULL, 0, 0, 0, 0, items, sizeof(item), FIELD_NUMBER},
        {"list", FIELD_LIST, offsetof(nested, list), NULL, 0, 0, 0, 0, items, sizeof(item), FIELD_NUMBER},
        AT(nested, "yes", FIELD_TRUTH, yes),
        AT(nested, "nothing", FIELD_TEXT, nothing),
        AT(nested, "number", FIELD_NUMBER, number),
        END};
    static const item list[] = {{0, {0.1, -2, 1e300}}, {1, {0.1, -2, 1e300}}, {2, {0.1, -2, 1e300}}};
    const nested answer = {{NULL, 0}, {list, 3}, true, NULL, -0.1};
    answer_json(out, fields, &answer, *(bool *)user);
}

static void structure_is_kept(void **state) {
    (void)state;
    for (int indented = 0; indented < 2; indented++) {
        bool flag = indented != 0;
        json_t *document = load(write_nested, &flag);
        json_t *list = json_object_get(document, "list");
        assert_int_equal(json_array_size(list), 3);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 2), "i")), 2);
        json_t *vector = json_object_get(json_array_get(list, 0), "v");
        assert_true(json_real_value(json_array_get(vector, 2)) == 1e300);
        assert_int_equal(json_array_size(json_object_get(document, "empty")), 0);
        assert_true(json_is_true(json_object_get(document, "yes")));
        assert_true(json_is_null(json_object_get(document, "nothing")));
        assert_true(json_real_value(json_object_get(document, "number")) == -0.1);
        json_decref(document);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_make_a_string), cmocka_unit_test(good_text_is_kept),
        cmocka_unit_test(bad_text_is_replaced), cmocka_unit_test(structure_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
