/// The folder of a job in tiles: a manifest that says which job it is, files of tiles, and logs of those that are done.
///
/// A tile is done when its line is in a log: its file has been renamed to its name before. A line that a killed process
/// did not finish lacks its end and does not count.
#include "tiles.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST "manifest.txt"
#define FIRST_LINE "landfall tiles 1"
#define OTHER_JOB \
    "%s: belongs to another job (%s%s%s): remove the folder, or choose another name for the result"

static char *path_in(const tile_run *tiles, const char *name) {
    size_t size = strlen(tiles->folder) + strlen(name) + 2;
    char *path = allocate(size, 1);
    snprintf(path, size, "%s/%s", tiles->folder, name);
    return path;
}

char *tile_path(const tile_run *tiles, int64_t index) {
    char name[40];
    snprintf(name, sizeof name, "%07lld.tif", (long long)index);
    return path_in(tiles, name);
}

// ---- The job as text ----------------------------------------------------------------------------

/// Lines that say what a job is.
typedef struct job_text {
    char *text;
    int64_t used, capacity;
} job_text;

static void add_line(job_text *to, const char *name, const char *value) {
    int64_t length = (int64_t)(strlen(name) + strlen(value) + 2);
    to->text = reserve(to->text, &to->capacity, to->used + length + 1, 1);
    char *at = to->text + to->used;
    snprintf(at, (size_t)length + 1, "%s %s\n", name, value);
    for (char *c = at; c < at + length - 1; c++)
        if (*c == '\n') // in a path or a value; lines must stay lines
            *c = ' ';
    to->used += length;
}

/// A file that the job reads: its size and time.
static void add_file(void *user, const char *path) {
    struct stat about;
    char text[96] = "not a file";
    if (stat(path, &about) == 0)
        snprintf(text, sizeof text, "%lld bytes, changed at %lld.%09ld", (long long)about.st_size,
                 (long long)about.st_mtim.tv_sec, (long)about.st_mtim.tv_nsec);
    size_t size = strlen(path) + 16;
    char *name = allocate(size, 1);
    snprintf(name, size, "input %s:", path);
    add_line(user, name, text);
}

