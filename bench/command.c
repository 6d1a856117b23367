/// Whole commands, from start to end, file to file: landfall viewshed and height against gdal_viewshed and
/// gdallocationinfo on the same files.
///
/// Ratios are of elapsed time, because that is what a person waits for; the programs take turns, and a ratio is the median
/// over the rounds. Processor time and memory at its peak are printed beside it.
#include "program.h"
#include "support.h"

#include <landfall/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 30 // of the samples that landfall make writes

/// Forms of the same raster.
typedef struct command_form {
    const char *name, *ending;
    const char *options[3]; ///< of gdal_translate, ending with NULL
} command_form;

static const command_form forms[] = {
    {"striped", "striped.tif", {"TILED=NO", NULL, NULL}},
    {"tiled", "tiled.tif", {"TILED=YES", NULL, NULL}},
    {"DEFLATE", "deflate.tif", {"TILED=YES", "COMPRESS=DEFLATE", NULL}},
    {".lf", "ground.lf", {NULL, NULL, NULL}},
};
#define FORMS ((int)(sizeof forms / sizeof *forms))
#define FORM_LF (FORMS - 1)

typedef struct command_run {
    bench_report *report;
    char folder[512];
    int64_t side;
    double worst[2], worst_lf, memory; ///< ratios: by threads, from .lf, of memory
    double height_tif, height_lf;
    bool same; ///< landfall's answers are the same from every file, on any number of threads
} command_run;

static int command_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, command_order);
    return values[count / 2];
}

static void file_of(const command_run *run, const char *name, char path[700]) {
    snprintf(path, 700, "%s/%s", run->folder, name);
}

static void must_run(const char *const *arguments) {
    bench_cost cost;
    if (!bench_program(arguments, &cost))
        bench_stop("%s failed, or is not installed", arguments[0]);
}

/// The raster in all its forms.
static void make_files(const command_run *run) {
    char made[700], side[24];
    file_of(run, "made.tif", made);
    snprintf(side, sizeof side, "%lld", (long long)run->side);
    must_run((const char *const[]){LANDFALL_COMMAND, "make", "mountains", "--size", side, "-o", made, NULL});
    for (int k = 0; k < FORMS; k++) {
        const char *const *o = forms[k].options;
        char path[700];
        file_of(run, forms[k].ending, path);
        if (k == FORM_LF)
            must_run((const char *const[]){LANDFALL_COMMAND, "build", made, "-o", path, NULL});
        else if (o[1])
            must_run(
                (const char *const[]){"gdal_translate", "-q", "-co", o[0], "-co", o[1], made, path, NULL});
        else
            must_run((const char *const[]){"gdal_translate", "-q", "-co", o[0], made, path, NULL});
    }
}

/// The bytes of a result: 1 where something is visible.
static uint8_t *read_result(const command_run *run, const char *path) {
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster;
    lf_error error;
    def.nodata_given = true;
    def.nodata = (double)NAN;
    if (lf_raster_read(path, &def, &raster, &error) != LF_OK)
        bench_stop("%s", error.text);
    lf_grid_def grid = lf_raster_grid_def(raster);
    lf_grid *made;
    if (lf_grid_create(&grid, &made, &error) != LF_OK)
        bench_stop("%s: %s", path, error.text);
    uint8_t *bytes = bench_take((size_t)(run->side * run->side), 1);
    for (int64_t row = 0; row < run->side; row++)
        for (int64_t column = 0; column < run->side; column++)
            bytes[row * run->side + column] = lf_grid_sample(made, column, row) > 0;
    lf_grid_destroy(made);
    lf_raster_close(raster);
    return bytes;
}

/// Share of the samples that differ.
static double differing(const command_run *run, const uint8_t *a, const uint8_t *b) {
    int64_t count = 0, all = run->side * run->side;
    for (int64_t k = 0; k < all; k++)
        count += a[k] != b[k];
    return (double)count / (double)all;
}

/// Commands that take turns: medians of what they took, and of the ratio of their elapsed times.
typedef struct command_race {
    bench_cost ours, theirs;
    double ratio;
} command_race;

