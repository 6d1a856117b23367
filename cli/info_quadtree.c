/// `landfall info --quadtree`: the published statistics of a mesh's quadtree, and its picture.
#include "commands.h"
#include "plots.h"
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>

#define TREES 5

enum { DEFAULT = 1 };

/// One tree of the table.
typedef struct tree {
    unsigned has;
    lf_quadtree_def def;
    lf_quadtree_stats stats;
} tree;

#define COUNT(name, type, member, forms, columns) \
    { name, type, offsetof(tree, member), NULL, forms, .width = columns }

const field quadtree_fields[] = {
    COUNT("max_polygons", FIELD_INTEGER, def.max_polygons, 0, 12),
    COUNT("max_depth", FIELD_INT, def.max_depth, 0, 11),
    COUNT("nodes", FIELD_INTEGER, stats.node_count, 0, 11),
    COUNT("leaves", FIELD_INTEGER, stats.leaf_count, IN_JSON, 0),
    COUNT("references", FIELD_INTEGER, stats.reference_count, IN_JSON, 0),
    COUNT("most_polygons", FIELD_INTEGER, stats.most_polygons, IN_JSON, 0),
    COUNT("depth", FIELD_INT, stats.depth, IN_JSON, 0),
    COUNT("bytes", FIELD_INTEGER, stats.bytes, 0, 11),
    {"tests", FIELD_NUMBER, offsetof(tree, stats.tests), "polygons", .width = 7, .decimals = 1},
    {"few_area", FIELD_NUMBER, offsetof(tree, stats.few_area), NULL, IN_JSON},
    {"default", FIELD_NAME, 0, NULL, IN_TEXT, DEFAULT, .width = 9},
    {NULL}};

/// State of one run of `landfall info --quadtree`.
typedef struct quadtree_run {
    const char *file, *cut;
    double turn;
    field_span quadtrees;
} quadtree_run;

static const field all_fields[] = {{"file", FIELD_TEXT, offsetof(quadtree_run, file)},
                                   {"cut", FIELD_TEXT, offsetof(quadtree_run, cut)},
                                   {"turn", FIELD_NUMBER, offsetof(quadtree_run, turn)},
                                   {"quadtrees", FIELD_LIST, offsetof(quadtree_run, quadtrees),
                                    .fields = quadtree_fields, .size = sizeof(tree)},
                                   {NULL}};

static lf_status draw_default(cli *run, const lf_mesh *mesh, const lf_quadtree_def *def,
                              const lf_quadtree_stats *stats, lf_error *error) {
    char subtitle[160], tests[NUMBER_FIXED_SIZE];
    tests[number_write_fixed(tests, stats->tests, 1)] = '\0';
    snprintf(subtitle, sizeof subtitle, "quadtree %lld/%d, cut %s: %lld nodes, %.20s containment tests",
             (long long)def->max_polygons, def->max_depth, lf_quadtree_cut_name(def->cut),
             (long long)stats->node_count, tests);
    lf_figure_page page =
        figure_page(run, options_value(&run->given, "output"), options_integer(&run->given, "width", 960));
    return lf_figure_quadtree(&page, mesh, def->max_polygons, path_name(run->given.arguments[0]), subtitle,
                              error);
}

/// Build one tree of the table, and draw it when it is the default, the last.
static lf_status build(cli *run, int number, tree *tree, lf_error *error) {
    static const int published[TREES - 1][2] = {{400, 5}, {16, 12}, {12, 12}, {8, 14}}; // the paper's Table 4
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    lf_quadtree_def tree_def = lf_quadtree_def_default();
    lf_quadtree_stats stats = {0};
    bool last = number == TREES - 1;
    def.host = run->host;
    def.polygons = lf_polygon_file_polygons(run->ground.file);
    def.frame = lf_mesh_describe(run->ground.mesh).frame;
    def.index = lf_quadtree_index();
    def.index_def = &tree_def;
    tree_def.cut = (lf_quadtree_cut)options_choice(&run->given, "cut", LF_QUADTREE_CUT_MIDDLE);
    tree_def.turn = options_has(&run->given, "turn");
    if (!last) {
        tree_def.max_polygons = published[number][0];
        tree_def.max_depth = published[number][1];
    }
    lf_status status = lf_mesh_create(&def, &mesh, error);
    if (status == LF_OK)
        status = lf_quadtree_describe(mesh, &stats);
    if (status == LF_OK && last && options_has(&run->given, "output"))
        status = draw_default(run, mesh, &tree_def, &stats, error);
    lf_mesh_destroy(mesh);
    *tree = (struct tree){last ? DEFAULT : 0, tree_def, stats};
    return status;
}

int info_quadtree(cli *run) {
    tree trees[TREES];
    quadtree_run all = {.file = run->given.arguments[0], .quadtrees = {trees, TREES}};
    lf_error error = {0};
    lf_status status = LF_OK;
    all.cut =
        lf_quadtree_cut_name((lf_quadtree_cut)options_choice(&run->given, "cut", LF_QUADTREE_CUT_MIDDLE));
    for (int i = 0; i < TREES && status == LF_OK; i++)
        status = build(run, i, &trees[i], &error);
    if (!succeeded(status, &error))
        return CLI_ERROR;
    all.turn = trees[0].stats.turn;
    if (run->json)
        answer_json(&run->out, all_fields, &all, true);
    else
        answer_table(&run->out, quadtree_fields, trees, TREES, sizeof *trees);
    return CLI_YES;
}
