/// What `landfall info` says about a raster: facts, and the table of pyramids.
#include "json.h"
#include "lines.h"
#include "raster.h"
#include <string.h>

#define LEAVES 7 // 1, 2, 4 .. 64

static size_t bytes_of(const loaded *ground, const lf_grid_info *grid) {
    return grid->bytes + ground->about.bytes;
}

/// Do columns run east and rows north?
static bool is_straight(const lf_geotransform *geotransform) {
    return geotransform->per_column.y == 0 && geotransform->per_row.x == 0;
}

static const char *unit_of(lf_crs_kind kind) {
    return kind == LF_CRS_DEGREES ? "degrees" : "metres";
}

// ---------------------------------------------------------------------------------------------------
// Lines
// ---------------------------------------------------------------------------------------------------

static void write_pair(output *out, const char *word, lf_vec2 pair, const char *unit) {
    line_start(out, word);
    output_number(out, pair.x);
    output_char(out, ' ');
    output_number(out, pair.y);
    output_char(out, ' ');
    output_text(out, unit);
    output_char(out, '\n');
}

void raster_place_lines(output *out, const lf_geotransform *geotransform, lf_crs_kind kind) {
    const char *unit = unit_of(kind);
    write_pair(out, "origin", geotransform->origin, unit);
    if (is_straight(geotransform)) {
        write_pair(out, "spacing", (lf_vec2){geotransform->per_column.x, geotransform->per_row.y}, unit);
    } else {
        write_pair(out, "per_column", geotransform->per_column, unit);
        write_pair(out, "per_row", geotransform->per_row, unit);
    }
}

static void write_lines(const cli *run, output *out, const loaded *ground, const lf_grid_info *grid) {
    const lf_raster_info *about = &ground->about;
    line_text(out, "file", run->given.arguments[0]);
    line_text(out, "format", about->format);
    line_text(out, "samples", about->stored);
    line_count(out, "columns", grid->columns);
    line_count(out, "rows", grid->rows);
    if (lf_grid_round(ground->grid) > 0)
        line_count(out, "wraps", lf_grid_round(ground->grid));
    line_text(out, "pixels", about->point ? "point" : "area");
    line_text(out, "kind", lf_crs_kind_name(about->kind));
    line_text(out, "crs", about->crs_name ? about->crs_name : "none");
    raster_place_lines(out, &grid->geotransform, about->kind);
    if (about->z_unit_known)
        line_number(out, "z_unit", about->z_unit);
    else
        line_text(out, "z_unit", "unknown");
    line_count(out, "holes", grid->hole_count);
    if (grid->low <= grid->high)
        line_box(out, grid->box);
    line_text(out, "surface", lf_surface_name(grid->surface));
    line_count(out, "leaf", grid->leaf);
    line_count(out, "bytes", (int64_t)bytes_of(ground, grid));
    line_count(out, "bound_bytes", (int64_t)grid->pyramid_bytes);
}

// ---------------------------------------------------------------------------------------------------
// JSON
// ---------------------------------------------------------------------------------------------------

static void put_pair(json *document, const char *key, lf_vec2 pair) {
    double numbers[2] = {pair.x, pair.y};
    json_put_numbers(document, key, numbers, 2);
}

void raster_place_json(json *document, const lf_geotransform *geotransform) {
    put_pair(document, "origin", geotransform->origin);
    put_pair(document, "per_column", geotransform->per_column);
    put_pair(document, "per_row", geotransform->per_row);
}

void raster_box_json(json *document, const lf_grid_info *grid) {
    if (grid->low > grid->high) {
        json_put_null(document, "box");
        return;
    }
    json_put_object(document, "box");
    json_put_vector(document, "low", grid->box.low);
    json_put_vector(document, "high", grid->box.high);
    json_close(document);
}

