/// `landfall total`: how much is seen from every sample of a raster.
#include "commands.h"
#include "ground.h"
#include "option_tables.h"
#include "tiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED = 1 };
enum { AREA, OPEN, MEAN, LONGEST, INSIDE, END_X, END_Y, VALUES };

/// State of one run of `landfall total`.
typedef struct total_run {
    unsigned has; ///< CHECKED
    cli *run;
    lf_total_def def;
    int64_t seeing;   ///< samples that are no void
    int64_t border;   ///< of these, whose range leaves the raster
    double mean_area; ///< of these
    double cc, radius;
    lf_total_errors errors;
    int bands, chosen[VALUES];
    const char *names[VALUES];
} total_run;

const field total_fields[] = {
    {"samples", FIELD_INTEGER, offsetof(total_run, seeing)},
    {"border", FIELD_INTEGER, offsetof(total_run, border), "samples"},
    {"area", FIELD_NUMBER, offsetof(total_run, mean_area), "m2"},
    {"checked", FIELD_INTEGER, offsetof(total_run, errors.samples), "samples", 0, CHECKED},
    {"error_mean", FIELD_NUMBER, offsetof(total_run, errors.mean), NULL, 0, CHECKED},
    {"error_95", FIELD_NUMBER, offsetof(total_run, errors.most95), NULL, 0, CHECKED},
    {"error_worst", FIELD_NUMBER, offsetof(total_run, errors.worst), NULL, 0, CHECKED},
    {"cc", FIELD_NUMBER, offsetof(total_run, cc)},
    {"radius", FIELD_NUMBER, offsetof(total_run, radius), "m", IN_JSON},
    {NULL}};

static const char *const value_names[] = {"area", "open", "mean", "longest", "inside", "end x", "end y"};

/// Is a value among those of --values? The visible area always is, and how much of the range is on the raster: where that is not all, the
/// area is less for this reason alone.
static bool is_chosen(const total_run *total, int value) {
    const char *given = options_value(&total->run->given, "values");
    if (value == AREA || value == INSIDE || !given)
        return value == AREA || value == INSIDE;
    if (strcmp(given, "all") == 0)
        return true;
    return strcmp(given, value_names[value >= END_X ? LONGEST : value]) == 0;
}

/// Counts of a tile: samples that are no void, and their area, in whole square metres and parts of one.
enum { SEEING, WHOLE_AREA, PART_AREA, BORDER };
#define PARTS_PER_METRE 0x1p20

/// Sums of whole numbers are the same in any order.
static void add_areas(const float *area, const float *inside, size_t samples, tile_sums *sums) {
    for (size_t i = 0; i < samples; i++) {
        if (isnan(area[i]))
            continue;
        double whole = floor((double)area[i]);
        sums->counts[SEEING]++;
        sums->counts[BORDER] += inside[i] < 1;
        sums->counts[WHOLE_AREA] += (int64_t)whole;
        sums->counts[PART_AREA] += (int64_t)(((double)area[i] - whole) * PARTS_PER_METRE);
    }
}

