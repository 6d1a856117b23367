#include "horizon_file.h"
#include "sheet.h"

void skyline_put_json(json *document, const skyline *skyline, int64_t i) {
    const lf_horizon *horizon = &skyline->horizons[i];
    json_put_number(document, "azimuth", skyline->azimuths[i]);
    if (horizon->reason != LF_REASON_ANSWERED) {
        json_put_text(document, "reason", lf_reason_name(horizon->reason));
    } else {
        json_put_number(document, "elevation", horizon->elevation_deg);
        json_put_number(document, "distance", horizon->distance);
        json_put_vector(document, "point", horizon->point);
    }
    json_put_truth(document, "hole", horizon->hole);
}

static void write_csv(output *out, const void *content) {
    const skyline *skyline = content;
    output_text(out, "azimuth,elevation,distance,x,y,z,hole,cc\n");
    for (int64_t i = 0; i < skyline->count; i++) {
        const lf_horizon *horizon = &skyline->horizons[i];
        output_number(out, skyline->azimuths[i]);
        output_char(out, ',');
        if (horizon->reason == LF_REASON_ANSWERED) {
            output_number(out, horizon->elevation_deg);
            output_char(out, ',');
            output_number(out, horizon->distance);
            output_char(out, ',');
            output_vector(out, horizon->point, ',');
        } else {
            output_text(out, ",,,,");
        }
        output_text(out, horizon->hole ? ",1," : ",0,");
        output_number(out, skyline->rules->curvature.coefficient);
        output_char(out, '\n');
    }
}

static void write_json(output *out, const void *content) {
    const skyline *skyline = content;
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_vector(&document, "from", skyline->from);
    sight_rules_put_json(&document, skyline->rules);
    json_put_array(&document, "horizon");
    for (int64_t i = 0; i < skyline->count; i++) {
        json_put_object(&document, NULL);
        skyline_put_json(&document, skyline, i);
        json_close(&document);
    }
    json_close(&document);
    json_close(&document);
    json_end(&document);
}

bool skyline_write(cli *run, const skyline *skyline, const char *path) {
    sheet sheet = {skyline, skyline_plot, write_csv, write_json};
    return sheet_write(run, &sheet, path);
}
