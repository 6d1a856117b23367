/// Tables of the command: one table of fields gives text, JSON and CSV with the same names; options and rules only refer to options and
/// arguments that there are.
#include "answer.h"
#include "support.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 4096, FOUND = 1, LOST = 2 };

typedef struct item {
    const char *name;
    int64_t count;
} item;

typedef struct answer {
    unsigned has;
    double distance, missing;
    int64_t count;
    int level;
    bool hole;
    const char *name, *nothing;
    byte_span rest;
    lf_vec2 pair;
    lf_vec3 point;
    number_span numbers;
    field_span items, points;
} answer;

#define AT(name, type, member, forms, when) \
    { name, type, offsetof(answer, member), "m", forms, when, 0, 0, NULL, 0, FIELD_NUMBER }
#define END \
    { NULL, FIELD_NAME, 0, NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER }

static const field item_fields[] = {
    {"name", FIELD_TEXT, offsetof(item, name), NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER},
    {"count", FIELD_INTEGER, offsetof(item, count), NULL, 0, 0, 0, 0, NULL, 0, FIELD_NUMBER},
    END};

static const field group_fields[] = {AT("distance", FIELD_NUMBER, distance, 0, 0),
                                     AT("missing", FIELD_NUMBER, missing, 0, 0), END};

static const field fields[] = {{"group", FIELD_GROUP, 0, NULL, 0, 0, 0, 0, group_fields, 0, FIELD_NUMBER},
                               AT("lost", FIELD_TEXT, name, 0, LOST),
                               AT("count", FIELD_INTEGER, count, LABELLED, FOUND),
                               AT("level", FIELD_INT, level, 0, 0),
                               AT("hole", FIELD_TRUTH, hole, 0, 0),
                               AT("name", FIELD_TEXT, name, 0, 0),
                               AT("nothing", FIELD_TEXT, nothing, 0, 0),
                               AT("pair", FIELD_PAIR, pair, 0, 0),
                               AT("point", FIELD_VECTOR, point, IN_JSON | IN_CSV, 0),
                               AT("-", FIELD_NAME, point, 0, FOUND),
                               AT("numbers", FIELD_NUMBERS, numbers, IN_TEXT | IN_JSON, 0),
                               {"items", FIELD_LIST, offsetof(answer, items), NULL, IN_TEXT | IN_JSON, 0, 0,
                                0, item_fields, sizeof(item), FIELD_NUMBER},
                               AT("rest", FIELD_BYTES, rest, IN_TEXT | IN_JSON, 0),
                               END};

static const item two_items[] = {{"a", 3}, {"b, c", 4}};
static const double two_numbers[] = {7, -0.5};
static const answer known = {FOUND,
                             1.5,
                             0.0 / 0.0,
                             12,
                             3,
                             true,
                             "gate, \"west\"",
                             NULL,
                             {"more", 4},
                             {1, 2},
                             {3, 4, 5},
                             {two_numbers, 2},
                             {two_items, 2},
                             {NULL, 0}};

/// What a writer writes, as text.
static void written(void (*write)(output *out), char text[CAPACITY]) {
    FILE *file = tmpfile();
    output out;
    assert_non_null(file);
    assert_true(output_open(&out, dup(fileno(file))));
    write(&out);
    assert_true(output_close(&out));
    rewind(file);
    text[fread(text, 1, CAPACITY - 1, file)] = '\0';
    fclose(file);
}

static void write_line(output *out) {
    answer_line(out, fields, &known);
}

static void write_facts(output *out) {
    answer_facts(out, fields, &known, 8);
}

static void write_json(output *out) {
    answer_json(out, fields, &known, false);
}

static void write_csv(output *out) {
    answer_csv(out, fields + 2, (const answer[]){known, known}, 2, sizeof known);
}

static void one_table_gives_text_json_and_csv(void **state) {
    (void)state;
    char text[CAPACITY];
    written(write_line, text);
    assert_string_equal(text, "1.5 - count 12 3 hole gate, \"west\" none 1 2 - 7 -0.5 a 3 b, c 4 more\n");
    written(write_facts, text);
    assert_string_equal(
        text, "distance 1.5\nmissing -\ncount   12\nlevel   3\nhole    true\nname    gate, \"west\"\n"
              "nothing none\npair    1 2 m\n-       -\nnumbers 7 -0.5 m\nitems   a 3\nitems   b, c 4\n"
              "rest    more\n");
    written(write_json, text);
    assert_string_equal(
        text,
        "{\"group\": {\"distance\": 1.5, \"missing\": null}, \"count\": 12, \"level\": 3, \"hole\": true, "
        "\"name\": \"gate, \\\"west\\\"\", \"nothing\": null, \"pair\": [1, 2], \"point\": [3, 4, 5], "
        "\"numbers\": [7, -0.5], \"items\": [{\"name\": \"a\", \"count\": 3}, "
        "{\"name\": \"b, c\", \"count\": 4}], \"rest\": \"more\"}\n");
    written(write_csv, text);
    assert_string_equal(text,
                        "count,level,hole,name,nothing,x,y,x,y,z\n12,3,1,\"gate, \"\"west\"\"\",,1,2,3,4,5\n"
                        "12,3,1,\"gate, \"\"west\"\"\",,1,2,3,4,5\n");
}