/// A number from 0 to 1 that is the same on every machine.
static double hash_share(uint64_t seed) {
    uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// Compare those of the samples chosen at random that are in a window with exact viewsheds.
static bool check_samples(const total_run *total, lf_window all, lf_window window, const float *area,
                          tile_sums *sums) {
    int64_t count = options_integer(&total->run->given, "check", 20);
    lf_error error = {0};
    for (int64_t k = 0; k < count; k++) {
        int64_t column = all.column + (int64_t)(hash_share((uint64_t)k * 2) * (double)all.columns),
                row = all.row + (int64_t)(hash_share((uint64_t)k * 2 + 1) * (double)all.rows);
        lf_window one = {column, row, 1, 1};
        lf_total_errors found;
        if (column < window.column || column >= window.column + window.columns || row < window.row ||
            row >= window.row + window.rows)
            continue;
        const float *at = &area[(row - window.row) * window.columns + column - window.column];
        if (!succeeded(
                lf_total_check(total->run->ground.ground, &total->def, one, at, 0, 1, 1, &found, &error),
                &error))
            return false;
        if (found.samples > 0)
            tile_sums_add(sums, found.worst);
    }
    return true;
}

/// Places are doubles, and then all bands are: at 5,000 km from its origin a float is half a metre.
static void widen(const total_run *total, const float *numbers, const double *places, size_t samples,
                  double *values) {
    for (int k = 0; k < total->bands; k++)
        for (size_t i = 0; i < samples; i++)
            values[(size_t)k * samples + i] = total->chosen[k] >= END_X
                                                  ? places[(size_t)(total->chosen[k] - END_X) * samples + i]
                                                  : (double)numbers[(size_t)k * samples + i];
}

static bool compute(tile_job *job, lf_window window, void *values, tile_sums *sums) {
    total_run *total = job->user;
    lf_total_maps maps = {0};
    lf_error error = {0};
    float **const slots[] = {&maps.area, &maps.open, &maps.mean, &maps.longest, &maps.inside};
    size_t samples = (size_t)window.columns * (size_t)window.rows;
    bool ends = is_chosen(total, END_X);
    double *places = ends ? calloc(2 * samples, sizeof(double)) : NULL;
    float *numbers = ends ? calloc((size_t)total->bands * samples, sizeof(float)) : values;
    bool fine = numbers && (places || !ends);
    maps.end_x = places;
    maps.end_y = places ? places + samples : NULL;
    for (int k = 0; k < total->bands && fine; k++)
        if (total->chosen[k] < END_X)
            *slots[total->chosen[k]] = numbers + (size_t)k * samples;
    fine = fine ? succeeded(lf_total_viewshed(total->run->ground.ground, &total->def, window, &maps, &error),
                            &error)
                : failed("out of memory");
    if (fine)
        add_areas(maps.area, maps.inside, samples, sums);
    fine = fine && check_samples(total, job->window, window, maps.area, sums);
    if (fine && ends)
        widen(total, numbers, places, samples, values);
    if (ends)
        free(numbers);
    free(places);
    return fine;
}

static bool start(tile_job *job) {
    total_run *total = job->user;
    cli *run = job->run;
    total->def.host = run->host;
    total->def.rules = sight_rules_of(run);
    total->cc = total->def.rules.curvature.coefficient;
    total->radius = total->def.rules.curvature.radius;
    job->window = lf_grid_window(run->ground.grid);
    job->result.type = is_chosen(total, END_X) ? LF_RESULT_DOUBLE : LF_RESULT_FLOAT;
    job->result.band_count = total->bands;
    job->result.band_names = total->names;
    job->result.nodata_given = true;
    job->result.nodata = LF_NAN;
    return true;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void finish(total_run *total, const tile_sums *sums) {
    int64_t count = sums->number_count;
    double *errors = sums->numbers, sum = 0;
    double area = (double)sums->counts[WHOLE_AREA] + (double)sums->counts[PART_AREA] / PARTS_PER_METRE;
    total->seeing = sums->counts[SEEING];
    total->border = sums->counts[BORDER];
    total->mean_area = total->seeing > 0 ? area / (double)total->seeing : 0;
    total->has = options_integer(&total->run->given, "check", 20) > 0 ? CHECKED : 0;
    total->errors.samples = count;
    if (count == 0)
        return;
    qsort(errors, (size_t)count, sizeof *errors, compare_numbers);
    for (int64_t i = 0; i < count; i++)
        sum += errors[i];
    total->errors.mean = sum / (double)count;
    total->errors.most95 = errors[(int64_t)ceil(0.95 * (double)count) - 1];
    total->errors.worst = errors[count - 1];
}

static int write_maps(total_run *total, tile_job *job) {
    static facts facts;
    lf_figure_layer look = {.unit = "m\xc2\xb2"};
    facts_start(&facts, total->run, &total->def.rules);
    facts_number(&facts, "EYE", total->def.observer_height);
    facts_number(&facts, "TARGET", total->def.target_height);
    facts_number(&facts, "RANGE_MAX", total->def.range);
    facts_number(&facts, "AZIMUTHS", total->def.azimuths);
    facts_number(&facts, "BORDER_SAMPLES", (double)total->border);
    if (total->has) {
        facts_number(&facts, "CHECKED_SAMPLES", (double)total->errors.samples);
        facts_number(&facts, "ERROR_MEAN", total->errors.mean);
        facts_number(&facts, "ERROR_95", total->errors.most95);
        facts_number(&facts, "ERROR_WORST", total->errors.worst);
    }
    return tiles_write(job, &facts, &look);
}

int command_total(cli *run) {
    const options *given = &run->given;
    total_run total = {.run = run, .def = lf_total_def_default()};
    total.def.observer_height = options_number(given, "eye", total.def.observer_height);
    total.def.target_height = options_number(given, "target", 0);
    total.def.range = options_number(given, "range", total.def.range);
    total.def.azimuths = (int)options_integer(given, "azimuths", total.def.azimuths);
    for (int k = 0; k < VALUES; k++)
        if (is_chosen(&total, k))
            total.chosen[total.bands] = k, total.names[total.bands++] = value_names[k];
    tile_job job = {.run = run,
                    .user = &total,
                    .needs = NEEDS_RASTER,
                    .range = total.def.range,
                    .start = start,
                    .compute = compute,
                    .sample_bytes = is_chosen(&total, END_X) ? 9 * sizeof(float) : 0,
                    .around_bytes = 2 * sizeof(float) + 3, // samples twice, with a quarter each for bounds
                    .fixed_bytes = 12000000,
                    .result = lf_result_def_default()};
    if (!tiles_compute(&job))
        return CLI_ERROR;
    finish(&total, &job.sums);
    int status = write_maps(&total, &job);
    if (status == CLI_YES && !tiles_silent())
        answer_write_facts(run, total_fields, &total);
    return status;
}