static command_race race(const command_run *run, const char *const *ours, const char *const *theirs) {
    double at[7][BENCH_ROUNDS_MAX];
    int rounds = run->report->rounds;
    command_race result;
    must_run(ours); // files are in memory then
    must_run(theirs);
    for (int k = 0; k < rounds; k++) {
        bench_cost mine, other;
        if (!bench_program(k & 1 ? theirs : ours, k & 1 ? &other : &mine) ||
            !bench_program(k & 1 ? ours : theirs, k & 1 ? &mine : &other))
            bench_stop("%s or %s failed", ours[0], theirs[0]);
        double found[7] = {mine.seconds,
                           mine.elapsed,
                           mine.megabytes,
                           other.seconds,
                           other.elapsed,
                           other.megabytes,
                           other.elapsed / mine.elapsed};
        for (int n = 0; n < 7; n++)
            at[n][k] = found[n];
    }
    double middle[7];
    for (int n = 0; n < 7; n++)
        middle[n] = median_of(at[n], rounds);
    result.ours = (bench_cost){middle[0], middle[1], middle[2]};
    result.theirs = (bench_cost){middle[3], middle[4], middle[5]};
    result.ratio = middle[6];
    return result;
}

static void put_race(bench_table *table, const char *form, int threads, const command_race *r, double off) {
    bench_table_row(table);
    bench_table_cell(table, "%s", form);
    bench_table_cell(table, "%d", threads);
    bench_table_cell(table, "%.0f", 1e3 * r->ours.elapsed);
    bench_table_cell(table, "%.0f", 1e3 * r->ours.seconds);
    bench_table_cell(table, "%.0f", r->ours.megabytes);
    bench_table_cell(table, "%.0f", 1e3 * r->theirs.elapsed);
    bench_table_cell(table, "%.0f", 1e3 * r->theirs.seconds);
    bench_table_cell(table, "%.0f", r->theirs.megabytes);
    bench_table_cell(table, "%.2f", r->ratio);
    bench_table_cell(table, "%.3f", 100 * off);
}

/// One row: a form of the raster and a number of threads.
static void race_viewsheds(command_run *run, bench_table *table, int form, int threads, uint8_t **answer) {
    char ground[700], rival[700], mine[700], other[700], x[40], y[40], at[90], many[16];
    file_of(run, forms[form].ending, ground);
    file_of(run, form == FORM_LF ? forms[1].ending : forms[form].ending, rival);
    file_of(run, "mine.tif", mine);
    file_of(run, "other.tif", other);
    double place = SPACING * (double)((run->side - 1) / 2);
    snprintf(x, sizeof x, "%.0f", place);
    snprintf(y, sizeof y, "%.0f", place);
    snprintf(at, sizeof at, "%s,%s", x, y);
    snprintf(many, sizeof many, "%d", threads);
    const char *const ours[] = {LANDFALL_COMMAND, "viewshed", ground, "--at", at,   "--eye", "30", "--cc",
                                "0.85714",        "-j",       many,   "-q",   "-o", mine,    NULL};
    const char *const theirs[] = {"gdal_viewshed", "-q", "-ox", x,     "-oy", y,
                                  "-oz",           "30", "-tz", "0",   "-cc", "0.85714",
                                  "-md",           "0",  rival, other, NULL};
    command_race r = race(run, ours, theirs);
    uint8_t *seen = read_result(run, mine), *gdal = read_result(run, other);
    if (!*answer) {
        *answer = bench_take((size_t)(run->side * run->side), 1);
        memcpy(*answer, seen, (size_t)(run->side * run->side));
    }
    run->same = run->same && differing(run, seen, *answer) == 0;
    put_race(table, forms[form].name, threads, &r, differing(run, seen, gdal));
    double *worst = form == FORM_LF ? &run->worst_lf : &run->worst[threads - 1];
    if (form != FORM_LF || threads == 1)
        *worst = fmin(*worst, r.ratio);
    if (threads == 1)
        run->memory = fmin(run->memory, r.theirs.megabytes / r.ours.megabytes);
    free(seen);
    free(gdal);
}

/// The first number that a command prints after so many others.
static double printed(const char *command, int before) {
    FILE *pipe = popen(command, "r");
    double number = (double)NAN;
    for (int k = 0; pipe && k <= before; k++)
        if (fscanf(pipe, "%lf", &number) != 1)
            number = (double)NAN;
    if (pipe)
        pclose(pipe);
    return number;
}

