/// Every subcommand, with every kind of ground and every kind of output: it works and the answers are the same for the same hill in another
/// file, or it is refused with status 2, a message that names the kind, and nothing written.
#include "child.h"
#include "cli.h"
#include "files.h"
#include "matrix_data.h"
#include "matrix_table.h"
#include "support.h"
#include <dirent.h>
#include <landfall/io.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------
// One cell
// ---------------------------------------------------------------------------------------------------

/// What a run gave: its status, what it printed, and the file that it wrote.
typedef struct answer {
    bool asked;
    int status;
    char printed[4096];
    char *file; ///< or NULL
    size_t size;
} answer;

static answer answers[KINDS];

/// A table of hundreds of cells is mended faster when all that is wrong is shown.
static int faults;
#define wrong(...) (faults++, print_error(__VA_ARGS__), print_error("\n"))

static int kind_named(const char *words) {
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].words, words) == 0)
            return k;
    fail_msg("there is no kind %s", words);
    return -1;
}

static void put(char *text, size_t space, const char *from, size_t length) {
    size_t used = strlen(text);
    assert_true(used + length + 1 < space);
    memcpy(text + used, from, length);
    text[used + length] = '\0';
}

/// One {slot}; returns how long it is in the row.
static size_t put_slot(const row *r, const kind *k, const char *at, char *words, size_t space) {
    char file[64];
    snprintf(file, sizeof file, "out/o%s", r->ending ? r->ending : "");
    const struct {
        const char *name, *value;
        size_t length;
    } known[] = {{"{g}", k->words, r->plain ? strcspn(k->words, " ") : strlen(k->words)},
                 {"{a}", k->a, strlen(k->a)},
                 {"{b}", k->b, strlen(k->b)},
                 {"{p}", k->points, strlen(k->points)},
                 {"{gdal}", k->gdal, strlen(k->gdal)},
                 {"{o}", file, strlen(file)}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(at, known[i].name, strlen(known[i].name)) == 0) {
            put(words, space, known[i].value, known[i].length);
            return strlen(known[i].name);
        }
    return 0;
}

static void spell(const row *r, const kind *k, char *words, size_t space) {
    words[0] = '\0';
    for (const char *at = r->words; *at;) {
        size_t skip = *at == '{' ? put_slot(r, k, at, words, space) : 0;
        if (skip == 0)
            put(words, space, at, 1);
        at += skip ? skip : 1;
    }
}

static const char *refusal_of(const row *r, const kind *k) {
    const char *own = r->refused[k->class];
    if (k->class == TURNED && !own)
        own = r->refused[METRES];
    if (k->class != STORED || own)
        return own && *own ? own : NULL;
    return refusal_of(r, &kinds[kind_named(k->like)]);
}

static bool is_frames(const row *r) {
    return r->ending && strcmp(r->ending, "frames") == 0;
}

static void written_path(const row *r, char *path, size_t space) {
    snprintf(path, space, is_frames(r) ? "out/frame-00000.png" : "out/o%s", r->ending);
}

static bool folder_is_empty(void) {
    DIR *list = opendir("out");
    bool found = false;
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        found = found || entry->d_name[0] != '.';
    closedir(list);
    return !found;
}

static void ask(const row *r, const kind *k, const char *words, answer *answer) {
    char path[64];
    child_end end = child_run(words, CHILD_PLAIN, 0);
    const char *refusal = refusal_of(r, k);
    answer->asked = refusal == NULL;
    answer->status = end.status;
    if (refusal) {
        if (end.status != CLI_ERROR || !strstr(end.said, refusal))
            wrong("%s: status %d where 2 was expected, with \"%s\": %s", words, end.status, refusal,
                  end.said);
        if (end.printed[0] || !folder_is_empty())
            wrong("%s: refused, but answered: %s", words, end.printed);
        return;
    }
    if (end.status != CLI_YES && end.status != CLI_NO) {
        wrong("%s: status %d: %s", words, end.status, end.said);
        answer->asked = false;
        return;
    }
    snprintf(answer->printed, sizeof answer->printed, "%s", end.printed);
    if (!r->ending)
        return;
    written_path(r, path, sizeof path);
    if (access(path, F_OK) != 0)
        fail_msg("%s: status %d, but %s is not there", words, end.status, path);
    answer->file = test_file_content(path, &answer->size);
    assert_true(answer->size > 0);
}

