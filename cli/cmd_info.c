#include "json.h"
#include "lines.h"
#include "model.h"
#include "quadtree.h"
#include "raster.h"
#include "stored.h"
#include <stdlib.h>
#include <string.h>

/// What there is to say about a ground.
typedef struct about {
    const char *path;
    lf_polygon_file_info file;
    lf_mesh_info mesh;
    int64_t *named; ///< polygons of each name
} about;

/// How many polygons carry each name; NULL without memory.
static int64_t *count_names(const lf_polygon_file *file, int64_t name_count) {
    lf_polygons polygons = lf_polygon_file_polygons(file);
    int64_t *named = calloc((size_t)name_count + 1, sizeof(int64_t));
    for (int64_t i = 0; named && polygons.users && i < polygons.polygon_count; i++)
        if (polygons.users[i] < (uint64_t)name_count)
            named[polygons.users[i]]++;
    return named;
}

static void write_json(output *out, const loaded *ground, const about *about) {
    json document = json_start(out, true);
    const lf_mesh_info *mesh = &about->mesh;
    json_put_object(&document, NULL);
    json_put_text(&document, "file", about->path);
    json_put_text(&document, "format", about->file.format);
    json_put_integer(&document, "vertices", mesh->vertex_count);
    json_put_integer(&document, "polygons", mesh->polygon_count);
    json_put_integer(&document, "triangles", mesh->triangle_count);
    json_put_integer(&document, "walls", mesh->wall_count);
    json_put_integer(&document, "flat", mesh->flat_count);
    json_put_integer(&document, "cut", about->file.cut_count);
    json_put_integer(&document, "dropped", about->file.dropped_count);
    json_put_object(&document, "box");
    json_put_vector(&document, "low", mesh->box.low);
    json_put_vector(&document, "high", mesh->box.high);
    json_close(&document);
    json_put_number(&document, "precision", about->file.precision);
    json_put_array(&document, "names");
    for (int64_t i = 0; i < about->file.name_count; i++) {
        json_put_object(&document, NULL);
        json_put_text(&document, "name", lf_polygon_file_name(ground->file, i));
        json_put_integer(&document, "polygons", about->named[i]);
        json_close(&document);
    }
    json_close(&document);
    json_put_integer(&document, "bytes", (int64_t)mesh->bytes);
    json_put_integer(&document, "tree_bytes", (int64_t)mesh->tree_bytes);
    json_close(&document);
    json_end(&document);
}

static void write_lines(output *out, const loaded *ground, const about *about) {
    const lf_mesh_info *mesh = &about->mesh;
    line_text(out, "file", about->path);
    line_text(out, "format", about->file.format);
    line_count(out, "vertices", mesh->vertex_count);
    line_count(out, "polygons", mesh->polygon_count);
    line_count(out, "triangles", mesh->triangle_count);
    line_count(out, "walls", mesh->wall_count);
    line_count(out, "flat", mesh->flat_count);
    line_count(out, "cut", about->file.cut_count);
    line_count(out, "dropped", about->file.dropped_count);
    line_box(out, mesh->box);
    line_number(out, "precision", about->file.precision);
    for (int64_t i = 0; i < about->file.name_count; i++) {
        line_start(out, "name");
        output_integer(out, about->named[i]);
        output_char(out, ' ');
        output_text(out, lf_polygon_file_name(ground->file, i));
        output_char(out, '\n');
    }
    line_count(out, "bytes", (int64_t)mesh->bytes);
    line_count(out, "tree_bytes", (int64_t)mesh->tree_bytes);
}

static int mesh_report(cli *run, const loaded *ground) {
    about about = {run->given.arguments[0], lf_polygon_file_describe(ground->file),
                   lf_mesh_describe(ground->mesh), NULL};
    about.named = count_names(ground->file, about.file.name_count);
    if (!about.named)
        return message_error("out of memory");
    if (run->json)
        write_json(&run->out, ground, &about);
    else
        write_lines(&run->out, ground, &about);
    free(about.named);
    return CLI_YES;
}

int command_info(cli *run) {
    loaded ground;
    int status = CLI_ERROR;
    const char *as = options_value(&run->given, "as");
    if (as && strcmp(as, "model") != 0)
        return message_usage("--as %s: only model is known", as);
    if (as && options_has(&run->given, "quadtree"))
        return message_usage("--as model or --quadtree, not both");
    if (as)
        return model_report(run);
    if (is_stored(run->given.arguments[0]))
        return stored_report(run);
    if (!ground_load(run, &ground))
        return CLI_ERROR;
    if (ground.grid)
        status = raster_report(run, &ground);
    else if (!quadtree_stray_options(&run->given))
        status =
            options_has(&run->given, "quadtree") ? quadtree_report(run, &ground) : mesh_report(run, &ground);
    ground_free(&ground);
    return status;
}
