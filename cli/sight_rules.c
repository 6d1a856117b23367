#include "sight_rules.h"
#include <math.h>
#include <string.h>

#define LEAST_EARTH 6.3e6 // an ellipsoid between these is Earth's
#define LARGEST_EARTH 6.45e6

static bool read_above_zero(const options *given, const char *name, double *value) {
    if (!options_number(given, name, value))
        return false;
    if (options_has(given, name) && !(*value > 0)) {
        message_error("--%s %s: more than 0 is wanted", name, options_value(given, name));
        return false;
    }
    return true;
}

/// --cc, or one of its synonyms.
static bool read_coefficient(const options *given, double *coefficient) {
    const char *word = options_has(given, "k") ? "k" : "earth-multiplier";
    double factor = 0;
    int count = options_has(given, "cc") + options_has(given, "k") + options_has(given, "earth-multiplier");
    if (count > 1) {
        message_usage("--cc, --k and --earth-multiplier: only one of them");
        return false;
    }
    if (!options_number(given, "cc", coefficient) || !read_above_zero(given, word, &factor))
        return false;
    if (factor > 0)
        *coefficient = 1 / factor;
    return true;
}

static bool read_holes(const options *given, lf_void_policy *holes) {
    static const char *const words[] = {"unknown", "pass", "stop"};
    const char *word = options_value(given, "holes");
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, words[i]) == 0) {
            *holes = (lf_void_policy)i;
            return true;
        }
    if (word)
        message_usage("--holes %s: unknown, pass or stop is wanted", word);
    return !word;
}

bool sight_rules_read(const cli *run, lf_sight_rules *rules) {
    const options *given = &run->given;
    *rules = lf_sight_rules_default();
    rules->curvature.coefficient = rules->curvature.radius = LF_NAN;
    return read_coefficient(given, &rules->curvature.coefficient) &&
           read_above_zero(given, "radius", &rules->curvature.radius) && read_holes(given, &rules->voids) &&
           read_above_zero(given, "freq", &rules->frequency_mhz);
}

static bool on_earth(const lf_ellipsoid *ellipsoid) {
    return ellipsoid->radius >= LEAST_EARTH && ellipsoid->radius <= LARGEST_EARTH;
}

void sight_rules_settle(const loaded *ground, lf_sight_rules *rules) {
    lf_curvature usual = lf_sight_rules_default().curvature;
    bool mapped = ground && ground->grid &&
                  (ground->about.kind == LF_CRS_DEGREES || ground->about.kind == LF_CRS_PROJECTED);
    if (ground && ground->globe)
        usual.coefficient = 1; // round, and without air
    if (mapped || (ground && ground->globe)) {
        const lf_ellipsoid *ellipsoid = &ground->about.ellipsoid;
        rules->ellipsoid = *ellipsoid;
        if (on_earth(ellipsoid))
            usual.coefficient = LF_CURVATURE_LIGHT;
        else
            usual.radius = ellipsoid->radius * (1 - ellipsoid->flattening / 3);
    }
    rules->units = ground && ground_in_degrees(ground) ? LF_MAP_DEGREES : LF_MAP_METRES;
    if (isnan(rules->curvature.coefficient))
        rules->curvature.coefficient = usual.coefficient;
    if (isnan(rules->curvature.radius))
        rules->curvature.radius = usual.radius;
}

void sight_rules_put(output *out, const lf_sight_rules *rules) {
    output_text(out, " cc ");
    output_number(out, rules->curvature.coefficient);
}

void sight_rules_put_json(json *document, const lf_sight_rules *rules) {
    json_put_number(document, "cc", rules->curvature.coefficient);
    json_put_number(document, "radius", rules->curvature.radius);
}

void put_maybe(output *out, double value) {
    if (isfinite(value))
        output_number(out, value);
    else
        output_char(out, '-');
}

void json_put_maybe(json *document, const char *key, double value) {
    if (isfinite(value))
        json_put_number(document, key, value);
    else
        json_put_null(document, key);
}
