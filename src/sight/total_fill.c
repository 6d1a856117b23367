/// Total viewshed: blocks of observers look along all azimuths, and what they see is added up.
#include "sight/total.h"
#include <math.h>
#include <string.h>

/// What a worker has to itself, and the part of the window that it fills.
typedef struct total_item {
    lf__total_list list;
    double around;                ///< area of the observer's own place, along an azimuth of the list
    double *sums[LF__TOTAL_SUMS]; ///< rows of item_columns, or columns of item_rows if turned
    double *spare;                ///< another one
    bool turned;
    float *reaches;      ///< of each sample in rows, one for each azimuth
    bool whole;          ///< all places of the list are on the grid, from all samples
    int64_t column, row; ///< from the window's
    int64_t columns, rows;
} total_item;

static total_item item_of(const lf__total_job *job, int64_t index, int worker) {
    int64_t w = worker, samples = job->item_columns * job->item_rows, part = index % job->across;
    int64_t lanes = (job->window.columns + LF__TOTAL_LANES - 1) / LF__TOTAL_LANES; // shared out evenly
    int64_t column = lanes * part / job->across * LF__TOTAL_LANES,
            end = lanes * (part + 1) / job->across * LF__TOTAL_LANES;
    int64_t row = index / job->across * job->item_rows, rows = job->window.rows - row;
    end = end < job->window.columns ? end : job->window.columns;
    total_item item = {.list = job->lists[job->kept ? 0 : worker],
                       .reaches = job->reaches ? job->reaches + w * samples * job->def->azimuths : NULL,
                       .column = column,
                       .row = row,
                       .columns = end - column,
                       .rows = rows < job->item_rows ? rows : job->item_rows};
    for (int k = 0; k < LF__TOTAL_SUMS; k++)
        item.sums[k] = job->sums + (w * (LF__TOTAL_SUMS + 1) + k) * samples;
    item.spare = item.sums[0] + LF__TOTAL_SUMS * samples;
    return item;
}

/// Places on the grid from a sample of `around`, or from any of several beside it and below.
static int64_t places_inside(const lf__total_job *job, const lf__total_way *way, lf_window from,
                             int64_t count) {
    int64_t left = from.column + from.columns - 1, right = job->around.columns - 1 - from.column,
            up = from.row + from.rows - 1,
            down = job->around.rows - 1 - from.row; // of those that get farthest
    int64_t along = way->swap ? (way->back ? up : down) : (way->back ? left : right);
    double aside = (double)(way->swap ? (way->drift < 0 ? left : right) : (way->drift < 0 ? up : down));
    count = along < count ? along : count;
    if (fabs(way->drift) * (double)count > aside + LF__TOTAL_SNAP)
        count = (int64_t)((aside + LF__TOTAL_SNAP) / fabs(way->drift));
    return count;
}

/// Places on the grid from all of them: of the one that gets least far, which is in a corner. -1: some of them are beyond the grid.
static int64_t places_common(const lf__total_job *job, const lf__total_way *way, lf_window from,
                             int64_t count) {
    for (int k = 0; k < 4; k++) {
        lf_window corner = {from.column + (k & 1 ? from.columns - 1 : 0),
                            from.row + (k & 2 ? from.rows - 1 : 0), 1, 1};
        if (corner.column >= job->around.columns || corner.row >= job->around.rows)
            return -1;
        count = places_inside(job, way, corner, count);
    }
    return count;
}

/// Exchange rows and columns of the sums: a few times around the horizon, so that lines of blocks are beside each other.
static void turn_sums(const lf__total_job *job, total_item *item, bool turned) {
    int64_t wide = turned ? job->item_rows : job->item_columns,
            high = turned ? job->item_columns : job->item_rows;
    if (turned == item->turned)
        return;
    for (int k = 0; k < LF__TOTAL_SUMS; k++) {
        double *from = item->sums[k], *to = item->spare;
        for (int64_t row = 0; row < high; row++)
            for (int64_t column = 0; column < wide; column++)
                to[row * wide + column] = from[column * high + row];
        item->sums[k] = to;
        item->spare = from;
    }
    item->turned = turned;
}

/// Observers of a line of a block, and what they see along an azimuth. In a turned block they are below each other.
typedef struct total_seen {
    lf_window from; ///< of the first one
    int64_t count;
    int64_t at; ///< of their sums
    float *reaches;
    int64_t next; ///< from a reach to the next one
    bool all;     ///< all places are on the grid
    const float *moment, *last;
} total_seen;

/// How much of the azimuth is on the grid, and whether all of that is seen.
static void add_inside(const lf__total_job *job, const total_item *item, const total_seen *seen) {
    const lf__total_list *list = &item->list;
    double *within = item->sums[LF__TOTAL_INSIDE] + seen->at, *open = item->sums[LF__TOTAL_OPEN] + seen->at;
    lf_window one = seen->from;
    for (int64_t i = 0; i < seen->count; i++) {
        int64_t inside = seen->all ? list->count : places_inside(job, &list->way, one, list->count);
        within[i] += list->shares[inside];
        if (job->full)
            open[i] += inside > 0 && (int64_t)seen->last[i] == inside;
        if (list->way.turned)
            one.row++;
        else
            one.column++;
    }
}