// ---------------------------------------------------------------------------------------------------
// The same answers
// ---------------------------------------------------------------------------------------------------

/// Every line of one whose word the other has too is the same there, but for what is about the file and not about the ground.
static void compare_facts(const char *words, const char *got, const char *expected) {
    static const char *const own[] = {"file", "format", "samples",   "bytes",   "bound_bytes",
                                      "leaf", "levels", "precision", "dropped", "cut"};
    int compared = 0;
    for (const char *line = expected; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n"), word = strcspn(line, " ");
        bool skip = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            skip = skip || (strlen(own[i]) == word && strncmp(line, own[i], word) == 0);
        for (const char *other = got; *other && !skip; other += strcspn(other, "\n") + 1) {
            if (strncmp(other, line, word) != 0 || other[word] != ' ')
                continue;
            compared++;
            if (strcspn(other, "\n") != length || strncmp(other, line, length) != 0)
                wrong("%s: says %.*s, expected %.*s", words, (int)strcspn(other, "\n"), other, (int)length,
                      line);
        }
    }
    if (compared < 4)
        wrong("%s: only %d facts in common:\n%s\nand\n%s", words, compared, got, expected);
}

/// Write an answer's file again, and read it as a raster.
static lf_raster *read_samples(const answer *answer, const char *name) {
    lf_raster_def def = lf_raster_def_default();
    lf_error error = {0};
    lf_raster *raster = NULL;
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(answer->file, 1, answer->size, file), answer->size);
    fclose(file);
    def.band = 1;
    def.nodata_given = true; // compare every number
    def.z_unit = "m";        // whatever the unit of the result
    if (lf_raster_read(name, &def, &raster, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
    return raster;
}

static void compare_samples(const char *words, const answer *got, const answer *expected,
                            const char *ending) {
    char a_name[64], b_name[64];
    snprintf(a_name, sizeof a_name, "got%s", ending);
    snprintf(b_name, sizeof b_name, "expected%s", ending);
    lf_raster *a = read_samples(got, a_name), *b = read_samples(expected, b_name);
    lf_grid_def a_def = lf_raster_grid_def(a), b_def = lf_raster_grid_def(b);
    const double *x = &a_def.geotransform.origin.x, *y = &b_def.geotransform.origin.x;
    lf_grid *a_grid, *b_grid;
    for (int i = 0; i < 6; i++) // a raster from another corner rounds its first sample another way
        if (!(fabs(x[i] - y[i]) <= 1e-12 * (1 + fabs(y[i]))))
            wrong("%s: lies elsewhere: %.17g, expected %.17g", words, x[i], y[i]);
    assert_int_equal(a_def.samples.columns, b_def.samples.columns);
    assert_int_equal(a_def.samples.rows, b_def.samples.rows);
    assert_int_equal(lf_grid_create(&a_def, &a_grid, NULL), LF_OK);
    assert_int_equal(lf_grid_create(&b_def, &b_grid, NULL), LF_OK);
    for (int64_t j = 0; j < a_def.samples.rows; j++)
        for (int64_t i = 0; i < a_def.samples.columns; i++) {
            double p = lf_grid_sample(a_grid, i, j), q = lf_grid_sample(b_grid, i, j);
            if (p != q && !(p != p && q != q))
                wrong("%s: sample %lld, %lld is %g, expected %g", words, (long long)i, (long long)j, p, q);
        }
    lf_grid_destroy(a_grid);
    lf_grid_destroy(b_grid);
    lf_raster_close(a);
    lf_raster_close(b);
}

static void compare(const row *r, const kind *k, const char *words, const answer *got) {
    const answer *expected = &answers[kind_named(k->like)];
    if (!expected->asked || r->works)
        return;
    if (got->status != expected->status)
        wrong("%s: status %d, expected %d", words, got->status, expected->status);
    if (r->facts) {
        compare_facts(words, got->printed, expected->printed);
    } else if (strcmp(got->printed, expected->printed) != 0) {
        wrong("%s: answered\n%sexpected\n%s", words, got->printed, expected->printed);
    }
    if (!r->ending || r->titled)
        return;
    bool raster = strcmp(r->ending, ".tif") == 0 || strcmp(r->ending, ".asc") == 0;
    bool same = got->size == expected->size && memcmp(got->file, expected->file, got->size) == 0;
    if (k->comparison == SAMPLES && raster && !same)
        compare_samples(words, got, expected, r->ending);
    else if (!same)
        wrong("%s: wrote %zu bytes that are not the %zu of %s", words, got->size, expected->size, k->like);
}

static void empty_folder(void) {
    char path[300];
    DIR *list = opendir("out");
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        snprintf(path, sizeof path, "out/%s", entry->d_name);
        unlink(path);
    }
    closedir(list);
}

