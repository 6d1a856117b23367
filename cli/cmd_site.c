/// `landfall site`: which of many places cover most.
#include "commands.h"
#include "ground.h"
#include "plots.h"
#include "sight_rules.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdio.h>

/// State of one run of `landfall site`.
typedef struct site_run {
    cli *run;
    lf_site_def def;
    observers places;
    lf_site *sites;
    int64_t count;
    lf_site_stats stats;
} site_run;

// ---- The question -------------------------------------------------------------------------------

static bool find_candidates(site_run *site) {
    cli *run = site->run;
    const char *path = run->given.arguments[1];
    bool datum = options_has(&run->given, "datum");
    observers *places = &site->places;
    if (!observers_from_file(run, path, options_number(&run->given, "eye", 2), places))
        return false;
    if (site->def.most > places->count)
        return refused("--choose %lld: %s has %lld places", (long long)site->def.most, path,
                       (long long)places->count);
    lf_observer *candidates = allocate((size_t)places->count, sizeof *candidates);
    for (int64_t i = 0; i < places->count; i++)
        candidates[i] = (lf_observer){places->at[i], places->heights[i], datum};
    site->def.candidates = candidates;
    site->def.candidate_count = places->count;
    return true;
}

/// The weight of each sample: that of the nearest pixel of --weights, 0 beside it.
static bool find_weights(site_run *site) {
    cli *run = site->run, plain = *run; // --band, --nodata and their like are the ground's
    const char *path = options_value(&run->given, "weights");
    loaded raster = {0};
    if (!path)
        return true;
    plain.given = (options){.arguments = &path, .argument_count = 1, .dashes = run->given.dashes};
    plain.reach = NULL;
    if (!raster_load(&plain, path, &raster)) {
        ground_free(&raster);
        return false;
    }
    lf_window w = lf_grid_window(run->ground.grid);
    lf_geotransform place = lf_grid_describe(run->ground.grid).geotransform;
    float *weights = allocate((size_t)(w.columns * w.rows), sizeof *weights);
    bool degrees = ground_in_degrees(&raster) != ground_map_in_degrees(&run->ground), any = false;
    for (int64_t k = 0; k < w.columns * w.rows; k++) {
        lf_vec2 at = lf_geotransform_at(&place, (double)(k % w.columns), (double)(k / w.columns)),
                near = lf_grid_locate(raster.grid, at);
        double weight =
            fabs(near.x) < 1e9 && fabs(near.y) < 1e9
                ? lf_grid_sample(raster.grid, (int64_t)floor(near.x + 0.5), (int64_t)floor(near.y + 0.5))
                : LF_NAN;
        weights[k] = weight > 0 ? (float)weight : 0;
        any |= weight > 0;
    }
    ground_free(&raster);
    site->def.weights = weights;
    if (degrees)
        return failed("--weights %s: one of it and the ground is in degrees, the other in metres", path);
    return any || failed("--weights %s: no sample of the ground has a weight above 0", path);
}

// ---- The answer ---------------------------------------------------------------------------------

typedef struct site_row {
    int64_t site; ///< from 1
    const char *name;
    lf_vec2 at;
    double height, gain, covered, share;
} site_row;

static const field site_columns[] = {
    {"site", FIELD_INTEGER, offsetof(site_row, site)},
    {"name", FIELD_TEXT, offsetof(site_row, name)},
    {"at", FIELD_PAIR, offsetof(site_row, at), "m"},
    {"height", FIELD_NUMBER, offsetof(site_row, height), "m", IN_CSV | IN_JSON},
    {"gain", FIELD_NUMBER, offsetof(site_row, gain)},
    {"covered", FIELD_NUMBER, offsetof(site_row, covered), NULL, IN_CSV | IN_JSON},
    {"share", FIELD_NUMBER, offsetof(site_row, share)},
    {NULL}};

typedef struct site_answer {
    int64_t candidates, chosen, viewsheds, gains, plain;
    double covered, total, share, limit, least, guarantee, cc, radius;
    field_span sites;
} site_answer;

