#include "model.h"
#include "json.h"
#include "points.h"
#include "stored.h"
#include <stdio.h>
#include <string.h>

/// A model of the polygons of a .lf file.
static lf_status read_stored(const char *path, lf_model_def *wanted, lf_model **model, lf_error *error) {
    lf_store *store;
    lf_status status = lf_store_open(path, &wanted->host, false, &store, error);
    if (status != LF_OK)
        return status;
    wanted->polygons = lf_store_polygons(store);
    if (wanted->polygons.polygon_count > 0) {
        status = lf_model_create(wanted, model, error);
    } else {
        status = LF_BAD_FORMAT;
        *error = (lf_error){.status = status, .where = -1};
        snprintf(error->text, sizeof error->text, "%s: holds a %s: expected polygons", path,
                 lf_store_kind_name(lf_store_describe(store).kind));
    }
    lf_store_close(store);
    return status;
}

lf_status model_read(const char *path, const lf_host *host, const lf_field_def *field, lf_model **model,
                     lf_error *error) {
    lf_model_def wanted = lf_model_def_default();
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    wanted.host = def.host = *host;
    wanted.field = *field;
    if (is_stored(path))
        return read_stored(path, &wanted, model, error);
    lf_status status = lf_polygon_file_read(path, &def, &file, error);
    if (status != LF_OK)
        return status;
    wanted.polygons = lf_polygon_file_polygons(file);
    status = lf_model_create(&wanted, model, error);
    lf_polygon_file_close(file);
    return status;
}

