/// `landfall info --as model`: a file as a shape, with a distance field and its six charts.
#include "commands.h"
#include "ground.h"
#include "plots.h"
#include <landfall/published.h>

typedef struct model_about {
    const char *file;
    lf_model_info info;
    lf_field_stats field;
} model_about;

#define FACT(name, type, member, unit) \
    { name, type, offsetof(model_about, member), unit }
#define COUNT(name, member) FACT(name, FIELD_INTEGER, member, NULL)

static const field box_fields[] = {
    FACT("low", FIELD_VECTOR, info.box.low, "m"), FACT("high", FIELD_VECTOR, info.box.high, "m"), {NULL}};

static const field distance_fields[] = {FACT("centre", FIELD_VECTOR, field.centre, "m"),
                                        FACT("radius", FIELD_NUMBER, field.radius, "m"),
                                        COUNT("sectors", field.sector_count),
                                        COUNT("filled", field.filled_count),
                                        COUNT("layers", field.layer_count),
                                        COUNT("entries", field.entry_count),
                                        FACT("thickness", FIELD_NUMBER, field.thickness, "m"),
                                        COUNT("pyramid_bytes", field.pyramid_bytes),
                                        COUNT("in_full", field.full_bytes),
                                        COUNT("as_quadtree", field.quadtree_bytes),
                                        COUNT("field_bytes", field.bytes),
                                        {NULL}};

const field model_fields[] = {FACT("file", FIELD_TEXT, file, NULL),
                              COUNT("vertices", info.vertex_count),
                              COUNT("polygons", info.polygon_count),
                              COUNT("triangles", info.triangle_count),
                              COUNT("flat", info.flat_count),
                              FACT("closed", FIELD_TRUTH, info.closed, NULL),
                              COUNT("open_edges", info.open_count),
                              {"box", FIELD_GROUP, .fields = box_fields},
                              {"field", FIELD_GROUP, .fields = distance_fields},
                              COUNT("tree_bytes", info.tree_bytes),
                              COUNT("bytes", info.bytes),
                              {NULL}};

int info_model(cli *run) {
    const char *path = run->given.arguments[0], *picture = options_value(&run->given, "output");
    model_about about = {.file = path};
    lf_field_def def = model_field(&run->given);
    lf_model *model = NULL;
    lf_error error = {0};
    if (!model_load(run, path, &def, &model))
        return CLI_ERROR;
    about.info = lf_model_describe(model);
    lf_status status = lf_funfzig_stats(model, &about.field);
    lf_figure_page page = figure_page(run, picture, options_integer(&run->given, "width", 960));
    if (status == LF_OK && picture)
        status = lf_figure_field(&page, model, path_name(path), &error);
    lf_model_destroy(model);
    if (!succeeded(status, &error))
        return CLI_ERROR;
    if (run->json)
        answer_json(&run->out, model_fields, &about, true);
    else
        answer_facts(&run->out, model_fields, &about, 16);
    return CLI_YES;
}
