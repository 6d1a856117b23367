/// Profiles of lines as files, and `landfall sight --path FILE`: sight over a measured profile.
#include "commands.h"
#include "plots.h"
#include "questions.h"
#include "sight_rules.h"
#include <math.h>

// ---- Profiles -----------------------------------------------------------------------------------

enum { PLACED = 1, ZONE = 2, BLOCKED = 4, CLEAR = 8 };

typedef struct profile_sample {
    unsigned has;
    double distance;
    lf_vec2 at;
    double ground, line, fresnel, cc;
} profile_sample;

#define SAMPLE(name, type, member, unit, forms, when) \
    { name, type, offsetof(profile_sample, member), unit, forms, when }

static const field sample_fields[] = {SAMPLE("distance", FIELD_NUMBER, distance, "m", 0, 0),
                                      SAMPLE("at", FIELD_PAIR, at, "m", OPTIONAL, PLACED),
                                      SAMPLE("ground", FIELD_NUMBER, ground, "m", 0, 0),
                                      SAMPLE("line", FIELD_NUMBER, line, "m", 0, 0),
                                      SAMPLE("fresnel", FIELD_NUMBER, fresnel, "m", OPTIONAL, ZONE),
                                      SAMPLE("cc", FIELD_NUMBER, cc, NULL, IN_CSV, 0),
                                      {NULL}};

typedef struct profile_answer {
    unsigned has;
    const char *verdict;
    double cc, radius, length;
    field_span samples;
} profile_answer;

static const field profile_fields[] = {{"verdict", FIELD_TEXT, offsetof(profile_answer, verdict)},
                                       {"cc", FIELD_NUMBER, offsetof(profile_answer, cc)},
                                       {"radius", FIELD_NUMBER, offsetof(profile_answer, radius), "m"},
                                       {"length", FIELD_NUMBER, offsetof(profile_answer, length), "m"},
                                       {"samples", FIELD_LIST, offsetof(profile_answer, samples),
                                        .fields = sample_fields, .size = sizeof(profile_sample)},
                                       {NULL}};

bool profile_write(cli *run, const profile *profile, const char *path) {
    const lf_sight_rules *rules = profile->rules;
    double length = profile->sight->length;
    if (!is_sheet(path)) {
        lf_figure_page page = figure_page(run, path, PLOT_WIDTH);
        lf_figure_profile_def def = {profile->samples, profile->count, profile->a.z,
                                     profile->b.z,     profile->sight, rules};
        lf_error error = {0};
        return succeeded(lf_figure_profile(&page, &def, &error), &error);
    }
    profile_sample *samples = allocate((size_t)profile->count + 1, sizeof *samples);
    for (int64_t i = 0; i < profile->count; i++) {
        const lf_profile_point *sample = &profile->samples[i];
        lf_vec2 at = {profile->a.x + sample->t * (profile->b.x - profile->a.x),
                      profile->a.y + sample->t * (profile->b.y - profile->a.y)};
        at = profile->places ? profile->places[i] : at;
        samples[i] = (profile_sample){
            (profile->placed ? PLACED : 0) | (rules->frequency_mhz > 0 ? ZONE : 0),
            sample->distance,
            at,
            sample->ground,
            sample->line,
            lf_fresnel_radius(rules->frequency_mhz, sample->distance, length - sample->distance),
            rules->curvature.coefficient};
    }
    profile_answer answer = {0,
                             lf_verdict_name(profile->sight->verdict),
                             rules->curvature.coefficient,
                             rules->curvature.radius,
                             length,
                             {samples, profile->count}};
    sheet sheet = {.columns = sample_fields,
                   .rows = samples,
                   .count = profile->count,
                   .size = sizeof *samples,
                   .fields = profile_fields,
                   .document = &answer};
    return sheet_write(run, &sheet, path);
}

// ---- A measured path ----------------------------------------------------------------------------

/// A measured path, as it was read.
typedef struct path_run {
    cli *run;
    lf_sight_rules rules;
    double eye, target;
    double unit; ///< metres of a unit of its distances
    double *distances, *heights;
    int64_t count, capacity;
    lf_profile_sight view;
} path_run;

typedef struct path_answer {
    unsigned has;
    const char *verdict;
    lf_profile_sight view;
    double distance, clearance_at, fresnel_at, cc, radius;
} path_answer;

#define ANSWER(name, member, unit, forms, when) \
    { name, FIELD_NUMBER, offsetof(path_answer, member), unit, forms, when }

static const field from_fields[] = {ANSWER("angle", view.from_a.angle_deg, "degrees", 0, 0),
                                    ANSWER("distance", view.from_a.distance, "m", 0, 0),
                                    {NULL}};
static const field to_fields[] = {ANSWER("angle", view.from_b.angle_deg, "degrees", 0, 0),
                                  ANSWER("distance", view.from_b.distance, "m", 0, 0),
                                  {NULL}};
static const field zone_fields[] = {ANSWER("fresnel", view.sight.fresnel, NULL, LABELLED, 0),
                                    ANSWER("fresnel_at", fresnel_at, "m", 0, 0),
                                    {NULL}};