bool model_load(cli *run, const char *path, const lf_field_def *field, lf_model **model) {
    lf_error error = {0};
    lf_status status = model_read(path, &run->host, field, model, &error);
    progress_clear();
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

static bool read_centre(const char *text, lf_field_def *field) {
#define CENTRE(name, value, word, help)                       \
    if (name != LF_FIELD_CENTRE_GIVEN && strcmp(text, word) == 0) { \
        field->centre = name;                                 \
        return true;                                          \
    }
    LF_FIELD_CENTRE_LIST(CENTRE)
#undef CENTRE
    row read;
    if (!row_from_option("centre", text, (row_shape){3, 3, "sphere, mass, seeing or X,Y,Z"}, &read))
        return false;
    field->centre = LF_FIELD_CENTRE_GIVEN;
    field->at = (lf_vec3){read.numbers[0], read.numbers[1], read.numbers[2]};
    return true;
}

bool model_field_options(const options *given, lf_field_def *field) {
    int64_t sectors = MODEL_SECTORS, layers = lf_model_def_default().field.layers;
    const char *centre = options_value(given, "centre");
    *field = lf_model_def_default().field;
    if (!options_integer(given, "sectors", 2, 256, &sectors) ||
        !options_integer(given, "layers", 1, 16, &layers) || (centre && !read_centre(centre, field)))
        return false;
    if ((sectors & (sectors - 1)) != 0) {
        message_usage("--sectors %lld: not a power of two", (long long)sectors);
        return false;
    }
    field->sectors = (int)sectors;
    field->layers = (int)layers;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// What a model is made of
// ---------------------------------------------------------------------------------------------------

static void start_line(output *out, const char *word) {
    output_text(out, word);
    for (size_t i = strlen(word); i < 16; i++)
        output_char(out, ' ');
}

static void write_count(output *out, const char *word, int64_t count) {
    start_line(out, word);
    output_integer(out, count);
    output_char(out, '\n');
}

static void write_number(output *out, const char *word, double number) {
    start_line(out, word);
    output_number(out, number);
    output_char(out, '\n');
}

static void write_vector(output *out, const char *word, lf_vec3 vector) {
    start_line(out, word);
    output_vector(out, vector, ' ');
    output_char(out, '\n');
}

static void write_lines(output *out, const char *path, const lf_model_info *info,
                        const lf_field_stats *field) {
    start_line(out, "file");
    output_text(out, path);
    output_char(out, '\n');
    write_count(out, "vertices", info->vertex_count);
    write_count(out, "polygons", info->polygon_count);
    write_count(out, "triangles", info->triangle_count);
    write_count(out, "flat", info->flat_count);
    start_line(out, "surface");
    output_text(out, info->closed ? "closed\n" : "open ");
    if (!info->closed) {
        output_integer(out, info->open_count);
        output_char(out, '\n');
    }
    write_vector(out, "low", info->box.low);
    write_vector(out, "high", info->box.high);
    write_vector(out, "centre", field->centre);
    write_number(out, "radius", field->radius);
    write_count(out, "sectors", field->sector_count);
    write_count(out, "filled", field->filled_count);
    write_count(out, "layers", field->layer_count);
    write_count(out, "entries", field->entry_count);
    write_number(out, "thickness", field->thickness);
    write_count(out, "pyramid_bytes", (int64_t)field->pyramid_bytes);
    write_count(out, "in_full", (int64_t)field->full_bytes);
    write_count(out, "as_quadtree", (int64_t)field->quadtree_bytes);
    write_count(out, "field_bytes", (int64_t)field->bytes);
    write_count(out, "tree_bytes", (int64_t)info->tree_bytes);
    write_count(out, "bytes", (int64_t)info->bytes);
}

static void write_json(output *out, const char *path, const lf_model_info *info,
                       const lf_field_stats *field) {
    json document = json_start(out, true);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", path);
    json_put_integer(&document, "vertices", info->vertex_count);
    json_put_integer(&document, "polygons", info->polygon_count);
    json_put_integer(&document, "triangles", info->triangle_count);
    json_put_integer(&document, "flat", info->flat_count);
    json_put_truth(&document, "closed", info->closed);
    json_put_integer(&document, "open_edges", info->open_count);
    json_put_object(&document, "box");
    json_put_vector(&document, "low", info->box.low);
    json_put_vector(&document, "high", info->box.high);
    json_close(&document);
    json_put_object(&document, "field");
    json_put_vector(&document, "centre", field->centre);
    json_put_number(&document, "radius", field->radius);
    json_put_integer(&document, "sectors", field->sector_count);
    json_put_integer(&document, "filled", field->filled_count);
    json_put_integer(&document, "layers", field->layer_count);
    json_put_integer(&document, "entries", field->entry_count);
    json_put_number(&document, "thickness", field->thickness);
    json_put_integer(&document, "pyramid_bytes", (int64_t)field->pyramid_bytes);
    json_put_integer(&document, "in_full", (int64_t)field->full_bytes);
    json_put_integer(&document, "as_quadtree", (int64_t)field->quadtree_bytes);
    json_put_integer(&document, "bytes", (int64_t)field->bytes);
    json_close(&document);
    json_put_integer(&document, "tree_bytes", (int64_t)info->tree_bytes);
    json_put_integer(&document, "bytes", (int64_t)info->bytes);
    json_close(&document);
    json_end(&document);
}

int model_report(cli *run) {
    const char *path = run->given.arguments[0], *picture = options_value(&run->given, "output");
    lf_field_def field;
    lf_model *model;
    int64_t width = 960;
    if (!model_field_options(&run->given, &field) ||
        !options_integer(&run->given, "width", 200, 20000, &width))
        return CLI_ERROR;
    const char *ending = picture ? strrchr(picture, '.') : NULL;
    if (picture && (!ending || strcmp(ending, ".png") != 0))
        return message_usage("--output %s: a .png file is wanted", picture);
    if (!model_load(run, path, &field, &model))
        return CLI_ERROR;
    lf_model_info info = lf_model_describe(model);
    lf_field_stats stats;
    lf_error error = {0};
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    lf_status status = lf_model_field_stats(model, &stats);
    if (status == LF_OK && picture)
        status = model_draw_charts(model, name, width, picture, &error);
    if (status == LF_OK && run->json)
        write_json(&run->out, path, &info, &stats);
    else if (status == LF_OK)
        write_lines(&run->out, path, &info, &stats);
    else
        message_status(status, &error);
    lf_model_destroy(model);
    return status == LF_OK ? CLI_YES : CLI_ERROR;
}