static void add_line(const lf__total_job *job, const total_item *item, const total_seen *seen) {
    if (job->maps->inside || job->maps->open)
        add_inside(job, item, seen);
    if (job->full)
        job->add(seen->moment, item->around * item->list.way.step / 3,
                 item->sums[LF__TOTAL_MOMENT] + seen->at, seen->count);
    for (int64_t i = 0; i < seen->count && item->reaches; i++)
        seen->reaches[i * seen->next] = seen->last[i];
}

/// Add what a block sees along an azimuth. `from` is where its observers are, in `around`; a turned block has lanes below each other.
static void add_block(const lf__total_job *job, const total_item *item, int azimuth, lf_window from,
                      const lf__total_sums *sums) {
    const lf__total_list *list = &item->list;
    bool turned = list->way.turned;
    int64_t column = from.column - (job->window.column - job->around.column + item->column),
            row = from.row - (job->window.row - job->around.row + item->row);
    int64_t columns = item->columns - column, rows = item->rows - row;
    columns = columns < from.columns ? columns : from.columns;
    rows = rows < from.rows ? rows : from.rows;
    int64_t lines = turned ? columns : rows, wide = turned ? job->item_rows : job->item_columns;
    total_seen seen = {.count = turned ? rows : columns,
                       .at = turned ? column * wide + row : row * wide + column,
                       .next = job->def->azimuths * (turned ? job->item_columns : 1)};
    bool more = job->full || job->maps->inside;
    seen.all = more && (item->whole || places_common(job, &list->way, from, list->count) == list->count);
    for (int64_t line = 0; line < lines; line++, seen.at += wide) {
        job->add(sums->area[line], item->around, item->sums[LF__TOTAL_AREA] + seen.at, seen.count);
        if (!more)
            continue;
        seen.from = (lf_window){from.column + (turned ? line : 0), from.row + (turned ? 0 : line), 1, 1};
        seen.moment = sums->moment[line];
        seen.last = sums->last[line];
        if (item->reaches) {
            int64_t sample = turned ? row * job->item_columns + column + line : seen.at;
            seen.reaches = item->reaches + sample * job->def->azimuths + azimuth;
        }
        add_line(job, item, &seen);
    }
}

/// One block looks along the azimuth of the list.
static void look_from(const lf__total_job *job, const total_item *item, int azimuth, lf_window from) {
    const lf__total_list *list = &item->list;
    const lf__total_way *way = &list->way;
    int64_t column = from.column + LF__TOTAL_MARGIN, row = from.row + LF__TOTAL_MARGIN;
    int64_t count = item->whole ? list->count : places_inside(job, way, from, list->count),
            chunks = (count + LF__TOTAL_CHUNK - 1) / LF__TOTAL_CHUNK;
    lf__total_sums sums;
    lf__total_line line = {.plane = &job->planes[way->turned],
                           .column = way->turned ? row : column,
                           .row = way->turned ? column : row,
                           .onward = (job->alike && way->back ? -1 : 1) * job->planes[way->turned].wide,
                           .steps = list->steps,
                           .chunks = list->chunks,
                           .groups = list->groups,
                           .step_count = list->step_ends[count],
                           .chunk_count = chunks,
                           .group_count = (chunks + LF__TOTAL_GROUP - 1) / LF__TOTAL_GROUP,
                           .observer = (float)job->def->observer_height,
                           .target = (float)job->def->target_height,
                           .above = job->def->target_height > 0 ? (float)job->def->target_height : 0};
    job->kernel(&line, &sums);
    add_block(job, item, azimuth, from, &sums);
}

/// All blocks of some rows of an item look along an azimuth.
static void look_along(const lf__total_job *job, total_item *item, int azimuth, int64_t row, int64_t rows) {
    if (job->kept)
        item->list = job->lists[azimuth];
    else
        lf__total_list_steps(job, job->window.row + item->row + row, azimuth, &item->list);
    item->around = lf__total_area_up_to(&item->list.way, job->def, 0);
    bool turned = item->list.way.turned;
    turn_sums(job, item, turned);
    int64_t deep = job->alike ? LF__TOTAL_ROWS : 1;
    int64_t wide = turned ? deep : LF__TOTAL_LANES, high = turned ? LF__TOTAL_LANES : deep;
    int64_t first = job->window.column - job->around.column + item->column,
            top = job->window.row - job->around.row + item->row + row;
    lf_window all = {first, top, item->columns, rows};
    item->whole = places_common(job, &item->list.way, all, item->list.count) == item->list.count;
    for (int64_t i = 0; i < item->columns; i += wide)
        for (int64_t j = 0; j < rows; j += high)
            look_from(job, item, azimuth, (lf_window){first + i, top + j, wide, high});
}

