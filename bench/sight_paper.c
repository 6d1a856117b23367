/// The two tables of the paper: every sample of a raster to two stations, in four resolutions, and in three directions of search.
///
/// The paper's own figures were taken on a Pentium M at 1.6 GHz: what counts is the tree beside landfall, here and now.
#include "published/funfzig_sight.h"
#include "sight.h"

#include <stdlib.h>

enum { TREES = 3, OURS = 4, METHODS = TREES + OURS };
enum { FORWARD, BACKWARD, LAST, WAYS };

/// 32 km a side, whatever the resolution.
#define EXTENT 32768.0

typedef struct paper_field {
    int32_t samples;
    double spacing;
    float *heights;
    lf_vec3 stations[2];
    lf_vec3 *targets;
    int64_t count;
} paper_field;

static void open_field(paper_field *field, int32_t samples) {
    lf_make_heights_def def = lf_make_heights_def_default();
    lf_error error = {LF_OK, -1, ""};
    *field =
        (paper_field){.samples = samples, .spacing = EXTENT / samples, .count = (int64_t)samples * samples};
    field->heights = bench_take((size_t)field->count, sizeof *field->heights);
    field->targets = bench_take((size_t)field->count, sizeof *field->targets);
    def.landscape = LF_LANDSCAPE_MOUNTAINS;
    def.columns = def.rows = samples;
    def.spacing = field->spacing;
    if (lf_make_rows(&def, 0, samples, field->heights, &error) != LF_OK)
        bench_stop("%s", error.text);
    for (int64_t k = 0; k < field->count; k++)
        field->targets[k] = (lf_vec3){field->spacing * (double)(k % samples),
                                      field->spacing * (double)(k / samples), (double)field->heights[k] + 2};
    for (int k = 0; k < 2; k++) {
        int64_t column = samples * (k ? 3 : 7) / 10, row = samples * (k ? 6 : 2) / 10;
        field->stations[k] = field->targets[row * samples + column];
        field->stations[k].z += 28;
    }
}

static void close_field(paper_field *field) {
    free(field->heights);
    free(field->targets);
}

/// One method and its verdicts.
typedef struct paper_asker {
    const paper_field *field;
    lf__funfzig_sight tree;
    lf_grid *grid;
    const lf_ground *ground;
    bool batch;
    int way;
    uint8_t *verdicts; ///< of the first station, then of the second
} paper_asker;

static void ask_tree(void *user) {
    paper_asker *asker = user;
    const paper_field *field = asker->field;
    bool from_b = asker->way == BACKWARD;
    double scale = 1 / field->spacing;
    for (int64_t k = 0; k < 2 * field->count; k++) {
        lf_vec3 a = field->targets[k % field->count], b = field->stations[k / field->count];
        lf__funfzig_line line = {a.x * scale,         a.y * scale, a.z,    (b.x - a.x) * scale,
                                 (b.y - a.y) * scale, b.z - a.z,   from_b, 0};
        bool blocked = lf__funfzig_sight_blocked(&asker->tree, &line);
        asker->verdicts[k] = blocked;
        if (asker->way == LAST && blocked)
            from_b = line.t > 0.5;
    }
}

static void ask_ours(void *user) {
    paper_asker *asker = user;
    const paper_field *field = asker->field;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_cursor *cursor = NULL;
    rules.search = asker->way == LAST       ? LF_SEARCH_LAST
                   : asker->way == BACKWARD ? LF_SEARCH_BACKWARD
                                            : LF_SEARCH_FORWARD;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    for (int s = 0; s < 2; s++) {
        uint8_t *verdicts = asker->verdicts + s * field->count;
        if (asker->batch)
            lf_sight_verdicts(asker->ground, &rules, field->targets, 0, &field->stations[s], LF_STRIDE_SAME,
                              field->count, verdicts, NULL);
        for (int64_t k = 0; k < field->count && !asker->batch; k++) {
            lf_verdict verdict;
            lf_sight_verdict(asker->ground, &rules, field->targets[k], field->stations[s], &verdict, cursor);
            verdicts[k] = (uint8_t)verdict;
        }
    }
    lf_cursor_destroy(cursor);
}

static void open_asker(paper_asker *asker, const paper_field *field, int method) {
    static const lf_surface surfaces[OURS] = {LF_SURFACE_POINT, LF_SURFACE_BILINEAR, LF_SURFACE_BILINEAR,
                                              LF_SURFACE_FALLING};
    *asker = (paper_asker){.field = field};
    asker->verdicts = bench_take(2 * (size_t)field->count, 1);
    if (method < TREES) {
        if (lf__funfzig_sight_open(&asker->tree, field->heights, field->samples, (lf__funfzig_leaf)method) !=
            LF_OK)
            bench_stop("out of memory");
        return;
    }
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.surface = surfaces[method - TREES];
    def.geotransform.per_column.x = def.geotransform.per_row.y = field->spacing;
    asker->batch = method - TREES >= 2;
    if (lf_grid_create(&def, &asker->grid, NULL) != LF_OK)
        bench_stop("no memory for a grid");
    asker->ground = lf_grid_ground(asker->grid);
}

