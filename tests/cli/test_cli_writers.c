/// Everything that writes a file: killed at any moment, on a full disk, in a folder that cannot be written to, or with nobody
/// who reads its answers. What was there stays or what is there is whole, and nothing is left beside it.
#include "child.h"
#include "cli.h"
#include "files.h"
#include "support.h"
#include <dirent.h>
#include <landfall/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// A command line, and the file in the folder `place` that it writes. What it writes with is the word before the last.
typedef struct writer {
    const char *words;
    const char *file;
    const char *folder; ///< that is made for it; NULL: place
    bool resumes;       ///< the same command continues: after a kill or a full disk FILE.work stays
} writer;

static const writer writers[] = {
    {"info ridge.asc --width 200 -o place/map.png", "map.png", NULL, false},
    {"info yard.obj --quadtree --width 200 -o place/tree.png", "tree.png", NULL, false},
    {"info yard.obj --as model --width 200 -o place/charts.png", "charts.png", NULL, false},
    {"sight ridge.asc --from 5,35 --to 65,35 --profile place/p.csv", "p.csv", NULL, false},
    {"sight ridge.asc --from 5,35 --to 65,35 --profile place/p.svg", "p.svg", NULL, false},
    {"sight --path path.csv --profile place/p.json", "p.json", NULL, false},
    {"viewshed ridge.asc -q --at 5,35 -o place/seen.tif", "seen.tif", NULL, false},
    {"viewshed ridge.asc -q --at 5,35 --mode count -o place/seen.csv", "seen.csv", NULL, false},
    {"viewshed ridge.asc -q --at 5,35 --width 200 -o place/seen.png", "seen.png", NULL, false},
    {"viewshed -q -ox 5 -oy 35 ridge.asc place/gdal.tif", "gdal.tif", NULL, false},
    {"horizon ridge.asc --at 5,35 -o place/sky.csv", "sky.csv", NULL, false},
    {"horizon ridge.asc -q --map 90 -o place/sky.tif", "sky.tif", NULL, false},
    {"shadow ridge.asc -q --sun 90,30 -o place/shade.tif", "shade.tif", NULL, false},
    {"sunhours coast.asc -q --date 2026-06-21 --step 60 -o place/sun.tif", "sun.tif", NULL, false},
    {"total ridge.asc -q --range 200 --azimuths 8 --check 0 -o place/total.tif", "total.tif", NULL, false},
    {"intervisible ridge.asc stations.csv --range 100 -o place/net.csv", "net.csv", NULL, false},
    {"intervisible ridge.asc stations.csv -o place/net.graphml", "net.graphml", NULL, false},
    {"intervisible ridge.asc stations.csv -o place/net.gpkg", "net.gpkg", NULL, false},
    {"site ridge.asc stations.csv --choose 1 -o place/sites.csv", "sites.csv", NULL, false},
    {"site ridge.asc stations.csv --choose 1 -o place/sites.gpkg", "sites.gpkg", NULL, false},
    {"site ridge.asc stations.csv --choose 1 --plot place/sites.png", "sites.png", NULL, false},
    {"camera hill flight.csv -o place/flown.csv", "flown.csv", NULL, false},
    {"camera hill flight.csv --plot place/flown.png", "flown.png", NULL, false},
    {"render ridge.asc --size 32,20 --samples 1 -o place/view.png", "view.png", NULL, false},
    {"map ridge.asc --width 200 -o place/map.png", "map.png", NULL, false},
    {"scene run bump.lua -q --steps 0 --frames place/run", "frame-00000.png", "place/run", false},
    {"make hills --size 20 -o place/hills.tif", "hills.tif", NULL, false},
    {"make sphere --size 80 -o place/sphere.ply", "sphere.ply", NULL, false},
    {"make sphere --size 80 --width 200 -o place/sphere.png", "sphere.png", NULL, false},
    {"make planet --size 9 -o place/planet.tif", "planet.tif", NULL, false},
    {"globe build planet.tif -q -o place/planet.lf", "planet.lf", NULL, true},
    {"build ridge.asc -q -o place/ridge.lf", "ridge.lf", NULL, false},
    {"build yard.obj -q -o place/yard.lf", "yard.lf", NULL, false},
    {"build yard.obj -q --as model -o place/model.lf", "model.lf", NULL, false},
    {"export ridge.lf -q -o place/ridge.tif", "ridge.tif", NULL, false},
    {"export yard.lf -q -o place/yard.obj", "yard.obj", NULL, false},
};
enum { WRITERS = sizeof writers / sizeof *writers };

static const char old_text[] = "what was there before";

// ---------------------------------------------------------------------------------------------------
// The place
// ---------------------------------------------------------------------------------------------------

static const char *folder_of(const writer *w) {
    return w->folder ? w->folder : "place";
}

static void path_of(const writer *w, char *path, size_t space) {
    snprintf(path, space, "%s/%s", folder_of(w), w->file);
}