const field sight_path_fields[] = {{"verdict", FIELD_TEXT, offsetof(path_answer, verdict)},
                                   ANSWER("clearance", view.sight.clearance, "m", IN_TEXT, CLEAR),
                                   ANSWER("distance", distance, "m", 0, BLOCKED),
                                   ANSWER("line", view.sight.point.z, "m", 0, BLOCKED),
                                   ANSWER("length", view.sight.length, "m", IN_JSON, 0),
                                   ANSWER("clearance", view.sight.clearance, "m", IN_JSON, 0),
                                   ANSWER("clearance_at", clearance_at, "m", IN_JSON, 0),
                                   ANSWER("raise", view.sight.raise, "m", IN_JSON, 0),
                                   ANSWER("fresnel", view.sight.fresnel, NULL, IN_JSON, ZONE),
                                   ANSWER("fresnel_at", fresnel_at, "m", IN_JSON, ZONE),
                                   {"from", FIELD_GROUP, 0, NULL, IN_JSON, .fields = from_fields},
                                   {"to", FIELD_GROUP, 0, NULL, IN_JSON, .fields = to_fields},
                                   ANSWER("cc", cc, NULL, LABELLED, 0),
                                   ANSWER("radius", radius, "m", IN_JSON, 0),
                                   {NULL}};

static void write_path(const path_run *path) {
    const lf_sight *sight = &path->view.sight;
    output *out = &path->run->out;
    bool clear = sight->verdict == LF_VERDICT_CLEAR, zone = path->rules.frequency_mhz > 0;
    path_answer answer = {.has = (clear ? CLEAR : BLOCKED) | (zone ? ZONE : 0),
                          .verdict = lf_verdict_name(sight->verdict),
                          .view = path->view,
                          .distance = sight->t * sight->length,
                          .clearance_at = sight->clearance_t * sight->length,
                          .fresnel_at = sight->fresnel_t * sight->length,
                          .cc = path->rules.curvature.coefficient,
                          .radius = path->rules.curvature.radius};
    answer_write(path->run, sight_path_fields, &answer);
    if (path->run->json)
        return;
    output_text(out, "from ");
    answer_line(out, from_fields, &answer);
    output_text(out, "to ");
    answer_line(out, to_fields, &answer);
    if (zone)
        answer_line(out, zone_fields, &answer);
}

static bool take_rows(void *user, row_reader *reader) {
    path_run *path = user;
    if (path->count + reader->count > path->capacity) {
        path->capacity = 2 * (path->count + reader->count);
        path->distances = allocate_more(path->distances, (size_t)path->capacity, sizeof(double));
        path->heights = allocate_more(path->heights, (size_t)path->capacity, sizeof(double));
    }
    for (int64_t i = 0; i < reader->count; i++) {
        path->distances[path->count] = reader->rows[i].numbers[0] * path->unit;
        path->heights[path->count++] = reader->rows[i].numbers[1];
    }
    return true;
}

/// The path as a profile: its points, and the line over them.
static bool write_profile(const path_run *path, const char *name) {
    int64_t last = path->count - 1;
    double length = path->distances[last];
    const lf_curvature *bend = &path->rules.curvature;
    lf_profile_point *samples = allocate((size_t)path->count, sizeof *samples);
    profile profile = {.samples = samples,
                       .count = path->count,
                       .a = {0, 0, path->heights[0] + path->eye},
                       .b = {length, 0, path->heights[last] + path->target},
                       .sight = &path->view.sight,
                       .rules = &path->rules};
    for (int64_t i = 0; i <= last; i++) {
        double d = path->distances[i], t = d / length;
        double sag = bend->coefficient * d * (length - d) / (2 * bend->radius);
        samples[i] =
            (lf_profile_point){t, d, path->heights[i], profile.a.z + t * (profile.b.z - profile.a.z) - sag};
    }
    return profile_write(path->run, &profile, name);
}

int sight_path(cli *run) {
    const options *given = &run->given;
    const char *name = options_value(given, "path"), *plot = options_value(given, "profile");
    path_run path = {.run = run,
                     .rules = sight_rules_read(run),
                     .eye = options_number(given, "eye", 2),
                     .target = options_number(given, "target", 0),
                     .unit = options_has(given, "km") ? 1000 : 1};
    lf_error error = {.where = -1};
    if (!rows_read(name, (row_shape){2, 2, "DISTANCE,HEIGHT"}, take_rows, &path))
        return CLI_ERROR;
    sight_rules_settle(NULL, &path.rules);
    lf_status status = lf_sight_over_profile(path.distances, path.heights, path.count, path.eye, path.target,
                                             !options_has(given, "posts"), &path.rules, &path.view, &error);
    if (status != LF_OK)
        return message_error("%s: %s", name, error.text[0] ? error.text : lf_status_text(status));
    if (plot && !write_profile(&path, plot))
        return CLI_ERROR;
    write_path(&path);
    return path.view.sight.verdict == LF_VERDICT_CLEAR ? CLI_YES : CLI_NO;
}
