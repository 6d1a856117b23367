#include "sight_path.h"
#include "answers.h"
#include "profile.h"
#include "sheet.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A measured path, as it was read.
typedef struct path_run {
    cli *run;
    lf_sight_rules rules;
    double eye, target;
    double unit; ///< metres of a unit of its distances
    bool posts;
    double *distances, *heights;
    int64_t count, room;
    lf_profile_sight view;
} path_run;

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

static bool grow(path_run *path, int64_t more) {
    if (path->count + more <= path->room)
        return true;
    int64_t room = 2 * (path->count + more);
    double *distances = realloc(path->distances, (size_t)room * sizeof(double));
    if (distances)
        path->distances = distances;
    double *heights = realloc(path->heights, (size_t)room * sizeof(double));
    if (heights)
        path->heights = heights;
    if (distances && heights)
        path->room = room;
    else
        message_error("out of memory");
    return distances && heights;
}

static bool take_rows(path_run *path, const row *rows, int64_t count) {
    if (!grow(path, count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        path->distances[path->count] = rows[i].numbers[0] * path->unit;
        path->heights[path->count++] = rows[i].numbers[1];
    }
    return true;
}

static bool read_path(path_run *path, const char *name) {
    static const row_shape shape = {2, 2, "DISTANCE,HEIGHT"};
    row_reader reader;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        message_error("%s: %s", name, strerror(errno));
        return false;
    }
    bool fine = row_reader_open(&reader, file, shape);
    if (!fine)
        message_error("out of memory");
    reader.source = name;
    while (fine && row_reader_next(&reader))
        fine = take_rows(path, reader.rows, reader.count);
    fine = fine && row_reader_complain(&reader);
    row_reader_close(&reader);
    close(file);
    return fine;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static void write_end(output *out, const char *word, const lf_profile_horizon *horizon) {
    output_text(out, word);
    output_char(out, ' ');
    put_maybe(out, horizon->angle_deg);
    output_char(out, ' ');
    put_maybe(out, horizon->distance);
    output_char(out, '\n');
}

static void write_lines(const path_run *path) {
    output *out = &path->run->out;
    const lf_sight *sight = &path->view.sight;
    output_text(out, lf_verdict_name(sight->verdict));
    output_char(out, ' ');
    if (sight->verdict == LF_VERDICT_CLEAR) {
        put_maybe(out, sight->clearance);
    } else {
        output_number(out, sight->t * sight->length);
        output_char(out, ' ');
        output_number(out, sight->point.z);
    }
    sight_rules_put(out, &path->rules);
    output_char(out, '\n');
    write_end(out, "from", &path->view.from_a);
    write_end(out, "to", &path->view.from_b);
    if (path->rules.frequency_mhz > 0) {
        output_text(out, "fresnel ");
        put_maybe(out, sight->fresnel);
        output_char(out, ' ');
        put_maybe(out, sight->fresnel_t * sight->length);
        output_char(out, '\n');
    }
}

static void put_end(json *document, const char *key, const lf_profile_horizon *horizon) {
    json_put_object(document, key);
    json_put_maybe(document, "angle", horizon->angle_deg);
    json_put_maybe(document, "distance", horizon->distance);
    json_close(document);
}

static void write_json(const path_run *path) {
    json document = json_start(&path->run->out, false);
    const lf_sight *sight = &path->view.sight;
    json_put_object(&document, NULL);
    json_put_text(&document, "verdict", lf_verdict_name(sight->verdict));
    if (sight->verdict == LF_VERDICT_BLOCKED) {
        json_put_number(&document, "distance", sight->t * sight->length);
        json_put_number(&document, "line", sight->point.z);
    }
    json_put_number(&document, "length", sight->length);
    json_put_maybe(&document, "clearance", sight->clearance);
    json_put_maybe(&document, "clearance_at", sight->clearance_t * sight->length);
    json_put_maybe(&document, "raise", sight->raise);
    if (path->rules.frequency_mhz > 0) {
        json_put_maybe(&document, "fresnel", sight->fresnel);
        json_put_maybe(&document, "fresnel_at", sight->fresnel_t * sight->length);
    }
    put_end(&document, "from", &path->view.from_a);
    put_end(&document, "to", &path->view.from_b);
    sight_rules_put_json(&document, &path->rules);
    json_close(&document);
    json_end(&document);
}

/// The path as a profile: its points, and the line over them.
static bool write_profile(const path_run *path, const char *name) {
    int64_t last = path->count - 1;
    double length = path->distances[last];
    const lf_curvature *bend = &path->rules.curvature;
    lf_profile_point *posts = calloc((size_t)path->count, sizeof(lf_profile_point));
    profile profile = {.posts = posts,
                       .count = path->count,
                       .a = {0, 0, path->heights[0] + path->eye},
                       .b = {length, 0, path->heights[last] + path->target},
                       .sight = &path->view.sight,
                       .rules = &path->rules};
    if (!posts) {
        message_error("out of memory");
        return false;
    }
    for (int64_t i = 0; i <= last; i++) {
        double d = path->distances[i], t = d / length;
        double sag = bend->coefficient * d * (length - d) / (2 * bend->radius);
        posts[i] =
            (lf_profile_point){t, d, path->heights[i], profile.a.z + t * (profile.b.z - profile.a.z) - sag};
    }
    bool fine = profile_write(path->run, &profile, name);
    free(posts);
    return fine;
}

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

static bool read_question(path_run *path) {
    static const char *const strangers[] = {"from", "to", "datum", "xy", "detail", "steps", "crs", "holes"};
    const options *given = &path->run->given;
    const char *plot = options_value(given, "profile");
    path->eye = 2;
    path->unit = options_has(given, "km") ? 1000 : 1;
    path->posts = options_has(given, "posts");
    if (given->argument_count > 0) {
        message_usage("--path or GROUND, not both");
        return false;
    }
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (options_has(given, strangers[i])) {
            message_usage("--%s means nothing with --path", strangers[i]);
            return false;
        }
    return answer_digits(path->run) && sight_rules_read(path->run, &path->rules) &&
           options_number(given, "eye", &path->eye) && options_number(given, "target", &path->target) &&
           (!plot || sheet_can_write("--profile", plot));
}

static int ask(path_run *path, const char *name) {
    const char *plot = options_value(&path->run->given, "profile");
    lf_error error = {.where = -1};
    sight_rules_settle(NULL, &path->rules);
    lf_status status = lf_sight_over_profile(path->distances, path->heights, path->count, path->eye, path->target,
                                     !path->posts, &path->rules, &path->view, &error);
    if (status != LF_OK)
        return message_error("%s: %s", name, error.text[0] ? error.text : lf_status_text(status));
    if (plot && !write_profile(path, plot))
        return CLI_ERROR;
    if (path->run->json)
        write_json(path);
    else
        write_lines(path);
    return path->view.sight.verdict == LF_VERDICT_CLEAR ? CLI_YES : CLI_NO;
}

int sight_path(cli *run) {
    path_run path = {.run = run};
    const char *name = options_value(&run->given, "path");
    int status = CLI_ERROR;
    if (read_question(&path) && read_path(&path, name))
        status = ask(&path, name);
    free(path.heights);
    free(path.distances);
    return status;
}