/// Run it in the folder of the tests, with the data of the golden cases.
static int enter(void **state) {
    char words[4096];
    if (test_folder_make(state) != 0)
        return -1;
    snprintf(words, sizeof words, "cp -r '%s/.' '%s'", CLI_DATA, test_path("."));
    if (system(words) != 0 || chdir(test_path(".")) != 0 || chmod(".", 0755) != 0)
        return -1;
    signal(SIGPIPE, SIG_IGN);
    lf_raster *raster = NULL; // what GDAL sets up once, every child has then
    lf_raster_def def = lf_raster_def_default();
    if (lf_raster_read("ridge.asc", &def, &raster, NULL) == LF_OK)
        lf_raster_close(raster);
    static const char *const needed[] = {"make planet --size 9 -o planet.tif",
                                         "build ridge.asc -q -o ridge.lf", "build yard.obj -q -o yard.lf"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (child_run(needed[i], CHILD_PLAIN, 0).status != 0)
            return -1;
    return 0;
}

static int leave(void **state) {
    return system("rm -rf * 2>/dev/null") == 0 && chdir("/") == 0 ? test_folder_remove(state) : -1;
}

/// Before each test.
static int fresh_place(void **state) {
    (void)state;
    return system("rm -rf place") == 0 && mkdir("place", 0777) == 0 && chmod("place", 0777) == 0 ? 0 : -1;
}

static void put_old(const writer *w) {
    char path[256];
    path_of(w, path, sizeof path);
    mkdir(folder_of(w), 0777);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(old_text, file);
    fclose(file);
}

/// Is it the folder of what the same command continues with?
static bool is_work(const writer *w, const char *name) {
    size_t length = strlen(w->file);
    return strncmp(name, w->file, length) == 0 && strcmp(name + length, ".work") == 0;
}

/// How many files lie in its folder, that of unfinished work not counted.
static int count_files(const writer *w) {
    DIR *list = opendir(folder_of(w));
    int count = 0;
    for (struct dirent *entry; list && (entry = readdir(list));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 !(w->resumes && is_work(w, entry->d_name));
    if (list)
        closedir(list);
    return count;
}

static void clear(const writer *w) {
    char path[256];
    path_of(w, path, sizeof path);
    unlink(path);
    if (w->folder)
        rmdir(w->folder);
    char command[320];
    snprintf(command, sizeof command, "rm -rf %s.work", path);
    if (w->resumes && system(command) != 0)
        fail_msg("%s", command);
    if (count_files(&writers[0]) != 0)
        fail_msg("%s: left something beside %s", w->words, w->file);
}

/// Does the file hold these bytes?
static bool holds(const writer *w, const char *bytes, size_t size) {
    char path[256];
    size_t found;
    path_of(w, path, sizeof path);
    char *content = test_file_content(path, &found);
    bool same = found == size && memcmp(content, bytes, size) == 0;
    free(content);
    return same;
}

static bool holds_old(const writer *w) {
    return holds(w, old_text, sizeof old_text - 1);
}

/// One line of complaint, perhaps with one that says where help is.
static bool says_one_thing(const char *said) {
    const char *newline = strchr(said, '\n');
    return newline && strncmp(said, "landfall ", 9) == 0 &&
           (newline[1] == '\0' || strncmp(newline + 1, "try: ", 5) == 0);
}

// ---------------------------------------------------------------------------------------------------
// Tests
// ---------------------------------------------------------------------------------------------------

/// Kill it before a change of files: the old file or the whole new one.
static void kill_at(const writer *w, const char *whole, size_t size, int moment, int changes) {
    put_old(w);
    child_end end = child_run(w->words, CHILD_TRACED, moment);
    if (!end.killed && !w->resumes)
        fail_msg("%s: made fewer than %d changes the second time", w->words, moment);
    if (!holds_old(w) && !holds(w, whole, size))
        fail_msg("%s: killed at change %d of %d, and the file is neither old nor new", w->words, moment,
                 changes);
}

/// At the second change, in the middle and at the last one; in the long tests at every one. The next run takes over what was left.
static void kill_writer(const writer *w, const char *whole, size_t size, int changes) {
    for (int moment = 1; moment <= changes; moment++)
        if (test_long() || moment == 2 || moment == (changes + 2) / 2 || moment == changes)
            kill_at(w, whole, size, moment, changes);
    child_end end = child_run(w->words, CHILD_PLAIN, 0);
    if (end.status == CLI_ERROR || end.status < 0 || !holds(w, whole, size))
        fail_msg("%s: after kills: status %d, %s", w->words, end.status, end.said);
    if (count_files(w) != 1)
        fail_msg("%s: a killed writer's file is still there after the next run", w->words);
}

static void a_killed_writer_leaves_the_old_or_the_new_file(void **state) {
    (void)state;
    if (!child_can_trace()) {
        print_message("skipped: children cannot be traced here\n");
        skip();
    }
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        char path[256];
        size_t size;
        path_of(w, path, sizeof path);
        child_end end = child_run(w->words, CHILD_TRACED, 0);
        if (end.status == CLI_ERROR || end.status < 0)
            fail_msg("%s: status %d, %s", w->words, end.status, end.said);
        assert_true(end.changes >= 3);
        char *whole = test_file_content(path, &size);
        kill_writer(w, whole, size, end.changes);
        free(whole);
        clear(w);
    }
}

/// It says so, once, with the name of the file, and leaves everything as it was; no answer comes before the complaint.
static void check_refusal(const writer *w, const child_end *end, const char *where) {
    if (end->status != CLI_ERROR || !says_one_thing(end->said) || !strstr(end->said, w->file))
        fail_msg("%s, %s: status %d, said: %s", w->words, where, end->status, end->said);
    if (end->printed[0])
        fail_msg("%s, %s: answered all the same: %s", w->words, where, end->printed);
}

static void a_full_disk_is_told(void **state) {
    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        put_old(w);
        child_end end = child_run(w->words, CHILD_FULL, 0);
        check_refusal(w, &end, "a full disk");
        if (!holds_old(w))
            fail_msg("%s: a full disk, and the old file is gone", w->words);
        clear(w);
    }
}