static void run_row(const row *r) {
    char words[512];
    for (int k = 0; k < KINDS; k++) {
        answers[k] = (answer){0};
        empty_folder();
        spell(r, &kinds[k], words, sizeof words);
        ask(r, &kinds[k], words, &answers[k]);
        if (kinds[k].like && answers[k].asked)
            compare(r, &kinds[k], words, &answers[k]);
    }
    for (int k = 0; k < KINDS; k++)
        free(answers[k].file);
}

// ---------------------------------------------------------------------------------------------------
// Tests
// ---------------------------------------------------------------------------------------------------

/// One run of the program takes a share of the rows.
static int share, shares = 1;

static void every_ground_is_answered_alike_or_refused(void **state) {
    (void)state;
    for (int i = share; i < ROWS; i += shares)
        run_row(&rows[i]);
    assert_int_equal(faults, 0);
}

/// Numbers within a millionth, and other words the same.
static bool alike(const char *a, const char *b) {
    while (*a && *b) {
        char *a_end, *b_end;
        double x = strtod(a, &a_end), y = strtod(b, &b_end);
        if ((a_end == a) != (b_end == b))
            return false;
        if (a_end == a ? *a != *b : !(x - y <= 1e-6 && y - x <= 1e-6))
            return false;
        a = a_end == a ? a + 1 : a_end;
        b = b_end == b ? b + 1 : b_end;
    }
    return *a == *b;
}

/// Polygons of the raster's own triangles, and a globe of it at its samples, give the raster's answers.
static void another_kind_of_the_same_hill_agrees(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"height utm.tif --at 500201,4999702 --at 500499.5,4999811.25 --at 500105,4999505",
         "height tin.obj --at 500201,4999702 --at 500499.5,4999811.25 --at 500105,4999505"},
        {"ray utm.tif --from 500200,4999700,2000 --to 500500,4999800,900",
         "ray tin.obj --from 500200,4999700,2000 --to 500500,4999800,900"},
        {"walk utm.tif --from 500200,4999700 --to 500500,4999800 --step 9000",
         "walk tin.obj --from 500200,4999700 --to 500500,4999800 --step 9000"},
        {"sight utm.tif --cc 0 --from 500200,4999700 --to 500500,4999800",
         "sight tin.obj --cc 0 --from 500200,4999700 --to 500500,4999800"},
        {"shadow utm.tif --sun 120,12 --at 500200,4999800",
         "shadow tin.obj --sun 120,12 --at 500200,4999800"},
        {"height deg.tif --at 6.505,45.495 --at 6.51,45.49",
         "height globe.lf --at 6.505,45.495 --at 6.51,45.49"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        child_end a = child_run(pairs[i][0], CHILD_PLAIN, 0), b = child_run(pairs[i][1], CHILD_PLAIN, 0);
        bool numbered = strncmp(pairs[i][0], "shadow", 6) == 0; // by its own number of a cell or polygon
        if (numbered) {
            a.printed[strcspn(a.printed, "ls")] = '\0';
            b.printed[strcspn(b.printed, "ls")] = '\0';
        }
        if (a.status != b.status || a.status < 0 || a.status == CLI_ERROR || !alike(a.printed, b.printed))
            fail_msg("%s: %d %s%s\n%s: %d %s%s", pairs[i][0], a.status, a.printed, a.said, pairs[i][1],
                     b.status, b.printed, b.said);
    }
}

static bool row_has(const char *command, const char *word, const char *ending) {
    size_t length = strlen(command);
    for (int i = 0; i < ROWS; i++)
        if (strncmp(rows[i].words, command, length) == 0 && rows[i].words[length] == ' ' &&
            (!word || strstr(rows[i].words, word)) &&
            (!ending || (rows[i].ending && strcmp(rows[i].ending, ending) == 0)))
            return true;
    return false;
}