static void put_file(json *document, const lf_raster_info *about) {
    json_put_text(document, "format", about->format);
    json_put_text(document, "samples", about->stored);
    json_put_integer(document, "band", about->band);
    json_put_integer(document, "bands", about->band_count);
    json_put_text(document, "pixels", about->point ? "point" : "area");
    json_put_truth(document, "placed", about->placed);
    json_put_text(document, "kind", lf_crs_kind_name(about->kind));
    json_put_text_or_null(document, "crs", about->crs_name);
    json_put_text_or_null(document, "wkt", about->crs);
    json_put_number(document, "xy_unit", about->xy_unit);
    json_put_number(document, "z_unit", about->z_unit);
    json_put_truth(document, "z_unit_known", about->z_unit_known);
    json_put_truth(document, "masked", about->masked);
}

static void write_json(const cli *run, output *out, const loaded *ground, const lf_grid_info *grid) {
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", run->given.arguments[0]);
    put_file(&document, &ground->about);
    json_put_integer(&document, "columns", grid->columns);
    json_put_integer(&document, "rows", grid->rows);
    json_put_integer(&document, "wraps", lf_grid_round(ground->grid));
    raster_place_json(&document, &grid->geotransform);
    json_put_integer(&document, "holes", grid->hole_count);
    raster_box_json(&document, grid);
    json_put_text(&document, "surface", lf_surface_name(grid->surface));
    json_put_truth(&document, "extend", grid->extend);
    json_put_integer(&document, "leaf", grid->leaf);
    json_put_integer(&document, "bytes", (int64_t)bytes_of(ground, grid));
    json_put_integer(&document, "bound_bytes", (int64_t)grid->pyramid_bytes);
    json_close(&document);
    json_end(&document);
}

// ---------------------------------------------------------------------------------------------------
// Pyramids
// ---------------------------------------------------------------------------------------------------

static void write_pyramids(output *out, const lf_grid_info *grid) {
    output_text(out, "leaf  levels       nodes       bytes  bytes/post\n");
    for (int i = 0; i < LEAVES; i++) {
        lf_pyramid_size size = lf_grid_pyramid_size(grid->columns, grid->rows, 1 << i);
        column_count(out, 1 << i, 4);
        column_count(out, size.levels, 8);
        column_count(out, size.nodes, 12);
        column_count(out, size.bytes, 12);
        column_number(out, (double)size.bytes / ((double)grid->columns * (double)grid->rows), 4, 12);
        output_char(out, '\n');
    }
}

static void write_pyramids_json(const cli *run, output *out, const lf_grid_info *grid) {
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", run->given.arguments[0]);
    json_put_integer(&document, "columns", grid->columns);
    json_put_integer(&document, "rows", grid->rows);
    json_put_array(&document, "pyramids");
    for (int i = 0; i < LEAVES; i++) {
        lf_pyramid_size size = lf_grid_pyramid_size(grid->columns, grid->rows, 1 << i);
        json_put_object(&document, NULL);
        json_put_integer(&document, "leaf", 1 << i);
        json_put_integer(&document, "levels", size.levels);
        json_put_integer(&document, "nodes", size.nodes);
        json_put_integer(&document, "bytes", size.bytes);
        json_close(&document);
    }
    json_close(&document);
    json_close(&document);
    json_end(&document);
}

int raster_report(cli *run, const loaded *ground) {
    const char *picture = options_value(&run->given, "output");
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (options_has(&run->given, "width") && !picture)
        return message_usage("--width is for pictures (-o)");
    if (picture && raster_picture(run, ground, picture) != CLI_YES)
        return CLI_ERROR;
    if (options_has(&run->given, "pyramid") && run->json)
        write_pyramids_json(run, &run->out, &grid);
    else if (options_has(&run->given, "pyramid"))
        write_pyramids(&run->out, &grid);
    else if (run->json)
        write_json(run, &run->out, ground, &grid);
    else
        write_lines(run, &run->out, ground, &grid);
    return CLI_YES;
}