static void a_folder_that_cannot_be_written_to_is_told(void **state) {
    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        put_old(w);
        assert_int_equal(chmod(folder_of(w), 0555), 0);
        child_end end = child_run(w->words, CHILD_NOBODY, 0);
        assert_int_equal(chmod(folder_of(w), 0777), 0);
        check_refusal(w, &end, "a folder without rights");
        if (!holds_old(w))
            fail_msg("%s: a folder without rights, and the old file is gone", w->words);
        clear(w);
    }
}

static void a_folder_in_place_of_the_file_is_told(void **state) {
    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        char path[256];
        path_of(w, path, sizeof path);
        mkdir(folder_of(w), 0777);
        assert_int_equal(mkdir(path, 0777), 0);
        child_end end = child_run(w->words, CHILD_PLAIN, 0);
        check_refusal(w, &end, "a folder in its place");
        assert_int_equal(rmdir(path), 0);
        clear(w);
    }
}

/// A reader that went away is a status and no noise; the file is written all the same.
static void nobody_reads_the_answers(void **state) {
    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        const writer *w = &writers[i];
        put_old(w);
        child_end end = child_run(w->words, CHILD_UNHEARD, 0);
        if (end.status < 0 || end.said[0] || holds_old(w))
            fail_msg("%s, unheard: status %d, said: %s", w->words, end.status, end.said);
        clear(w);
    }
}

/// Whatever option writes a file, some line of the table has it.
static void every_writer_is_in_the_table(void **state) {
    (void)state;
    static const char *const names[] = {"output", "profile", "plot", "frames"};
    static const char *const spelled[] = {" -o ", " --profile ", " --plot ", " --frames "};
    for (const command *command = commands; command->name; command++)
        for (int group = 0; command->groups[group]; group++)
            for (const option *option = command->groups[group]; option->name; option++)
                for (int k = 0; k < 4; k++) {
                    bool found = strcmp(option->name, names[k]) != 0;
                    for (int i = 0; i < WRITERS && !found; i++)
                        found = strncmp(writers[i].words, command->name, strlen(command->name)) == 0 &&
                                strstr(writers[i].words, spelled[k]);
                    if (!found)
                        fail_msg("landfall %s --%s is missing in the table", command->name, option->name);
                }
}

/// Whatever takes a file says whether it is read or written: what has no role would be replaced without a check.
static void every_option_that_takes_a_file_has_a_role(void **state) {
    (void)state;
    static const char *const values[] = {"FILE", "RASTER", "FOLDER", "POINTS", "PATH"};
    for (const command *command = commands; command->name; command++)
        for (int group = 0; command->groups[group]; group++)
            for (const option *option = command->groups[group]; option->name; option++)
                for (int k = 0; k < 5; k++)
                    if (option->value && strncmp(option->value, values[k], strlen(values[k])) == 0 &&
                        option->role == FILE_NONE)
                        fail_msg("landfall %s --%s %s has no role", command->name, option->name,
                                 option->value);
    assert_int_equal(run_files_argument(command_find("camera"), 1), FILE_READ);
    assert_int_equal(run_files_argument(command_find("globe"), 0), FILE_NONE);
    assert_int_equal(run_files_argument(command_find("globe"), 7), FILE_READ);
    assert_int_equal(run_files_argument(command_find("make"), 0), FILE_NONE);
    assert_int_equal(run_files_argument(command_find("viewshed")->other, 1), FILE_WRITTEN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_that_takes_a_file_has_a_role),
        cmocka_unit_test_setup(every_writer_is_in_the_table, fresh_place),
        cmocka_unit_test_setup(a_killed_writer_leaves_the_old_or_the_new_file, fresh_place),
        cmocka_unit_test_setup(a_full_disk_is_told, fresh_place),
        cmocka_unit_test_setup(a_folder_that_cannot_be_written_to_is_told, fresh_place),
        cmocka_unit_test_setup(a_folder_in_place_of_the_file_is_told, fresh_place),
        cmocka_unit_test_setup(nobody_reads_the_answers, fresh_place)};
    return cmocka_run_group_tests_name("writers", tests, enter, leave);
}
