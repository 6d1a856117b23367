/// `landfall total`: how much is seen from every sample of a raster.
#include "commands.h"
#include "ground.h"
#include "option_tables.h"
#include "results.h"
#include <math.h>
#include <string.h>

enum { CHECKED = 1 };
enum { AREA, OPEN, MEAN, LONGEST, INSIDE, END_X, END_Y, VALUES };

/// State of one run of `landfall total`.
typedef struct total_run {
    unsigned has; ///< CHECKED
    cli *run;
    lf_total_def def;
    int64_t samples, seeing; ///< seeing: samples that are no void
    double mean_area;        ///< of these
    double cc, radius;
    lf_total_errors errors;
    float *values; ///< one map after the other
    int bands;
    const char *names[VALUES];
} total_run;

const field total_fields[] = {
    {"samples", FIELD_INTEGER, offsetof(total_run, seeing)},
    {"area", FIELD_NUMBER, offsetof(total_run, mean_area), "m2"},
    {"checked", FIELD_INTEGER, offsetof(total_run, errors.samples), "samples", 0, CHECKED},
    {"error_mean", FIELD_NUMBER, offsetof(total_run, errors.mean), NULL, 0, CHECKED},
    {"error_95", FIELD_NUMBER, offsetof(total_run, errors.most95), NULL, 0, CHECKED},
    {"error_worst", FIELD_NUMBER, offsetof(total_run, errors.worst), NULL, 0, CHECKED},
    {"cc", FIELD_NUMBER, offsetof(total_run, cc)},
    {"radius", FIELD_NUMBER, offsetof(total_run, radius), "m", IN_JSON},
    {NULL}};

static const char *const value_names[] = {"area", "open", "mean", "longest", "inside", "end x", "end y"};

/// Is a value among those of --values? The visible area always is.
static bool is_chosen(const total_run *total, int value) {
    const char *given = options_value(&total->run->given, "values");
    if (value == AREA || !given)
        return value == AREA;
    if (strcmp(given, "all") == 0)
        return true;
    return strcmp(given, value_names[value >= END_X ? LONGEST : value]) == 0;
}

static bool compute(total_run *total, lf_window window) {
    lf_total_maps maps = {0};
    lf_error error = {0};
    float **const slots[] = {&maps.area, &maps.open, &maps.mean, &maps.longest, &maps.inside};
    int chosen[VALUES];
    total->samples = window.columns * window.rows;
    for (int k = 0; k < VALUES; k++)
        if (is_chosen(total, k))
            chosen[total->bands] = k, total->names[total->bands++] = value_names[k];
    size_t samples = (size_t)total->samples;
    bool ends = is_chosen(total, END_X);
    result_note(total->run, window, samples * (size_t)total->bands * sizeof(float));
    total->values = allocate(samples * (size_t)total->bands, sizeof(float));
    double *places = ends ? allocate(2 * samples, sizeof(double)) : NULL;
    maps.end_x = places;
    maps.end_y = ends ? places + samples : NULL;
    for (int k = 0; k < total->bands; k++)
        if (chosen[k] < END_X)
            *slots[chosen[k]] = total->values + (size_t)k * samples;
    if (!succeeded(lf_total_viewshed(total->run->ground.ground, &total->def, window, &maps, &error), &error))
        return false;
    for (int k = 0; k < total->bands; k++)
        for (size_t i = 0; chosen[k] >= END_X && i < samples; i++)
            total->values[(size_t)k * samples + i] = (float)places[(size_t)(chosen[k] - END_X) * samples + i];
    for (size_t i = 0; i < samples; i++)
        if (!isnan(maps.area[i]))
            total->seeing++, total->mean_area += (double)maps.area[i];
    total->mean_area = total->seeing > 0 ? total->mean_area / (double)total->seeing : 0;
    int64_t count = options_integer(&total->run->given, "check", 20);
    total->has = count > 0 ? CHECKED : 0;
    return count == 0 || succeeded(lf_total_check(total->run->ground.ground, &total->def, window, maps.area,
                                                  0, count, 1, &total->errors, &error),
                                   &error);
}

static int write_maps(total_run *total, lf_window window) {
    static facts facts;
    lf_result_def def = lf_result_def_default();
    lf_figure_layer look = {.unit = "m\xc2\xb2"};
    facts_start(&facts, total->run, &total->def.rules);
    facts_number(&facts, "EYE", total->def.observer_height);
    facts_number(&facts, "TARGET", total->def.target_height);
    facts_number(&facts, "RANGE_MAX", total->def.range);
    facts_number(&facts, "AZIMUTHS", total->def.azimuths);
    if (total->has) {
        facts_number(&facts, "CHECKED_SAMPLES", (double)total->errors.samples);
        facts_number(&facts, "ERROR_MEAN", total->errors.mean);
        facts_number(&facts, "ERROR_95", total->errors.most95);
        facts_number(&facts, "ERROR_WORST", total->errors.worst);
    }
    def.type = LF_RESULT_FLOAT;
    def.values = total->values;
    def.window = window;
    def.band_count = total->bands;
    def.band_names = total->names;
    def.nodata_given = true;
    def.nodata = LF_NAN;
    def.unit = total->bands == 1 ? "m2" : NULL;
    return result_write(total->run, &def, &facts, &look);
}

int command_total(cli *run) {
    const options *given = &run->given;
    total_run total = {.run = run, .def = lf_total_def_default()};
    total.def.observer_height = options_number(given, "eye", total.def.observer_height);
    total.def.target_height = options_number(given, "target", 0);
    total.def.range = options_number(given, "range", total.def.range);
    total.def.azimuths = (int)options_integer(given, "azimuths", total.def.azimuths);
    if (!ground_open(run, NEEDS_RASTER))
        return CLI_ERROR;
    lf_window window = lf_grid_window(run->ground.grid);
    total.def.host = run->host;
    total.def.rules = sight_rules_of(run);
    total.cc = total.def.rules.curvature.coefficient;
    total.radius = total.def.rules.curvature.radius;
    int status = compute(&total, window) ? write_maps(&total, window) : CLI_ERROR;
    if (status == CLI_YES)
        answer_write_facts(run, total_fields, &total);
    return status;
}
