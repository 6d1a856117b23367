/// What a field has become, for people.
#include "model/field_walk.h"

static size_t pyramid_bytes(const lf__field *field) {
    return 2 * LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field) * sizeof(int16_t);
}

size_t lf__field_bytes(const lf__field *field) {
    size_t sectors = LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field);
    return sizeof *field + pyramid_bytes(field) + (sectors + 1) * sizeof *field->firsts +
           (size_t)field->layer_room * sizeof *field->layers +
           (size_t)field->triangle_room * sizeof *field->triangles +
           (size_t)lf__field_nodes(field) * sizeof *field->cones +
           (size_t)(field->sectors + 1) * sizeof *field->tangents;
}

lf_status lf_model_field_stats(const lf_model *model, lf_field_stats *stats) {
    if (!model || !stats || !model->field)
        return LF_BAD_ARGUMENT;
    const lf__field *field = model->field;
    size_t sectors = LF__FIELD_CHARTS * (size_t)lf__field_chart_sectors(field);
    double thickness = 0;
    for (int64_t i = 0; i < field->layer_count; i++)
        thickness += (double)field->layers[i].high - (double)field->layers[i].low;
    *stats = (lf_field_stats){.centre = field->centre,
                              .radius = field->radius,
                              .sectors = field->sectors,
                              .sector_count = (int64_t)sectors,
                              .filled_count = field->filled,
                              .layer_count = field->layer_count,
                              .entry_count = field->triangle_count,
                              .thickness = thickness / (double)(field->layer_count ? field->layer_count : 1),
                              .pyramid_bytes = pyramid_bytes(field),
                              .full_bytes = 2 * sizeof(int16_t) * (2 * sectors - LF__FIELD_CHARTS),
                              .bytes = lf__field_bytes(field)};
    for (size_t level = sectors; level >= LF__FIELD_CHARTS; level /= 4)
        stats->quadtree_bytes += 2 * sizeof(int16_t) * level;
    return LF_OK;
}

lf_status lf_model_field_sector(const lf_model *model, int chart, int column, int row,
                                lf_field_sector *sector) {
    if (!model || !sector || !model->field)
        return LF_BAD_ARGUMENT;
    const lf__field *field = model->field;
    if (chart < 0 || chart >= LF__FIELD_CHARTS || column < 0 || column >= field->sectors || row < 0 ||
        row >= field->sectors)
        return LF_BAD_ARGUMENT;
    lf__field_node node = lf__field_root(field, chart), halves[2];
    uint32_t leaf = lf__field_leaf(field, column, row);
    while (node.level < field->levels) {
        lf__field_halves(field, &node, halves);
        node = halves[leaf >> (field->levels - node.level - 1) & 1];
    }
    int64_t number = lf__field_sector(field, &node);
    uint32_t first = field->firsts[number], last = field->firsts[number + 1];
    bool empty = node.least > node.most;
    *sector = (lf_field_sector){.least = empty ? 0 : node.least * field->step,
                                .most = empty ? 0 : node.most * field->step,
                                .layers = (int)(last - first),
                                .triangle_count = field->layers[last].first - field->layers[first].first};
    // The transform as a picture: the root in the first place, the differences of a level beside those of the
    // level above.
    int64_t place = lf__field_chart_sectors(field) * chart;
    sector->difference = field->most[place + lf__field_transform_place(column, row)];
    return LF_OK;
}

lf_status lf_model_field_bound(const lf_model *a, const lf_model *b, lf_field_bound *bound) {
    if (!a || !b || !bound || !a->field || !b->field)
        return LF_BAD_ARGUMENT;
    lf__field_bound(a->field, b->field, &bound->cones, &bound->shells);
    return LF_OK;
}
