#include "profile.h"
#include "sheet.h"
#include <math.h>

static lf_vec2 place_of(const profile *profile, double t) {
    lf_vec2 at = {profile->a.x + t * (profile->b.x - profile->a.x),
                  profile->a.y + t * (profile->b.y - profile->a.y)};
    return at;
}

static double zone_of(const profile *profile, const lf_profile_point *post) {
    return lf_fresnel_radius(profile->rules->frequency_mhz, post->distance,
                             profile->sight->length - post->distance);
}

static void put_cell(output *out, double value) {
    output_char(out, ',');
    if (isfinite(value))
        output_number(out, value);
}

static void write_csv(output *out, const void *content) {
    const profile *profile = content;
    bool zone = profile->rules->frequency_mhz > 0;
    output_text(out, "distance,");
    output_text(out, profile->placed ? "x,y,ground,line" : "ground,line");
    output_text(out, zone ? ",fresnel,cc\n" : ",cc\n");
    for (int64_t i = 0; i < profile->count; i++) {
        const lf_profile_point *post = &profile->posts[i];
        output_number(out, post->distance);
        if (profile->placed) {
            lf_vec2 at = place_of(profile, post->t);
            put_cell(out, at.x);
            put_cell(out, at.y);
        }
        put_cell(out, post->ground);
        put_cell(out, post->line);
        if (zone)
            put_cell(out, zone_of(profile, post));
        put_cell(out, profile->rules->curvature.coefficient);
        output_char(out, '\n');
    }
}

static void put_post(json *document, const profile *profile, const lf_profile_point *post) {
    json_put_object(document, NULL);
    json_put_number(document, "distance", post->distance);
    if (profile->placed) {
        lf_vec2 at = place_of(profile, post->t);
        double numbers[2] = {at.x, at.y};
        json_put_numbers(document, "at", numbers, 2);
    }
    json_put_maybe(document, "ground", post->ground);
    json_put_maybe(document, "line", post->line);
    if (profile->rules->frequency_mhz > 0)
        json_put_number(document, "fresnel", zone_of(profile, post));
    json_close(document);
}

static void write_json(output *out, const void *content) {
    const profile *profile = content;
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_text(&document, "verdict", lf_verdict_name(profile->sight->verdict));
    sight_rules_put_json(&document, profile->rules);
    json_put_number(&document, "length", profile->sight->length);
    json_put_array(&document, "posts");
    for (int64_t i = 0; i < profile->count; i++)
        put_post(&document, profile, &profile->posts[i]);
    json_close(&document);
    json_close(&document);
    json_end(&document);
}

bool profile_write(cli *run, const profile *profile, const char *path) {
    sheet sheet = {profile, profile_plot, write_csv, write_json};
    return sheet_write(run, &sheet, path);
}