/// Items that have no table are lines of their own, before or behind the line of the others.
static void write_points(output *out) {
    static const lf_vec3 points[] = {{1, 2, 3}, {4, 5, 6}};
    const answer path = {.level = 9, .points = {points, 2}};
    const field list = {"points", FIELD_LIST,  offsetof(answer, points), NULL, 0, 0, 0, 0, NULL,
                        0,        FIELD_VECTOR};
    const field before[] = {list, AT("level", FIELD_INT, level, 0, 0), END};
    const field behind[] = {AT("level", FIELD_INT, level, 0, 0), list, AT("lost", FIELD_TEXT, name, 0, LOST),
                            END};
    answer_line(out, before, &path);
    answer_line(out, behind, &path);
}

static void lists_without_a_table_take_lines(void **state) {
    (void)state;
    char text[CAPACITY];
    written(write_points, text);
    assert_string_equal(text, "1 2 3\n4 5 6\n9\n9\n1 2 3\n4 5 6\n");
}

// ---------------------------------------------------------------------------------------------------
// Options
// ---------------------------------------------------------------------------------------------------

static bool is_known(const command *command, const char *name, size_t length) {
    for (const option *const *group = command->groups; *group; group++)
        for (const option *o = *group; o->name; o++)
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
                return true;
    const char *argument = strstr(command->arguments, "[-]") ? "-" : "";
    if (length == 1 && name[0] == argument[0])
        return true;
    return length > 0 && isupper((unsigned char)name[0]) && strstr(command->arguments, "GROUND") != NULL
               ? strncmp(name, "GROUND", length) == 0
               : length == 4 && strncmp(name, "KIND", 4) == 0;
}

/// Every term of a list names an option or argument of the command.
static void check_terms(const command *command, const char *terms) {
    for (const char *term = terms; term && *term;) {
        term += *term == '!';
        size_t length = strcspn(term, "=#| ");
        if (!is_known(command, term, length))
            fail_msg("landfall %s: a rule names %s, which is no option", command->name, term);
        term += strcspn(term, "| ");
        term += *term != '\0';
    }
}

static void check_command(const command *command) {
    for (const option *const *group = command->groups; *group; group++)
        for (const option *o = *group; o->name; o++) {
            check_terms(command, o->needs);
            check_terms(command, o->excludes);
            assert_non_null(o->help);
            assert_true(o->value ||
                        (o->least == 0 && !o->names && !o->endings && !o->check && o->role == FILE_NONE));
            assert_true(o->low <= o->high && o->most <= ROW_NUMBERS && (o->most == 0 || o->least <= o->most));
            assert_true(!o->names || o->names[0] == '|');
            assert_true(!o->endings || (o->endings[0] == '|' && o->role == FILE_WRITTEN));
        }
    for (const rule *rule = command->rules; rule && rule->subject; rule++) {
        check_terms(command, rule->subject);
        check_terms(command, rule->when);
        check_terms(command, rule->needs);
        check_terms(command, rule->excludes);
        int effects =
            (rule->needs != NULL) + (rule->excludes != NULL) + (rule->refuse != NULL) + (rule->value != NULL);
        assert_int_equal(effects, 1);
    }
}

static void rules_name_options_that_there_are(void **state) {
    (void)state;
    for (const command *command = commands; command->name; command++) {
        check_command(command);
        if (command->other)
            check_command(command->other);
    }
}

/// No two options of a command have the same name or letter.
static void options_have_one_name(void **state) {
    (void)state;
    for (const command *command = commands; command->name; command++) {
        const option *all[128];
        int count = 0;
        for (const option *const *group = command->groups; *group; group++)
            for (const option *o = *group; o->name; o++) {
                for (int i = 0; i < count; i++) {
                    if (strcmp(all[i]->name, o->name) == 0 || (o->letter && all[i]->letter == o->letter))
                        fail_msg("landfall %s has two options --%s", command->name, o->name);
                }
                assert_true(count < 128);
                all[count++] = o;
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_table_gives_text_json_and_csv),
                                       cmocka_unit_test(lists_without_a_table_take_lines),
                                       cmocka_unit_test(rules_name_options_that_there_are),
                                       cmocka_unit_test(options_have_one_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
