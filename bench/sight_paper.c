/// The two tables of the paper: every sample of a raster to two stations, in four resolutions, and in three directions of
/// search, over the paper's kd-tree, its compressed form (wavelet), and landfall's grids, as they are and compressed.
///
/// The paper's own figures were taken on a Pentium M at 1.6 GHz: what counts is the tree beside landfall, here and now.
#include "published/funfzig_sight.h"
#include "sight.h"

#include <math.h>
#include <stdlib.h>

enum { KD_TREES = 3, TREES = 2 * KD_TREES, OURS = 11, METHODS = TREES + OURS };
enum { FORWARD, BACKWARD, LAST, WAYS };

/// 32 km a side, whatever the resolution.
#define EXTENT 32768.0

/// Heights are multiples of this, in metres, so that coefficients in these units are exact.
#define UNIT 0x1p-10

/// The largest error of compressed grids, in metres.
#define ERROR 0.1

/// A grid of landfall's.
typedef struct paper_method {
    const char *name;
    lf_surface surface;
    lf_codec codec;
    bool batch;
    int leaf;     ///< 0: the codec's own
    bool derived; ///< bounds of tiles come from the coefficients, too
} paper_method;

static const paper_method ours[OURS] = {
    {"landfall, point", LF_SURFACE_POINT, LF_CODEC_RAW, false, 0, false},
    {"landfall, bilinear", LF_SURFACE_BILINEAR, LF_CODEC_RAW, false, 0, false},
    {"landfall, bilinear, batch", LF_SURFACE_BILINEAR, LF_CODEC_RAW, true, 0, false},
    {"landfall, triangles, batch", LF_SURFACE_FALLING, LF_CODEC_RAW, true, 0, false},
    {"landfall max-plus, point", LF_SURFACE_POINT, LF_CODEC_MAXPLUS, false, 0, false},
    {"landfall max-plus, bilinear", LF_SURFACE_BILINEAR, LF_CODEC_MAXPLUS, false, 0, false},
    {"landfall pack, bilinear", LF_SURFACE_BILINEAR, LF_CODEC_PACK, false, 0, false},
    {"landfall Haar, bilinear", LF_SURFACE_BILINEAR, LF_CODEC_HAAR, false, 0, false},
    {"landfall D4, bilinear", LF_SURFACE_BILINEAR, LF_CODEC_D4, false, 0, false},
    {"landfall D4, bounds by (5)", LF_SURFACE_BILINEAR, LF_CODEC_D4, false, 32, false},
    {"landfall D4, bounds by (5) and (6)", LF_SURFACE_BILINEAR, LF_CODEC_D4, false, 32, true}};
enum { OUR_POINT = TREES, OUR_BILINEAR, OUR_BATCH };

static const char *const trees[TREES] = {"kd-tree, point", "kd-tree, bilinear-approx", "kd-tree, bilinear",
                                         "wavelet, point", "wavelet, bilinear-approx", "wavelet, bilinear"};

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
        field->heights[k] = (float)(UNIT * rint((double)field->heights[k] / UNIT));
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

static void open_tree(paper_asker *asker, const paper_field *field, int method) {
    lf__funfzig_leaf leaf = (lf__funfzig_leaf)(method % KD_TREES);
    lf_status status =
        method < KD_TREES
            ? lf__funfzig_sight_open(&asker->tree, field->heights, field->samples, leaf)
            : lf__funfzig_sight_open_wavelet(&asker->tree, field->heights, field->samples, leaf, UNIT);
    if (status != LF_OK)
        bench_stop("out of memory");
}

static void open_asker(paper_asker *asker, const paper_field *field, int method) {
    *asker = (paper_asker){.field = field};
    asker->verdicts = bench_take(2 * (size_t)field->count, 1);
    if (method < TREES) {
        open_tree(asker, field, method);
        return;
    }
    const paper_method *of = &ours[method - TREES];
    lf_grid_def def = lf_grid_def_default();
    lf_error error = {LF_OK, -1, ""};
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.surface = of->surface;
    def.codec = of->codec;
    def.leaf = of->leaf;
    def.derived_bounds = of->derived;
    def.max_error = of->codec == LF_CODEC_RAW ? 0 : ERROR;
    def.geotransform.per_column.x = def.geotransform.per_row.y = field->spacing;
    asker->batch = of->batch;
    if (lf_grid_create(&def, &asker->grid, &error) != LF_OK)
        bench_stop("%s: %s", of->name, error.text);
    asker->ground = lf_grid_ground(asker->grid);
}

