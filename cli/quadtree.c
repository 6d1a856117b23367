#include "quadtree.h"
#include "json.h"
#include "lines.h"
#include "numbers.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TREES 5

/// One tree of the table.
typedef struct row {
    lf_quadtree_def def;
    lf_quadtree_stats stats;
} row;

/// What one run of `landfall info --quadtree` knows.
typedef struct quadtree_run {
    cli *run;
    const loaded *ground;
    const char *picture; ///< or NULL
    int64_t width;
    row rows[TREES]; ///< the last is the default
} quadtree_run;

/// The parameters of the paper's Table 4, and our own.
static void fill_in(quadtree_run *q, lf_quadtree_cut cut, bool turn) {
    static const int published[TREES - 1][2] = {{400, 5}, {16, 12}, {12, 12}, {8, 14}};
    for (int i = 0; i < TREES; i++) {
        lf_quadtree_def *def = &q->rows[i].def;
        *def = lf_quadtree_def_default();
        def->cut = cut;
        def->turn = turn;
        if (i < TREES - 1) {
            def->max_polygons = published[i][0];
            def->max_depth = published[i][1];
        }
    }
}

static bool read_cut(const options *given, lf_quadtree_cut *cut) {
    const char *word = options_value(given, "cut");
#define CUT(name, value, spelled, text)       \
    if (word && strcmp(word, spelled) == 0) { \
        *cut = name;                          \
        return true;                          \
    }
    LF_QUADTREE_CUT_LIST(CUT)
#undef CUT
    if (word)
        message_usage("unknown cut \"%s\"", word);
    return !word;
}

static bool read_question(quadtree_run *q) {
    const options *given = &q->run->given;
    lf_quadtree_cut cut = LF_QUADTREE_CUT_MIDDLE;
    q->picture = options_value(given, "output");
    if (!read_cut(given, &cut) || !options_integer(given, "width", 200, 20000, &q->width))
        return false;
    const char *ending = q->picture ? strrchr(q->picture, '.') : NULL;
    if (q->picture && (!ending || strcasecmp(ending, ".png") != 0)) {
        message_error("-o %s: the ending has to be .png", q->picture);
        return false;
    }
    fill_in(q, cut, options_has(given, "turn"));
    return true;
}

bool quadtree_stray_options(const options *given) {
    static const char *const needy[] = {"output", "cut", "turn", "width"};
    for (size_t i = 0; i < sizeof needy / sizeof *needy; i++)
        if (options_has(given, needy[i]) && !options_has(given, "quadtree")) {
            message_usage("--%s goes with --quadtree", needy[i]);
            return true;
        }
    if (options_has(given, "width") && !options_has(given, "output")) {
        message_usage("--width is for pictures (-o)");
        return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// The table
// ---------------------------------------------------------------------------------------------------

static void write_table(const quadtree_run *q) {
    output *out = &q->run->out;
    output_text(out, "max_polygons  max_depth      nodes      bytes  tests\n");
    for (int i = 0; i < TREES; i++) {
        const row *r = &q->rows[i];
        column_count(out, r->def.max_polygons, 12);
        column_count(out, r->def.max_depth, 11);
        column_count(out, r->stats.node_count, 11);
        column_count(out, (int64_t)r->stats.bytes, 11);
        column_number(out, r->stats.tests, 1, 7);
        output_text(out, i == TREES - 1 ? "  default\n" : "\n");
    }
}

static void write_json(const quadtree_run *q) {
    json document = json_start(&q->run->out, true);
    json_put_object(&document, NULL);
    json_put_text(&document, "file", q->run->given.arguments[0]);
    json_put_text(&document, "cut", lf_quadtree_cut_name(q->rows[0].def.cut));
    json_put_number(&document, "turn", q->rows[0].stats.turn);
    json_put_array(&document, "quadtrees");
    for (int i = 0; i < TREES; i++) {
        const lf_quadtree_stats *stats = &q->rows[i].stats;
        json_put_object(&document, NULL);
        json_put_integer(&document, "max_polygons", q->rows[i].def.max_polygons);
        json_put_integer(&document, "max_depth", q->rows[i].def.max_depth);
        json_put_integer(&document, "nodes", stats->node_count);
        json_put_integer(&document, "leaves", stats->leaf_count);
        json_put_integer(&document, "references", stats->reference_count);
        json_put_integer(&document, "most_polygons", stats->most_polygons);
        json_put_integer(&document, "depth", stats->depth);
        json_put_integer(&document, "bytes", (int64_t)stats->bytes);
        json_put_number(&document, "tests", stats->tests);
        json_put_number(&document, "few_area", stats->few_area);
        json_close(&document);
    }
    json_close(&document);
    json_close(&document);
    json_end(&document);
}

// ---------------------------------------------------------------------------------------------------
// The trees
// ---------------------------------------------------------------------------------------------------

static lf_status draw(const quadtree_run *q, const lf_mesh *mesh, const row *r, lf_error *error) {
    const char *path = q->run->given.arguments[0], *slash = strrchr(path, '/');
    char subtitle[160], tests[NUMBER_FIXED_ROOM];
    tests[number_write_fixed(tests, r->stats.tests, 1)] = '\0';
    snprintf(subtitle, sizeof subtitle, "quadtree %lld/%d, cut %s: %lld nodes, %.20s containment tests",
             (long long)r->def.max_polygons, r->def.max_depth, lf_quadtree_cut_name(r->def.cut),
             (long long)r->stats.node_count, tests);
    quadtree_picture picture = {.mesh = mesh,
                                .most = r->def.max_polygons,
                                .width = q->width,
                                .title = slash ? slash + 1 : path,
                                .subtitle = subtitle,
                                .host = q->run->host};
    return quadtree_draw(&picture, q->picture, error);
}

/// Build one tree of the table, and draw it when it is the default.
static lf_status build(quadtree_run *q, int number, lf_error *error) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    row *r = &q->rows[number];
    def.host = q->run->host;
    def.polygons = lf_polygon_file_polygons(q->ground->file);
    def.frame = lf_mesh_describe(q->ground->mesh).frame;
    def.index = lf_quadtree_index();
    def.index_def = &r->def;
    lf_status status = lf_mesh_create(&def, &mesh, error);
    if (status == LF_OK)
        status = lf_quadtree_describe(mesh, &r->stats);
    if (status == LF_OK && q->picture && number == TREES - 1)
        status = draw(q, mesh, r, error);
    lf_mesh_destroy(mesh);
    return status;
}

int quadtree_report(cli *run, const loaded *ground) {
    quadtree_run q = {.run = run, .ground = ground, .width = 960};
    lf_error error = {0};
    lf_status status = LF_OK;
    if (!read_question(&q))
        return CLI_ERROR;
    for (int i = 0; i < TREES && status == LF_OK; i++)
        status = build(&q, i, &error);
    progress_clear();
    if (status != LF_OK)
        return message_status(status, &error);
    if (run->json)
        write_json(&q);
    else
        write_table(&q);
    return CLI_YES;
}