/// A place that is seen along an azimuth, on the map.
static lf_vec2 total_end_of(const lf__total_job *job, int64_t i, int64_t j, int azimuth, float number) {
    lf__total_way way = lf__total_way_of(job, j, azimuth);
    double along = (way.back ? -1 : 1) * (double)number, side = (double)number * way.drift;
    double column = (double)i + (way.swap ? side : along), row = (double)j + (way.swap ? along : side);
    const lf_geotransform *g = &job->grid->geotransform;
    return (lf_vec2){g->origin.x + column * g->per_column.x + row * g->per_row.x,
                     g->origin.y + column * g->per_column.y + row * g->per_row.y};
}

/// The longest line of a sample that an exact line of sight confirms.
static double confirm_longest(const lf__total_job *job, int64_t i, int64_t j, float *reaches,
                              const double *steps, lf_vec2 *end) {
    lf_vec2 place = lf__sample_place(job->grid, i, j);
    lf_sight_rules rules = job->def->rules;
    rules.voids = LF_VOIDS_PASS;
    lf_vec3 from, to;
    lf_reason reason;
    *end = place;
    if (lf_sight_observer(job->ground, place, job->def->observer_height, &from, &reason) != LF_OK ||
        reason != LF_REASON_ANSWERED)
        return 0;
    for (;;) {
        int best = -1;
        for (int k = 0; k < job->def->azimuths; k++)
            if (reaches[k] > 0 &&
                (best < 0 || (double)reaches[k] * steps[k] > (double)reaches[best] * steps[best]))
                best = k;
        if (best < 0)
            return 0;
        lf_verdict verdict = LF_VERDICT_BLOCKED;
        lf_vec2 far = total_end_of(job, i, j, best, reaches[best]);
        if (lf_sight_observer(job->ground, far, job->def->target_height, &to, &reason) == LF_OK &&
            reason == LF_REASON_ANSWERED)
            verdict = lf__sight_verdict(job->ground, &rules, from, to, NULL);
        if (verdict == LF_VERDICT_CLEAR) {
            *end = far;
            return (double)reaches[best] * steps[best];
        }
        reaches[best] = 0;
    }
}

/// Write what the samples of a row of an item see.
static void write_row(const lf__total_job *job, const total_item *item, int64_t row) {
    const lf_total_maps *maps = job->maps;
    const lf__total_plane *plane = &job->planes[0];
    int azimuths = job->def->azimuths;
    int64_t j = job->window.row + item->row + row;
    double steps[LF__TOTAL_MOST_AZIMUTHS];
    for (int k = 0; item->reaches && k < azimuths; k++)
        steps[k] = lf__total_way_of(job, j, k).step;
    for (int64_t k = 0; k < item->columns; k++) {
        int64_t i = job->window.column + item->column + k, from = row * job->item_columns + k;
        int64_t at = (item->row + row) * job->stride + item->column + k;
        double area = item->sums[LF__TOTAL_AREA][from];
        bool bare = isnan(plane->samples[(j - job->around.row + LF__TOTAL_MARGIN) * plane->wide + i -
                                         job->around.column + LF__TOTAL_MARGIN]);
        if (maps->area)
            maps->area[at] = bare ? (float)LF_NAN : (float)area;
        if (maps->mean)
            maps->mean[at] = bare       ? (float)LF_NAN
                             : area > 0 ? (float)(item->sums[LF__TOTAL_MOMENT][from] / area)
                                        : 0;
        if (maps->inside)
            maps->inside[at] = bare ? (float)LF_NAN : (float)(item->sums[LF__TOTAL_INSIDE][from] / azimuths);
        if (maps->open)
            maps->open[at] = bare ? (float)LF_NAN : (float)(item->sums[LF__TOTAL_OPEN][from] / azimuths);
        if (!maps->longest)
            continue;
        lf_vec2 end = {LF_NAN, LF_NAN};
        maps->longest[at] =
            bare ? (float)LF_NAN
                 : (float)confirm_longest(job, i, j, item->reaches + from * azimuths, steps, &end);
        if (maps->end_x)
            maps->end_x[at] = end.x, maps->end_y[at] = end.y;
    }
}

void lf__total_fill_items(void *user, int64_t first, int64_t last, int worker) {
    lf__total_job job = *(const lf__total_job *)user;
    for (int64_t index = first; index < last; index++) {
        total_item item = item_of(&job, index, worker);
        memset(item.sums[0], 0,
               (size_t)(LF__TOTAL_SUMS * job.item_columns * job.item_rows) * sizeof *item.sums[0]);
        for (int k = 0; k < job.def->azimuths; k++)
            look_along(&job, &item, k, 0, item.rows);
        turn_sums(&job, &item, false);
        for (int64_t row = 0; row < item.rows; row++)
            write_row(&job, &item, row);
    }
}
