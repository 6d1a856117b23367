/// The files that a run reads and those that it writes: no output may replace an input or another output.
#include "cli.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- Names on the command line ------------------------------------------------------------------

file_role run_files_argument(const command *command, int index) {
    size_t length;
    const char *word = command_argument(command, index, &length);
    // Arguments in small letters are given as they are, and a KIND is one of a few.
    if ((word[0] >= 'a' && word[0] <= 'z') || word[0] == '[' || command->choices)
        return FILE_NONE;
    return strncmp(word, "RESULT", 6) == 0 ? FILE_WRITTEN : FILE_READ;
}

/// Something on the command line that names a file.
typedef struct named {
    const char *path;
    const char *option; ///< NULL for an argument
    char letter;
    file_role role;
} named;

/// The file number `index` of the command line, arguments first; false beyond the last.
static bool nth_file(const cli *run, int index, named *file) {
    const options *given = &run->given;
    if (index < given->argument_count) {
        file_role role = run_files_argument(run->command, index);
        *file = (named){given->arguments[index], NULL, 0, role};
        return true;
    }
    index -= given->argument_count;
    if (index >= given->count)
        return false;
    const struct given *one = &given->list[index];
    *file = (named){one->value, one->option->name, one->option->letter,
                    one->value ? one->option->role : FILE_NONE};
    return true;
}

/// The file as it was named: "-o seen.tif", "--plot p.png", "seen.tif".
static void spell(const cli *run, const named *file, char *text, size_t size) {
    if (!file->option)
        snprintf(text, size, "%s", file->path);
    else if (file->letter)
        snprintf(text, size, "-%c %s", file->letter, file->path);
    else
        snprintf(text, size, "%s%s %s", run->given.dashes, file->option, file->path);
}

// ---- The same file ------------------------------------------------------------------------------

static bool is_regular(const char *path, struct stat *about) {
    return stat(path, about) == 0 && S_ISREG(about->st_mode);
}

static bool same_file(const char *path, const struct stat *other) {
    struct stat about;
    return is_regular(path, &about) && about.st_dev == other->st_dev && about.st_ino == other->st_ino;
}

/// The folder of a path as a file of the system; false where there is none.
static bool folder_of(const char *path, struct stat *about) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool found = folder && stat(folder, about) == 0;
    free(folder);
    return found;
}

/// Would two outputs be one file? Devices and pipes may be written twice.
static bool same_output(const char *a, const char *b) {
    struct stat at, bt;
    bool exists = stat(a, &at) == 0;
    if (exists && S_ISREG(at.st_mode))
        return same_file(b, &at);
    if (exists || !folder_of(a, &at) || !folder_of(b, &bt))
        return false;
    return at.st_dev == bt.st_dev && at.st_ino == bt.st_ino && strcmp(path_name(a), path_name(b)) == 0;
}

typedef struct search {
    struct stat output;
    bool found;
} search;

static void compare(void *user, const char *path) {
    search *search = user;
    search->found = search->found || same_file(path, &search->output);
}

/// The tiles of a terrain folder are inputs, other files in it are not.
static bool is_tile(const char *folder, const char *path) {
    struct stat above, at;
    char *up = strdup(path);
    bool found = false;
    if (!up || stat(folder, &at) != 0 || !S_ISDIR(at.st_mode) ||
        !(path_ends(path, ".terrain") || path_ends(path, ".json"))) {
        free(up);
        return false;
    }
    // layer.json lies in the folder, tiles two folders below it.
    for (int level = 0; level < 3 && !found; level++) {
        char *slash = strrchr(up, '/');
        if (slash)
            *slash = '\0';
        const char *parent = slash ? (up[0] ? up : "/") : ".";
        found = stat(parent, &above) == 0 && above.st_dev == at.st_dev && above.st_ino == at.st_ino;
        if (!slash)
            break;
    }
    free(up);
    return found;
}

static bool reads_file(const char *input, const char *path, const struct stat *output) {
    search search = {*output, same_file(input, output) || is_tile(input, path)};
    if (!search.found && !path_ends(input, ".lf") && strcmp(input, "-") != 0)
        lf_raster_files(input, compare, &search, NULL);
    return search.found;
}

bool run_files_reads(const cli *run, const char *path, const char **input) {
    struct stat output;
    named file;
    if (!is_regular(path, &output))
        return false;
    for (int i = 0; nth_file(run, i, &file); i++)
        if (file.role == FILE_READ && reads_file(file.path, path, &output)) {
            *input = file.path;
            return true;
        }
    return false;
}

bool run_files_keep(const cli *run, const char *input) {
    struct stat output;
    char text[512];
    named file;
    for (int i = 0; nth_file(run, i, &file); i++) {
        if (file.role != FILE_WRITTEN || !is_regular(file.path, &output) ||
            !reads_file(input, file.path, &output))
            continue;
        spell(run, &file, text, sizeof text);
        return failed("%s: would replace a file that this run reads (%s): expected another name", text,
                      input);
    }
    return true;
}

bool run_files_writes(const cli *run, const char *path, const char **option) {
    struct stat about;
    named file;
    if (!is_regular(path, &about))
        return false;
    for (int i = 0; nth_file(run, i, &file); i++)
        if (file.role == FILE_WRITTEN && same_file(file.path, &about)) {
            *option = file.letter == 'o' || !file.option ? "-o" : file.option;
            return true;
        }
    return false;
}

void run_files_each(const cli *run, lf_file_found *found, void *user) {
    named file;
    for (int i = 0; nth_file(run, i, &file); i++) {
        if (file.role != FILE_READ)
            continue;
        if (path_ends(file.path, ".lf") || lf_raster_files(file.path, found, user, NULL) != LF_OK)
            found(user, file.path);
    }
}

// ---- Before the run -----------------------------------------------------------------------------

/// GDAL has names for what is within a file: "/vsizip/dem.zip/dem.tif", "NETCDF:dem.nc:z".
static bool is_plain_path(const char *path) {
    return strcmp(path, "-") != 0 && strncmp(path, "/vsi", 4) != 0 && !strchr(path, ':');
}

bool run_files_exist(const cli *run) {
    struct stat about;
    named file;
    for (int i = 0; nth_file(run, i, &file); i++) {
        if (file.role != FILE_READ || !is_plain_path(file.path) || stat(file.path, &about) == 0)
            continue;
        char text[512];
        int fault = errno;
        spell(run, &file, text, sizeof text);
        return failed("%s: %s", text, strerror(fault));
    }
    return true;
}

static bool output_allowed(const cli *run, int index, const named *output) {
    const char *input;
    char text[512], other_text[512];
    named other;
    spell(run, output, text, sizeof text);
    if (run_files_reads(run, output->path, &input))
        return failed("%s: would replace a file that this run reads (%s): expected another name", text,
                      input);
    for (int i = 0; i < index && nth_file(run, i, &other); i++)
        if (other.role == FILE_WRITTEN && same_output(other.path, output->path)) {
            spell(run, &other, other_text, sizeof other_text);
            return failed("%s: is the same file as %s: expected two names", text, other_text);
        }
    return true;
}

bool run_files_writable(const cli *run) {
    named file;
    for (int i = 0; nth_file(run, i, &file); i++)
        if (file.role == FILE_WRITTEN && *file.path &&
            !(output_possible(file.path) && output_allowed(run, i, &file)))
            return false;
    return true;
}