#define ANSWER(name, type) \
    { #name, type, offsetof(site_answer, name) }

const field site_fields[] = {
    {"sites", FIELD_LIST, offsetof(site_answer, sites), .fields = site_columns, .size = sizeof(site_row)},
    ANSWER(candidates, FIELD_INTEGER),
    ANSWER(chosen, FIELD_INTEGER),
    ANSWER(covered, FIELD_NUMBER),
    ANSWER(total, FIELD_NUMBER),
    ANSWER(share, FIELD_NUMBER),
    ANSWER(limit, FIELD_NUMBER),
    ANSWER(least, FIELD_NUMBER),
    ANSWER(guarantee, FIELD_NUMBER),
    ANSWER(viewsheds, FIELD_INTEGER),
    ANSWER(gains, FIELD_INTEGER),
    ANSWER(plain, FIELD_INTEGER),
    ANSWER(cc, FIELD_NUMBER),
    {"radius", FIELD_NUMBER, offsetof(site_answer, radius), "m", IN_JSON},
    {NULL}};

static site_answer make_answer(const site_run *site) {
    const lf_site_stats *stats = &site->stats;
    double covered = site->count > 0 ? site->sites[site->count - 1].covered : 0;
    site_row *rows = allocate((size_t)site->count + 1, sizeof *rows);
    int64_t plain = 0;
    for (int64_t k = 0; k < site->count; k++) {
        const lf_site *one = &site->sites[k];
        char *number = allocate(24, 1);
        const char *name = site->places.names[one->candidate];
        snprintf(number, 24, "%lld", (long long)one->candidate + 1);
        rows[k] = (site_row){k + 1,
                             name ? name : number,
                             site->places.at[one->candidate],
                             site->places.heights[one->candidate],
                             one->gain,
                             one->covered,
                             one->covered / stats->total};
        plain += site->def.candidate_count - k;
    }
    return (site_answer){.candidates = site->def.candidate_count,
                         .chosen = site->count,
                         .covered = covered,
                         .total = stats->total,
                         .share = stats->total > 0 ? covered / stats->total : 0,
                         .limit = stats->limit,
                         .least = stats->limit > 0 ? covered / stats->limit : 1,
                         .guarantee = LF_SITE_GUARANTEE,
                         .viewsheds = stats->viewsheds,
                         .gains = stats->gains,
                         .plain = plain,
                         .cc = site->def.view.rules.curvature.coefficient,
                         .radius = site->def.view.rules.curvature.radius,
                         .sites = {rows, site->count}};
}

/// The chosen places as points of a vector file.
typedef struct site_points {
    const site_answer *answer;
    int64_t next;
} site_points;

static lf_status next_point(void *user, lf_vector_feature *feature, bool *more, lf_error *error) {
    site_points *points = user;
    const site_row *row = (const site_row *)points->answer->sites.items + points->next;
    (void)error;
    *more = points->next++ < points->answer->chosen;
    if (!*more)
        return LF_OK;
    feature->a = (lf_vec3){row->at.x, row->at.y, row->height};
    feature->values[0].number = (double)row->site;
    feature->values[1].text = row->name;
    feature->values[2].number = row->height;
    feature->values[3].number = row->gain;
    feature->values[4].number = row->covered;
    feature->values[5].number = row->share;
    return LF_OK;
}

static bool write_points(const site_run *site, const site_answer *answer, const char *path) {
    static const lf_vector_field fields[] = {{"site", LF_VECTOR_INTEGER},   {"name", LF_VECTOR_TEXT},
                                             {"height", LF_VECTOR_NUMBER},  {"gain", LF_VECTOR_NUMBER},
                                             {"covered", LF_VECTOR_NUMBER}, {"share", LF_VECTOR_NUMBER}};
    site_points points = {answer, 0};
    lf_vector_def def = lf_vector_def_default();
    lf_error error = {0};
    def.host = site->run->host;
    def.layer = "sites";
    def.crs = site->run->ground.about.crs;
    def.fields = fields;
    def.field_count = 6;
    def.next = next_point;
    def.user = &points;
    return succeeded(lf_vector_write(path, &def, &error), &error);
}

static bool write_files(const site_run *site, const site_answer *answer) {
    cli *run = site->run;
    const char *path = options_value(&run->given, "output"), *plot = options_value(&run->given, "plot");
    lf_error error = {0};
    if (path && is_sheet(path)) {
        sheet sheet = {site_columns,     answer->sites.items, answer->chosen,
                       sizeof(site_row), site_fields,         answer};
        if (!sheet_write(run, &sheet, path))
            return false;
    } else if (path && !write_points(site, answer, path)) {
        return false;
    }
    lf_figure_page page = figure_page(run, plot, PLOT_WIDTH);
    return !plot ||
           succeeded(lf_figure_coverage(&page, site->sites, site->count, &site->stats, &error), &error);
}

// ---- The command --------------------------------------------------------------------------------

static bool choose(site_run *site) {
    cli *run = site->run;
    lf_error error = {0};
    lf_site_def *def = &site->def;
    def->view.host = run->host;
    def->view.rules = sight_rules_of(run); // ranges are metres, also where x and y are degrees
    def->view.lattice = ground_lattice_of(&run->ground);
    def->view.places = run->ground.lattice_places;
    if (!find_candidates(site) || !find_weights(site))
        return false;
    site->sites = allocate((size_t)def->most, sizeof *site->sites);
    lf_status status =
        lf_site_choose(run->ground.ground, def, site->sites, &site->count, &site->stats, &error);
    if (status == LF_BAD_ARGUMENT && error.where >= 0)
        return failed("%s: place %lld: %s", run->given.arguments[1], (long long)error.where + 1, error.text);
    return succeeded(status, &error);
}

int command_site(cli *run) {
    const options *given = &run->given;
    site_run site = {.run = run, .def = lf_site_def_default()};
    double n[ROW_NUMBERS];
    site.def.most = options_integer(given, "choose", 1);
    site.def.overlap = (int)options_integer(given, "overlap", 1);
    site.def.view.target = options_number(given, "target", 0);
    site.def.view.target_on = options_choice(given, "target-on", 1) == 0 ? LF_TARGET_GROUND : LF_TARGET_TOP;
    int numbers = options_numbers(given, "range", 0, n);
    if (numbers > 0)
        site.def.view.range_max = n[numbers - 1];
    if (numbers == 2)
        site.def.view.range_min = n[0];
    bool fine = ground_open(run, 0) && ground_lattice(run) && choose(&site);
    if (fine) {
        site_answer answer = make_answer(&site);
        fine = write_files(&site, &answer);
        if (fine)
            answer_write_facts(run, site_fields, &answer);
    }
    observers_free(&site.places);
    return fine ? CLI_YES : CLI_ERROR;
}
