/// What of a raster the sun reaches: `landfall shadow RASTER --sun AZIMUTH,ALTITUDE -o FILE`.
#include "json.h"
#include "lines.h"
#include "results.h"
#include "sun_place.h"
#include <stdlib.h>

typedef struct shade_run {
    cli *run;
    loaded ground;
    lf_horizon_def def;
    north north;
    lf_sun_moment moment; ///< of --time
    lf_sun sun;           ///< that was asked for, or over the middle
    uint8_t *lit;
    int64_t counts[4];
} shade_run;

static bool read_question(shade_run *shade) {
    static const char *const strangers[] = {"light", "point", "at", "skin"};
    const options *given = &shade->run->given;
    const char *sun = options_value(given, "sun"), *time = options_value(given, "time");
    shade->def = lf_horizon_def_default();
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (options_has(given, strangers[i])) {
            message_usage("--%s means nothing with -o", strangers[i]);
            return false;
        }
    if (!sun == !time) {
        message_usage(sun ? "--sun or --time, not both" : "-o needs --sun or --time");
        return false;
    }
    if (!result_wanted(shade->run) || (sun && !sun_read(sun, &shade->sun)) ||
        (time && !sun_moment_read(time, &shade->moment)) || !north_check(shade->run) ||
        !sight_rules_read(shade->run, &shade->def.rules) ||
        !options_number(given, "range", &shade->def.range))
        return false;
    if (!(shade->def.range > 0)) {
        message_error("--range %s: more than 0 is wanted", options_value(given, "range"));
        return false;
    }
    return true;
}

/// Part by part: each has its own direction to the light.
static lf_status shade_parts(shade_run *shade, lf_window window, const north_part *parts, int64_t count,
                             lf_error *error) {
    bool time = options_has(&shade->run->given, "time");
    lf_status status = LF_OK;
    north_progress progress;
    shade->def.host = north_host(&shade->run->host, count, &progress);
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        lf_window w = parts[k].window;
        lf_sun sun = shade->sun; // where the map ends as in its middle
        uint8_t *lit = shade->lit + (w.row - window.row) * window.columns + w.column - window.column;
        north_sun(&shade->north, parts[k].middle, &shade->moment, time ? NULL : &shade->sun, &sun);
        progress.part = k;
        status = lf_sun_shade(shade->ground.grid, &shade->def, sun, w, lit, window.columns, error);
    }
    shade->def.host = shade->run->host;
    return status;
}

static bool compute(shade_run *shade, lf_window window) {
    lf_error error = {0};
    int64_t posts = window.columns * window.rows;
    result_remark(shade->run, window, (size_t)posts + 32 * (size_t)(window.columns + window.rows));
    shade->lit = malloc((size_t)posts);
    if (!shade->lit) {
        message_error("out of memory");
        return false;
    }
    int64_t count;
    bool time = options_has(&shade->run->given, "time");
    north_part *parts = north_parts(&shade->north, window, SUN_WITHIN_DEG, time, &count);
    if (!parts)
        return false;
    lf_status status = shade_parts(shade, window, parts, count, &error);
    free(parts);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    for (int64_t i = 0; i < posts && status == LF_OK; i++) {
        shade->counts[shade->lit[i] & 3]++;
        if (shade->lit[i] == LF_VISIBILITY_VOID)
            shade->lit[i] = 255;
    }
    return status == LF_OK;
}

static int write_map(shade_run *shade, lf_window window) {
    static const map_word words[] = {
        {{24, 30, 58, 150}, "shadow"}, {{255, 214, 90, 110}, "lit"}, {{140, 70, 160, 170}, "unknown"}};
    static facts facts;
    lf_result_def def = lf_result_def_default();
    const char *time = options_value(&shade->run->given, "time");
    result_look look = {.words = words, .word_count = 3};
    facts_start(&facts, shade->run, &shade->def.rules);
    facts_text(&facts, "NORTH", time ? "true" : north_word(shade->run, &shade->north));
    facts_number(&facts, "SUN_AZIMUTH", shade->sun.azimuth_deg);
    facts_number(&facts, "SUN_ALTITUDE", shade->sun.altitude_deg);
    facts_number(&facts, "RANGE_MAX", shade->def.range);
    if (time)
        facts_text(&facts, "TIME", time);
    def.values = shade->lit;
    def.window = window;
    def.nodata_given = true;
    def.nodata = 255;
    return result_write(shade->run, &shade->ground, &def, &facts, &look);
}

static void write_stats(const shade_run *shade) {
    static const char *const words[] = {"shadow", "lit", "unknown", "hole"};
    static const int order[] = {LF_VISIBILITY_VISIBLE, LF_VISIBILITY_HIDDEN, LF_VISIBILITY_UNKNOWN, LF_VISIBILITY_VOID};
    output *out = &shade->run->out;
    if (!shade->run->json) {
        line_number(out, "azimuth", shade->sun.azimuth_deg);
        line_number(out, "altitude", shade->sun.altitude_deg);
        for (int i = 0; i < 4; i++)
            line_count(out, words[order[i]], shade->counts[order[i]]);
        line_number(out, "cc", shade->def.rules.curvature.coefficient);
        return;
    }
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_number(&document, "azimuth", shade->sun.azimuth_deg);
    json_put_number(&document, "altitude", shade->sun.altitude_deg);
    for (int i = 0; i < 4; i++)
        json_put_integer(&document, words[order[i]], shade->counts[order[i]]);
    sight_rules_put_json(&document, &shade->def.rules);
    json_close(&document);
    json_end(&document);
}

static int work(shade_run *shade) {
    cli *run = shade->run;
    const char *time = options_value(&run->given, "time");
    if (!ground_needs_raster(run, &shade->ground))
        return CLI_ERROR;
    if (!north_start(run, &shade->ground, time != NULL, &shade->north) ||
        (time && !sun_over_middle(run, &shade->north, &shade->moment, &shade->sun)))
        return CLI_ERROR;
    lf_window window = lf_grid_window(shade->ground.grid);
    shade->def.host = run->host;
    sight_rules_settle(&shade->ground, &shade->def.rules);
    int status = compute(shade, window) ? write_map(shade, window) : CLI_ERROR;
    if (status == CLI_YES)
        write_stats(shade);
    return status;
}

int shadow_map(cli *run) {
    shade_run shade = {.run = run};
    int status = CLI_ERROR;
    if (read_question(&shade) && ground_load(run, &shade.ground))
        status = work(&shade);
    free(shade.lit);
    north_end(&shade.north);
    ground_free(&shade.ground);
    return status;
}