static void close_asker(paper_asker *asker) {
    free(asker->verdicts);
    lf__funfzig_sight_close(&asker->tree);
    lf_grid_destroy(asker->grid);
}

/// Bytes per node: all that is kept beyond the heights, by their number in a tree of two nodes for each.
static double bytes_per_sample(const paper_asker *asker) {
    double samples = (double)asker->field->count;
    return asker->grid ? (double)lf_grid_describe(asker->grid).pyramid_bytes / samples
                       : (double)sizeof(lf__funfzig_node) * (double)asker->tree.count / samples;
}

static const char *const names[METHODS] = {
    "kd-tree, point",     "kd-tree, bilinear-approx",  "kd-tree, bilinear",         "landfall, samples",
    "landfall, bilinear", "landfall, bilinear, batch", "landfall, triangles, batch"};

/// All methods over one raster; seconds per pass.
static void race(const paper_field *field, int way, int rounds, bench_times *times, double bytes[METHODS],
                 int64_t *unequal) {
    paper_asker askers[METHODS];
    bench_contestant contestants[METHODS];
    for (int i = 0; i < METHODS; i++) {
        open_asker(&askers[i], field, i);
        askers[i].way = way;
        bytes[i] = bytes_per_sample(&askers[i]);
        contestants[i] = (bench_contestant){"", NULL, i < TREES ? ask_tree : ask_ours, &askers[i]};
    }
    bench_race(contestants, METHODS, rounds, true, times);
    for (int64_t k = 0; k < 2 * field->count; k++)
        *unequal += askers[LF__FUNFZIG_BILINEAR].verdicts[k] != askers[TREES + 1].verdicts[k];
    for (int i = 0; i < METHODS; i++)
        close_asker(&askers[i]);
}

static void fill(bench_table *table, bench_times *times, const double *lines, int columns,
                 const double bytes[METHODS]) {
    for (int i = 0; i < METHODS; i++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", names[i]);
        for (int k = 0; k < columns; k++)
            bench_table_cell(table, "%.0f", lines[k] / times[k].seconds[i]);
        bench_table_cell(table, "%.2f", bytes[i]);
    }
}

void sight_paper(bench_report *report) {
    static const char *const first[] = {"queries per second", "220", "256", "512", "1024",
                                        "bytes/sample",       NULL};
    static const char *const second[] = {"queries per second", "forward",      "backward",
                                         "last-fastest",       "bytes/sample", NULL};
    static const char *const quick[] = {"queries per second", "220", "bytes/sample", NULL};
    const int32_t sizes[] = {220, 256, 512, 1024};
    bench_table *table = bench_take(1, sizeof *table);
    bench_times times[4];
    double lines[4], bytes[METHODS];
    int64_t unequal = 0, asked = 0;
    int columns = report->quick ? 1 : 4, rounds = report->rounds < 3 ? report->rounds : 3;
    bench_table_start(table, "Table I of the paper: every sample to two stations, one thread",
                      report->quick ? quick : first);
    for (int k = 0; k < columns; k++) {
        paper_field field;
        open_field(&field, sizes[k]);
        lines[k] = 2.0 * (double)field.count;
        asked += 2 * field.count;
        race(&field, FORWARD, rounds, &times[k], bytes, &unequal);
        close_field(&field);
    }
    fill(table, times, lines, columns, bytes);
    bench_table_end(table, report);
    double bilinear = times[columns - 1].seconds[LF__FUNFZIG_BILINEAR];
    bench_bar(report, "sight-paper-bilinear-single", bilinear / times[columns - 1].seconds[TREES + 1], 1.0);
    bench_bar(report, "sight-paper-bilinear-batch", bilinear / times[columns - 1].seconds[TREES + 2], 1.0);
    bench_table_start(table, "Table II of the paper: directions of search, 220 x 220", second);
    paper_field field;
    open_field(&field, 220);
    for (int way = 0; way < WAYS; way++) {
        lines[way] = 2.0 * (double)field.count;
        asked += 2 * field.count;
        race(&field, way, rounds, &times[way], bytes, &unequal);
    }
    close_field(&field);
    fill(table, times, lines, WAYS, bytes);
    bench_table_end(table, report);
    printf("of %lld lines the bilinear tree, in doubles, says otherwise than landfall for %lld\n",
           (long long)asked, (long long)unequal);
    free(table);
}
