/// The two tables of the paper over compressed grids: every sample of a raster to two stations, in four resolutions, and in
/// three directions of search. Their other rows, the kd-trees and landfall's plain grids, are in the benchmark of sight.
#include "store.h"

#include <stdlib.h>

/// 32 km a side, whatever the resolution.
#define EXTENT 32768.0

typedef struct paper_run {
    int64_t samples, count;
    lf_vec3 *targets;
    lf_vec3 stations[2];
    lf_grid *grids[STORE_CODECS];
    const lf_ground *grounds[STORE_CODECS];
} paper_run;

typedef struct paper_asker {
    const paper_run *run;
    int codec;
    lf_search search;
    int64_t blocked;
} paper_asker;

static void keep(paper_run *run, const float *heights, int codec) {
    lf_grid_def def = lf_grid_def_default();
    lf_error error = {LF_OK, -1, ""};
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = run->samples;
    def.geotransform.per_column.x = def.geotransform.per_row.y = EXTENT / (double)run->samples;
    def.surface = LF_SURFACE_BILINEAR;
    def.codec = (lf_codec)codec;
    def.max_error = codec == LF_CODEC_RAW ? 0 : STORE_ERROR;
    if (lf_grid_create(&def, &run->grids[codec], &error) != LF_OK)
        bench_stop("%s: %s", lf_codec_name((lf_codec)codec), error.text);
    run->grounds[codec] = lf_grid_ground(run->grids[codec]);
}

static void open_run(paper_run *run, int64_t samples) {
    lf_make_heights_def def = lf_make_heights_def_default();
    lf_error error = {LF_OK, -1, ""};
    *run = (paper_run){.samples = samples, .count = samples * samples};
    float *heights = bench_take((size_t)run->count, sizeof *heights);
    run->targets = bench_take((size_t)run->count, sizeof *run->targets);
    def.landscape = LF_LANDSCAPE_MOUNTAINS;
    def.columns = def.rows = samples;
    def.spacing = EXTENT / (double)samples;
    if (lf_make_rows(&def, 0, samples, heights, &error) != LF_OK)
        bench_stop("%s", error.text);
    for (int64_t k = 0; k < run->count; k++)
        run->targets[k] = (lf_vec3){def.spacing * (double)(k % samples), def.spacing * (double)(k / samples),
                                    (double)heights[k] + 2};
    for (int k = 0; k < 2; k++) {
        run->stations[k] = run->targets[samples * (k ? 6 : 2) / 10 * samples + samples * (k ? 3 : 7) / 10];
        run->stations[k].z += 28;
    }
    for (int codec = 0; codec < STORE_CODECS; codec++)
        keep(run, heights, codec);
    free(heights);
}

static void close_run(paper_run *run) {
    for (int codec = 0; codec < STORE_CODECS; codec++) {
        lf_grid_destroy(run->grids[codec]);
    }
    free(run->targets);
}

static void ask(void *user) {
    paper_asker *asker = user;
    const paper_run *run = asker->run;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_cursor *cursor = NULL;
    rules.search = asker->search;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory for a cursor");
    asker->blocked = 0;
    for (int64_t k = 0; k < 2 * run->count; k++) {
        lf_verdict verdict;
        lf_sight_verdict(run->grounds[asker->codec], &rules, run->targets[k % run->count],
                         run->stations[k / run->count], &verdict, cursor);
        asker->blocked += verdict == LF_VERDICT_BLOCKED;
    }
    lf_cursor_destroy(cursor);
}

static void race(const paper_run *run, lf_search search, int rounds, bench_times *times) {
    paper_asker askers[STORE_CODECS];
    bench_contestant contestants[STORE_CODECS];
    for (int codec = 0; codec < STORE_CODECS; codec++) {
        askers[codec] = (paper_asker){run, codec, search, 0};
        contestants[codec] = (bench_contestant){"", NULL, ask, &askers[codec]};
    }
    bench_race(contestants, STORE_CODECS, rounds, true, times);
}

static void fill(bench_table *table, const bench_times *times, const double *lines, int columns,
                 const double bytes[STORE_CODECS]) {
    for (int codec = 0; codec < STORE_CODECS; codec++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", lf_codec_name((lf_codec)codec));
        for (int k = 0; k < columns; k++)
            bench_table_cell(table, "%.0f", lines[k] / times[k].seconds[codec]);
        bench_table_cell(table, "%.2f", bytes[codec]);
    }
}

static void count_bytes(const paper_run *run, double bytes[STORE_CODECS]) {
    for (int codec = 0; codec < STORE_CODECS; codec++) {
        lf_grid_info info = lf_grid_describe(run->grids[codec]);
        bytes[codec] = (double)(info.sample_bytes + info.pyramid_bytes) / (double)run->count;
    }
}

void store_paper(bench_report *report) {
    static const char *const first[] = {"queries per second", "220", "256", "512", "1024",
                                        "bytes/sample",       NULL};
    static const char *const quick[] = {"queries per second", "220", "bytes/sample", NULL};
    static const char *const second[] = {"queries per second", "forward",      "backward",
                                         "last-fastest",       "bytes/sample", NULL};
    static const lf_search ways[] = {LF_SEARCH_FORWARD, LF_SEARCH_BACKWARD, LF_SEARCH_LAST};
    const int64_t sizes[] = {220, 256, 512, 1024};
    int columns = report->quick ? 1 : 4, rounds = report->rounds < 3 ? report->rounds : 3;
    bench_times times[4];
    double lines[4], bytes[STORE_CODECS];
    bench_table table;
    paper_run run;
    bench_table_start(
        &table, "Table I of the paper, kept in five ways: every sample to two stations, bilinear, one thread",
        report->quick ? quick : first);
    for (int k = 0; k < columns; k++) {
        open_run(&run, sizes[k]);
        lines[k] = 2.0 * (double)run.count;
        race(&run, LF_SEARCH_FORWARD, rounds, &times[k]);
        count_bytes(&run, bytes);
        close_run(&run);
    }
    fill(&table, times, lines, columns, bytes);
    bench_table_end(&table, report);
    bench_table_start(&table, "Table II of the paper, kept in five ways: directions of search, 220 x 220",
                      second);
    open_run(&run, 220);
    for (int k = 0; k < 3; k++) {
        lines[k] = 2.0 * (double)run.count;
        race(&run, ways[k], rounds, &times[k]);
    }
    count_bytes(&run, bytes);
    fill(&table, times, lines, 3, bytes);
    bench_table_end(&table, report);
    close_run(&run);
}