static void close_asker(paper_asker *asker) {
    free(asker->verdicts);
    lf__funfzig_sight_close(&asker->tree);
    lf_grid_destroy(asker->grid);
}

/// All that a search reads: tree, bounds and heights.
static double bytes_per_sample(const paper_asker *asker) {
    double samples = (double)asker->field->count;
    if (!asker->grid)
        return (double)lf__funfzig_sight_bytes(&asker->tree) / samples;
    lf_grid_info info = lf_grid_describe(asker->grid);
    return (double)(info.sample_bytes + info.pyramid_bytes) / samples;
}

/// Lines for which two methods that should agree do not: of the tree of points and landfall, whose squares are closed, so
/// that a line through a corner of four meets all four; and of all others.
static void count_unequal(const paper_asker askers[METHODS], int64_t unequal[2]) {
    static const int pairs[][2] = {{LF__FUNFZIG_POINT, OUR_POINT},
                                   {LF__FUNFZIG_BILINEAR, OUR_BILINEAR},
                                   {OUR_BILINEAR, OUR_BATCH},
                                   {METHODS - 3, METHODS - 2},
                                   {METHODS - 3, METHODS - 1},
                                   {0, KD_TREES},
                                   {1, KD_TREES + 1},
                                   {2, KD_TREES + 2}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (int64_t k = 0; k < 2 * askers[0].field->count; k++)
            unequal[p > 0] += askers[pairs[p][0]].verdicts[k] != askers[pairs[p][1]].verdicts[k];
}

/// All methods over one raster; seconds per pass.
static void race(const paper_field *field, int way, int rounds, bench_times *times, double bytes[METHODS],
                 int64_t unequal[2]) {
    paper_asker askers[METHODS];
    bench_contestant contestants[METHODS];
    for (int i = 0; i < METHODS; i++) {
        open_asker(&askers[i], field, i);
        askers[i].way = way;
        bytes[i] = bytes_per_sample(&askers[i]);
        contestants[i] = (bench_contestant){"", NULL, i < TREES ? ask_tree : ask_ours, &askers[i]};
    }
    bench_race(contestants, METHODS, rounds, true, times);
    count_unequal(askers, unequal);
    for (int i = 0; i < METHODS; i++)
        close_asker(&askers[i]);
}

static void fill(bench_table *table, bench_times *times, const double *lines, int columns,
                 const double bytes[METHODS]) {
    for (int i = 0; i < METHODS; i++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", i < TREES ? trees[i] : ours[i - TREES].name);
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
    int64_t unequal[2] = {0, 0}, asked = 0;
    int columns = report->quick ? 1 : 4, rounds = report->rounds < 3 ? report->rounds : 3;
    bench_table_start(table, "Table I of the paper: every sample to two stations, one thread",
                      report->quick ? quick : first);
    for (int k = 0; k < columns; k++) {
        paper_field field;
        open_field(&field, sizes[k]);
        lines[k] = 2.0 * (double)field.count;
        asked += 2 * field.count;
        race(&field, FORWARD, rounds, &times[k], bytes, unequal);
        close_field(&field);
    }
    fill(table, times, lines, columns, bytes);
    bench_table_end(table, report);
    const double *last = times[columns - 1].seconds;
    bench_bar(report, "sight-paper-point", last[LF__FUNFZIG_POINT] / last[OUR_POINT], 1.5);
    bench_bar(report, "sight-paper-bilinear-single", last[LF__FUNFZIG_BILINEAR] / last[OUR_BILINEAR], 1.0);
    bench_bar(report, "sight-paper-bilinear-batch", last[LF__FUNFZIG_BILINEAR] / last[OUR_BATCH], 1.0);
    bench_table_start(table, "Table II of the paper: directions of search, 220 x 220", second);
    paper_field field;
    open_field(&field, 220);
    for (int way = 0; way < WAYS; way++) {
        lines[way] = 2.0 * (double)field.count;
        asked += 2 * field.count;
        race(&field, way, rounds, &times[way], bytes, unequal);
    }
    close_field(&field);
    fill(table, times, lines, WAYS, bytes);
    bench_table_end(table, report);
    printf(
        "of %lld lines, the tree of points in doubles and landfall differ for %lld (lines through corners of "
        "squares), all others on the same surface for %lld\n",
        (long long)asked, (long long)unequal[0], (long long)unequal[1]);
    free(table);
}