static bool asks_no_ground(const char *command) {
    for (size_t i = 0; i < sizeof groundless / sizeof *groundless; i++)
        if (strcmp(command, groundless[i]) == 0)
            return true;
    return false;
}

/// A new subcommand, way to call it, output or kind of file has to be in the tables above.
static void the_tables_are_complete(void **state) {
    (void)state;
    for (const command *command = commands; command->name; command++) {
        if (asks_no_ground(command->name))
            continue;
        if (!row_has(command->name, NULL, NULL) ||
            (command->other && !row_has(command->name, "{gdal}", NULL)))
            fail_msg("landfall %s has no row", command->name);
        for (int group = 0; command->groups[group]; group++)
            for (const option *option = command->groups[group]; option->name; option++) {
                char dashed[40];
                bool json = strcmp(option->name, "json") == 0;
                file_role role = option->role;
                snprintf(dashed, sizeof dashed,
                         option->letter == 'o' ? " -o "
                         : json                ? " --%s"
                                               : " --%s ",
                         option->name);
                if ((role == FILE_WRITTEN || role == FILE_FOLDER || json) &&
                    !row_has(command->name, dashed, NULL))
                    fail_msg("landfall %s%s has no row", command->name, dashed);
                if (strcmp(option->name, "format") == 0 &&
                    (!row_has(command->name, NULL, ".tif") || !row_has(command->name, NULL, ".png")))
                    fail_msg("landfall %s writes rasters and pictures, and has no row for one of them",
                             command->name);
            }
    }
#define HAS_CODEC(name, value, word, text)              \
    {                                                   \
        char file[32];                                  \
        snprintf(file, sizeof file, "deg_%s.lf", word); \
        assert_true(kind_named(file) >= 0);             \
    }
    LF_CODEC_LIST(HAS_CODEC)
#undef HAS_CODEC
    static const class stored[] = {STORED, MESH, GROUP, MODEL, GLOBE};
    int count = 0;
#define COUNT_KIND(name, value, word) count++;
    LF_STORE_KIND_LIST(COUNT_KIND)
#undef COUNT_KIND
    assert_int_equal(count, sizeof stored / sizeof *stored); // a new kind of .lf file is a new class
}

// ---------------------------------------------------------------------------------------------------
// The files
// ---------------------------------------------------------------------------------------------------

static int enter(void **state) {
    char words[4096];
    if (test_folder_make(state) != 0)
        return -1;
    snprintf(words, sizeof words, "cp -r '%s/hill' '%s/bump.lua' '%s'", CLI_DATA, CLI_DATA, test_path("."));
    if (system(words) != 0 || chdir(test_path(".")) != 0)
        return -1;
    signal(SIGPIPE, SIG_IGN);
    mkdir("out", 0777);
    matrix_data_make();
    static const char *const codecs[] = {"raw", "pack", "maxplus", "haar", "d4"};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        snprintf(words, sizeof words, "build deg.tif -q --codec %s -o deg_%s.lf", codecs[i], codecs[i]);
        if (child_run(words, CHILD_PLAIN, 0).status != 0)
            return -1;
    }
    static const char *const needed[] = {"build utm.tif -q -o utm.lf",
                                         "build south.tif -q -o south.lf",
                                         "build turned.tif -q -o turned.lf",
                                         "build feet.tif -q -o feet.lf",
                                         "build bare.tif -q -o bare.lf",
                                         "build tin.obj -q -o tin.lf",
                                         "build tin.obj -q --as model -o model.lf",
                                         "globe build deg.tif -q -o globe.lf"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (child_run(needed[i], CHILD_PLAIN, 0).status != 0)
            return -1;
    return 0;
}

static int leave(void **state) {
    return system("rm -rf * 2>/dev/null") == 0 && chdir("/") == 0 ? test_folder_remove(state) : -1;
}

/// test_cli_matrix [SHARE SHARES]: all rows, or every row whose number modulo SHARES is SHARE.
int main(int count, char **words) {
    share = count > 2 ? atoi(words[1]) : 0;
    shares = count > 2 ? atoi(words[2]) : 1;
    if (shares < 1 || share < 0 || share >= shares)
        return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_tables_are_complete),
                                       cmocka_unit_test(every_ground_is_answered_alike_or_refused),
                                       cmocka_unit_test(another_kind_of_the_same_hill_agrees)};
    return cmocka_run_group_tests_name("matrix", tests, enter, leave);
}