static void race_heights(command_run *run, bench_table *table, int form) {
    char ground[700], rival[700], x[40], at[90], command[1600];
    file_of(run, forms[form].ending, ground);
    file_of(run, form == FORM_LF ? forms[1].ending : forms[form].ending, rival);
    snprintf(x, sizeof x, "%.0f", SPACING * (double)(run->side / 3));
    snprintf(at, sizeof at, "%s,%s", x, x);
    command_race r =
        race(run, (const char *const[]){LANDFALL_COMMAND, "height", ground, "--at", at, NULL},
             (const char *const[]){"gdallocationinfo", "-valonly", "-geoloc", rival, x, x, NULL});
    snprintf(command, sizeof command, "'%s' height '%s' --at %s", LANDFALL_COMMAND, ground, at);
    double ours = printed(command, 2);
    snprintf(command, sizeof command, "gdallocationinfo -valonly -geoloc '%s' %s %s", rival, x, x);
    double theirs = printed(command, 0);
    if (!(fabs(ours - theirs) < 1e-3))
        bench_stop("a height is %.9g here and %.9g there", ours, theirs);
    put_race(table, forms[form].name, 1, &r, 0);
    double *worst = form == FORM_LF ? &run->height_lf : &run->height_tif;
    *worst = fmin(*worst, r.ratio);
}

static void bench_side(command_run *run) {
    static const char *const heads[] = {"file",      "threads", "ms",    "processor", "MB", "GDAL ms",
                                        "processor", "GDAL MB", "ratio", "differ %",  NULL};
    static bench_table table; // large
    char title[160];
    uint8_t *answer = NULL;
    bench_folder_open(run->folder, sizeof run->folder);
    make_files(run);
    snprintf(title, sizeof title, "viewshed, %lld x %lld", (long long)run->side, (long long)run->side);
    bench_table_start(&table, title, heads);
    for (int form = 0; form < FORMS; form++)
        for (int threads = 1; threads <= 2; threads++)
            race_viewsheds(run, &table, form, threads, &answer);
    bench_table_end(&table, run->report);
    snprintf(title, sizeof title, "height of one point, %lld x %lld", (long long)run->side,
             (long long)run->side);
    bench_table_start(&table, title, heads);
    for (int form = 0; form < FORMS; form++)
        race_heights(run, &table, form);
    bench_table_end(&table, run->report);
    bench_folder_close(run->folder);
    free(answer);
}

int main(int argc, char **argv) {
    static const int64_t sides[] = {1025, 4097, 8193};
    static bench_report report; // large
    bench_report_start(&report, argc, argv, "Whole commands against those of GDAL, file to file.");
    command_run run = {.report = &report, .worst = {INFINITY, INFINITY}, .worst_lf = INFINITY, .same = true};
    run.memory = run.height_tif = run.height_lf = INFINITY;
    printf("landfall %s (%s) against GDAL, whole commands, elapsed time\n%s\n", lf_version(),
           lf_isa_name(lf_isa_best()), bench_machine());
    for (int k = 0; k < (report.quick ? 1 : 3); k++) {
        char name[32];
        snprintf(name, sizeof name, "%lld", (long long)sides[k]);
        run.side = sides[k];
        // The largest only by --large, or by its name.
        if (bench_wanted(&report, name) && (k < 2 || report.large || report.only))
            bench_side(&run);
    }
    if (isinf(run.memory))
        bench_stop("--only %s: expected 1025, 4097 or 8193", report.only);
    bench_bar(&report, "command viewshed, one thread", run.worst[0], 1.5);
    bench_bar(&report, "command viewshed, two threads", run.worst[1], 2.5);
    bench_bar(&report, "command viewshed from .lf", run.worst_lf, 5);
    bench_bar(&report, "command viewshed memory", run.memory, 1);
    bench_bar(&report, "command height of .tif", run.height_tif, 1);
    bench_bar(&report, "command height of .lf", run.height_lf, 10);
    bench_bar(&report, "command same answers", run.same, 1);
    return bench_report_end(&report);
}