/// Options that change how a job is done, not what comes out.
static bool is_indifferent(const char *name) {
    static const char *const names[] = {"memory", "tile", "threads", "quiet", "json", "output", "digits"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static job_text describe_job(const tile_job *job) {
    const cli *run = job->run;
    job_text text = {0};
    char line[160];
    add_line(&text, "version", lf_version());
    add_line(&text, "command", run->command->name);
    for (int i = 0; i < run->given.count; i++) {
        const given *one = &run->given.list[i];
        char name[64];
        snprintf(name, sizeof name, "option --%s", one->option->name);
        if (!is_indifferent(one->option->name))
            add_line(&text, name, one->value ? one->value : "");
    }
    lf_window w = job->window;
    snprintf(line, sizeof line, "%lld,%lld,%lld,%lld", (long long)w.column, (long long)w.row,
             (long long)w.columns, (long long)w.rows);
    add_line(&text, "samples", line);
    run_files_each(run, add_file, &text);
    return text;
}

/// Refuses a job by the first line that differs; `several`: of another process, not of an earlier run.
static bool same_job(const char *where, const char *there, const char *here, bool several) {
    while (*there || *here) {
        size_t a = strcspn(there, "\n"), b = strcspn(here, "\n");
        if (a != b || strncmp(there, here, a) != 0) {
            char *other = strndup(there, a), *mine = strndup(here, b);
            const char *a_text = other && *other ? other : "nothing",
                       *b_text = mine && *mine ? mine : "nothing";
            if (several)
                message_error(
                    "%s: differ from those of rank 0 (%s there, %s here): all ranks must see the same files",
                    where, a_text, b_text);
            else
                message_error(
                    "%s: belongs to another job (%s there, %s): remove the folder, or choose another "
                    "name for the result",
                    where, a_text, b_text);
            free(other);
            free(mine);
            return false;
        }
        there += a + (there[a] == '\n');
        here += b + (here[b] == '\n');
    }
    return true;
}

// ---- The manifest -------------------------------------------------------------------------------

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    int64_t used = 0, capacity = 0;
    char *text = NULL;
    while (file) {
        text = reserve(text, &capacity, used + 65537, 1);
        size_t got = fread(text + used, 1, 65536, file);
        used += (int64_t)got;
        text[used] = '\0';
        if (got == 0)
            break;
    }
    if (file)
        fclose(file);
    return text;
}

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/// Two processes that continue the same job would write the same files.
static bool lock_manifest(tile_run *tiles, const char *path) {
    tiles->lock = open(path, O_RDONLY | O_CLOEXEC);
    if (tiles->lock >= 0 && flock(tiles->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return failed("%s: another process is working on this job", tiles->folder);
    return tiles->lock >= 0 || failed("%s: %s", path, strerror(errno));
}

bool manifest_open(tile_job *job, tile_run *tiles, bool *found) {
    const char *path = path_in(tiles, MANIFEST);
    struct stat about;
    *found = access(path, F_OK) == 0;
    if (!*found && stat(tiles->folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return failed("%s: is a file: the tiles of a job need a folder of this name", tiles->folder);
    if (!*found)
        return true;
    if (!lock_manifest(tiles, path))
        return false;
    const char *text = read_text(path);
    long long columns, rows;
    uint64_t low, high;
    int used = 0;
    if (!text ||
        sscanf(text, FIRST_LINE "\ntile %lld,%lld\nheights %" SCNx64 ",%" SCNx64 "\n%n", &columns, &rows,
               &low, &high, &used) != 4 ||
        used == 0 || columns < 1 || rows < 1)
        return failed("%s: is not a manifest: expected it to begin with " FIRST_LINE, path);
    tiles->columns = columns;
    tiles->rows = rows;
    tiles->low = number_of(low);
    tiles->high = number_of(high);
    return same_job(tiles->folder, text + used, describe_job(job).text, false);
}

bool manifest_compare(const tile_job *job) {
    job_text mine = describe_job(job);
    int64_t length = mine.used;
    run_crew->share(&length, sizeof length);
    char *first = allocate((size_t)length + 1, 1);
    if (run_crew->rank == 0)
        memcpy(first, mine.text, (size_t)length);
    run_crew->share(first, (size_t)length);
    return same_job("inputs", first, mine.text, true);
}

bool manifest_create(tile_job *job, tile_run *tiles) {
    const char *path = path_in(tiles, MANIFEST);
    job_text text = describe_job(job);
    output file;
    if (mkdir(tiles->folder, 0777) != 0 && errno != EEXIST)
        return failed("%s: %s", tiles->folder, strerror(errno));
    if (!output_create(&file, path, -1))
        return false;
    output_format(&file, FIRST_LINE "\ntile %lld,%lld\nheights %" PRIx64 ",%" PRIx64 "\n",
                  (long long)tiles->columns, (long long)tiles->rows, bits_of(tiles->low),
                  bits_of(tiles->high));
    output_text(&file, text.text);
    return output_close(&file) && lock_manifest(tiles, path);
}

// ---- Tiles that are done ------------------------------------------------------------------------

/// A line "tile INDEX BYTES COUNTS.. N NUMBERS.. end"; false: it is not whole, or the file is another one.
static bool read_line(tile_job *job, tile_run *tiles, char *line) {
    char *at, *rest = line;
    if (strncmp(line, "tile ", 5) != 0)
        return false;
    int64_t index = strtoll(line + 5, &at, 10), bytes = strtoll(at, &at, 10);
    int64_t counts[TILE_COUNTS], count;
    for (int k = 0; k < TILE_COUNTS; k++)
        counts[k] = strtoll(at, &at, 10);
    count = strtoll(at, &rest, 10);
    if (rest == at || count < 0 || index < 0 || index >= tiles->count || tiles->tiles[index].done)
        return false;
    char *numbers = rest;
    for (int64_t k = 0; k < count; k++)
        strtoull(rest, &rest, 16);
    struct stat about;
    if (strcmp(rest, " end\n") != 0 || stat(tile_path(tiles, index), &about) != 0 || about.st_size != bytes)
        return false;
    for (int64_t k = 0; k < count; k++)
        tile_sums_add(&job->sums, number_of(strtoull(numbers, &numbers, 16)));
    for (int k = 0; k < TILE_COUNTS; k++)
        job->sums.counts[k] += counts[k];
    tiles->tiles[index].done = true;
    return true;
}

static void read_log(tile_job *job, tile_run *tiles, const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0)
        read_line(job, tiles, line);
    free(line);
    if (file)
        fclose(file);
}

bool manifest_read_done(tile_job *job, tile_run *tiles) {
    DIR *list = opendir(tiles->folder);
    job->sums.number_count = 0;
    memset(job->sums.counts, 0, sizeof job->sums.counts);
    for (int64_t k = 0; k < tiles->count; k++)
        tiles->tiles[k].done = false;
    if (!list)
        return failed("%s: %s", tiles->folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(list));)
        if (strncmp(entry->d_name, "done.", 5) == 0)
            read_log(job, tiles, path_in(tiles, entry->d_name));
    closedir(list);
    return true;
}

static bool open_log(tile_run *tiles) {
    char name[32];
    snprintf(name, sizeof name, "done.%d", run_crew ? run_crew->rank : 0);
    const char *path = path_in(tiles, name);
    tiles->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return tiles->log >= 0 || failed("%s: %s", path, strerror(errno));
}

bool manifest_done(tile_job *job, tile_run *tiles, int64_t index, const tile_sums *sums) {
    struct stat about;
    (void)job;
    if (tiles->log < 0 && !open_log(tiles))
        return false;
    if (stat(tile_path(tiles, index), &about) != 0)
        return failed("%s: %s", tile_path(tiles, index), strerror(errno));
    int64_t used = 0, capacity = 512 + 20 * sums->number_count;
    char *line = malloc((size_t)capacity);
    if (!line)
        return failed("out of memory");
    // What a killed process began to write ends here.
    used += snprintf(line, (size_t)capacity, "\ntile %lld %lld", (long long)index, (long long)about.st_size);
    for (int k = 0; k < TILE_COUNTS; k++)
        used += snprintf(line + used, (size_t)(capacity - used), " %lld", (long long)sums->counts[k]);
    used += snprintf(line + used, (size_t)(capacity - used), " %lld", (long long)sums->number_count);
    for (int64_t k = 0; k < sums->number_count; k++)
        used += snprintf(line + used, (size_t)(capacity - used), " %" PRIx64, bits_of(sums->numbers[k]));
    used += snprintf(line + used, (size_t)(capacity - used), " end\n");
    ssize_t written = write(tiles->log, line, (size_t)used);
    int fault = written < 0 ? errno : ENOSPC;
    free(line);
    return written == used || failed("%s: %s", tiles->folder, strerror(fault));
}

/// Files of `landfall build` (build_work.c).
static bool is_of_build(const char *name) {
    static const char *const names[] = {"samples", "mask",       "blocks",
                                        "packed",  "mosaic.vrt", "mosaic.vrt.part"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

void manifest_remove(tile_run *tiles) {
    DIR *list = opendir(tiles->folder);
    // The manifest last: without it the rest means nothing.
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (path_ends(entry->d_name, ".tif") || strncmp(entry->d_name, "done.", 5) == 0 ||
            is_of_build(entry->d_name))
            unlink(path_in(tiles, entry->d_name));
    if (list)
        closedir(list);
    unlink(path_in(tiles, MANIFEST));
    rmdir(tiles->folder);
    if (tiles->lock >= 0)
        close(tiles->lock);
    if (tiles->log >= 0)
        close(tiles->log);
    tiles->lock = tiles->log = -1;
}
