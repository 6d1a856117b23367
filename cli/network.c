#include "network.h"
#include "answer.h"
#include <landfall/geom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Pairs whose lines are asked together.
#define NETWORK_BATCH 65536

/// Cells along a side of the index, at most.
#define NETWORK_CELLS 2048

/// Metres per degree of latitude, at least, per metre of the ellipsoid's radius.
#define NETWORK_DEGREE (0.99 * 0.017453292519943295)

/// Points by cells that are at least as wide and high as the range, so that partners are in the same cell or beside it.
typedef struct point_index {
    bool degrees; ///< columns of cells go round
    lf_vec2 low;
    double width, height; ///< of a cell
    int64_t columns, rows;
    int64_t *starts, *order; ///< points of a cell, ascending: order[starts[cell]] ..
} point_index;

/// A pair in range.
typedef struct edge {
    int64_t from, to;
    double distance;
    uint8_t verdict;
} edge;

typedef struct edge_list {
    network *network;
    point_index index;
    int64_t next_point;
    edge *edges; ///< of the present batch
    int64_t count, capacity, taken;
    lf_vec3 *a, *b;
    uint8_t *verdicts;
    int64_t line_capacity;
} edge_list;

// ---- The index ----------------------------------------------------------------------------------

static int64_t cell_of(double at, double low, double size, int64_t count) {
    double cell = floor((at - low) / size);
    return cell < 0 ? 0 : cell >= (double)count ? count - 1 : (int64_t)cell;
}

/// How many cells of at least `least` fit into an extent.
static int64_t cells_in(double extent, double least) {
    double count = floor(extent / least);
    return count > NETWORK_CELLS ? NETWORK_CELLS : count >= 1 ? (int64_t)count : 1;
}

static double turned(double lon) {
    return lon - 360 * floor(lon / 360);
}

/// On degrees the range is most columns where it is nearest to a pole.
static void size_cells(point_index *index, const network *network, lf_vec2 high) {
    double range = network->range * 1.001;
    if (!index->degrees) {
        index->columns = cells_in(high.x - index->low.x, range);
        index->rows = cells_in(high.y - index->low.y, range);
        index->width = fmax((high.x - index->low.x) / (double)index->columns, 1e-300);
        index->height = fmax((high.y - index->low.y) / (double)index->rows, 1e-300);
        return;
    }
    double degrees = range / (NETWORK_DEGREE * network->rules.ellipsoid.radius),
           far = fmax(fabs(index->low.y), fabs(high.y)) + degrees,
           narrow = far < 89 ? cos(far * 0.017453292519943295) : 0;
    index->low.x = 0;
    index->columns = narrow > 0 ? cells_in(360, degrees / narrow * 1.01) : 1;
    index->width = 360 / (double)index->columns;
    index->rows = cells_in(high.y - index->low.y, degrees);
    index->height = fmax((high.y - index->low.y) / (double)index->rows, 1e-300);
}

static int64_t cell_at(const point_index *index, lf_vec2 at) {
    double x = index->degrees ? turned(at.x) : at.x;
    return cell_of(at.y, index->low.y, index->height, index->rows) * index->columns +
           cell_of(x, index->low.x, index->width, index->columns);
}

static void index_points(point_index *index, const network *network) {
    const observers *places = network->places;
    lf_vec2 high = {-LF_INFINITY, -LF_INFINITY};
    index->degrees = network->run->coordinates.centred || network->rules.units == LF_MAP_DEGREES;
    index->low = (lf_vec2){LF_INFINITY, LF_INFINITY};
    for (int64_t i = 0; i < places->count; i++) {
        index->low = (lf_vec2){fmin(index->low.x, places->at[i].x), fmin(index->low.y, places->at[i].y)};
        high = (lf_vec2){fmax(high.x, places->at[i].x), fmax(high.y, places->at[i].y)};
    }
    size_cells(index, network, high);
    int64_t cells = index->columns * index->rows;
    index->starts = allocate((size_t)cells + 1, sizeof *index->starts);
    index->order = allocate((size_t)places->count, sizeof *index->order);
    for (int64_t i = 0; i < places->count; i++)
        index->starts[cell_at(index, places->at[i]) + 1]++;
    for (int64_t k = 0; k < cells; k++)
        index->starts[k + 1] += index->starts[k];
    for (int64_t i = places->count - 1; i >= 0; i--) // from the back: starts end as they were
        index->order[--index->starts[cell_at(index, places->at[i]) + 1]] = i;
    // Now starts[k + 1] is where cell k begins.
    memmove(index->starts, index->starts + 1, (size_t)cells * sizeof *index->starts);
    index->starts[cells] = places->count;
}

// ---- Pairs --------------------------------------------------------------------------------------

static double distance_of(const network *network, bool degrees, int64_t i, int64_t j) {
    lf_vec2 a = network->places->at[i], b = network->places->at[j];
    if (!degrees)
        return hypot(b.x - a.x, b.y - a.y);
    return lf_geodesic_between(&network->rules.ellipsoid, (lf_geodetic){a.x, a.y, 0},
                               (lf_geodetic){b.x, b.y, 0})
        .distance;
}

static int compare_edges(const void *a, const void *b) {
    int64_t x = ((const edge *)a)->to, y = ((const edge *)b)->to;
    return x < y ? -1 : x > y;
}

/// The partners of a point behind it that are in range, ascending.
static void add_partners(edge_list *list, int64_t i) {
    const point_index *index = &list->index;
    const network *network = list->network;
    int64_t cell = cell_at(index, network->places->at[i]), first = list->count;
    int64_t column = cell % index->columns, row = cell / index->columns;
    bool across = index->degrees && index->columns > 3; // else all columns are beside one another
    for (int64_t r = row - 1; r <= row + 1; r++) {
        int64_t from = index->degrees && !across ? 0 : column - 1,
                to = index->degrees && !across ? index->columns - 1 : column + 1;
        for (int64_t c = from; c <= to; c++) {
            int64_t at = across ? (c + index->columns) % index->columns : c;
            if (r < 0 || r >= index->rows || at < 0 || at >= index->columns)
                continue;
            int64_t one = r * index->columns + at;
            for (int64_t k = index->starts[one]; k < index->starts[one + 1]; k++) {
                int64_t j = index->order[k];
                double distance = j > i ? distance_of(network, index->degrees, i, j) : LF_INFINITY;
                if (j <= i || distance > network->range)
                    continue;
                list->edges = reserve(list->edges, &list->capacity, list->count + 1, sizeof *list->edges);
                list->edges[list->count++] = (edge){i, j, distance, 0};
            }
        }
    }
    if (list->count > first)
        qsort(list->edges + first, (size_t)(list->count - first), sizeof *list->edges, compare_edges);
}

/// The lines of a batch.
static lf_status ask_batch(edge_list *list) {
    network *network = list->network;
    const cli *run = network->run;
    lf_status status = LF_OK;
    if (list->count > list->line_capacity) {
        list->line_capacity = list->count;
        list->a = allocate_more(list->a, (size_t)list->count, sizeof *list->a);
        list->b = allocate_more(list->b, (size_t)list->count, sizeof *list->b);
        list->verdicts = allocate_more(list->verdicts, (size_t)list->count, 1);
    }
    for (int64_t k = 0; k < list->count; k++) {
        list->a[k] = network->points[list->edges[k].from];
        list->b[k] = network->points[list->edges[k].to];
    }
    if (!network->ask && list->count > 0)
        status = lf_sight_verdicts(run->ground.ground, &network->rules, list->a, 0, list->b, 0, list->count,
                                   list->verdicts, &run->tasks);
    for (int64_t k = 0; k < list->count && status == LF_OK; k++) {
        if (network->ask)
            status = network->ask(network->user, list->a[k], list->b[k], &list->verdicts[k]);
        list->edges[k].verdict = list->verdicts[k];
        network->visible += list->verdicts[k] == LF_VERDICT_CLEAR;
        network->unknown += list->verdicts[k] == LF_VERDICT_UNKNOWN;
    }
    network->pairs += list->count;
    return status;
}

/// The next pair that is not hidden; NULL behind the last.
static lf_status next_edge(edge_list *list, const edge **found) {
    network *network = list->network;
    int64_t points = network->places->count;
    *found = NULL;
    for (;;) {
        for (; list->taken < list->count; list->taken++)
            if (list->edges[list->taken].verdict != LF_VERDICT_BLOCKED) {
                *found = &list->edges[list->taken++];
                return LF_OK;
            }
        if (list->next_point >= points)
            return LF_OK;
        if (!progress_report(&network->run->bar, "points", list->next_point, points))
            return LF_CANCELLED;
        list->count = list->taken = 0;
        while (list->next_point < points && list->count < NETWORK_BATCH)
            add_partners(list, list->next_point++);
        lf_status status = ask_batch(list);
        if (status != LF_OK)
            return status;
    }
}

// ---- Files --------------------------------------------------------------------------------------

static const char *name_of(const network *network, int64_t i, char number[24]) {
    if (network->places->names[i])
        return network->places->names[i];
    snprintf(number, 24, "%lld", (long long)i + 1);
    return number;
}

/// Where a point is on the map, and its height.
static lf_vec3 place_of(const network *network, int64_t i) {
    lf_vec3 point = network->points[i];
    if (network->run->coordinates.centred)
        point.z = lf_ellipsoid_to_geodetic(&network->run->coordinates.ellipsoid, point).height;
    return (lf_vec3){network->places->at[i].x, network->places->at[i].y, point.z};
}

static lf_status next_line(void *user, lf_vector_feature *feature, bool *more, lf_error *error) {
    static char numbers[2][24];
    edge_list *list = user;
    const edge *edge;
    lf_status status = next_edge(list, &edge);
    (void)error;
    *more = edge != NULL;
    if (!edge)
        return status;
    feature->a = place_of(list->network, edge->from);
    feature->b = place_of(list->network, edge->to);
    feature->values[0].text = name_of(list->network, edge->from, numbers[0]);
    feature->values[1].text = name_of(list->network, edge->to, numbers[1]);
    feature->values[2].number = edge->distance;
    feature->values[3].text = lf_verdict_name((lf_verdict)edge->verdict);
    return LF_OK;
}

static lf_status write_lines(edge_list *list, const char *path, lf_error *error) {
    static const lf_vector_field fields[] = {{"from", LF_VECTOR_TEXT},
                                             {"to", LF_VECTOR_TEXT},
                                             {"distance", LF_VECTOR_NUMBER},
                                             {"verdict", LF_VECTOR_TEXT}};
    lf_vector_def def = lf_vector_def_default();
    def.host = list->network->run->host;
    def.layer = "network";
    def.crs = list->network->run->ground.about.crs;
    def.lines = true;
    def.fields = fields;
    def.field_count = 4;
    def.next = next_line;
    def.user = list;
    return lf_vector_write(path, &def, error);
}

typedef struct edge_row {
    const char *from, *to;
    lf_vec2 from_at, to_at;
    double distance;
    const char *verdict;
} edge_row;

static const field edge_columns[] = {{"from", FIELD_TEXT, offsetof(edge_row, from)},
                                     {"to", FIELD_TEXT, offsetof(edge_row, to)},
                                     {"from_x", FIELD_NUMBER, offsetof(edge_row, from_at.x)},
                                     {"from_y", FIELD_NUMBER, offsetof(edge_row, from_at.y)},
                                     {"to_x", FIELD_NUMBER, offsetof(edge_row, to_at.x)},
                                     {"to_y", FIELD_NUMBER, offsetof(edge_row, to_at.y)},
                                     {"distance", FIELD_NUMBER, offsetof(edge_row, distance), "m"},
                                     {"verdict", FIELD_TEXT, offsetof(edge_row, verdict)},
                                     {NULL}};

static lf_status write_csv(edge_list *list, output *out) {
    const network *network = list->network;
    char numbers[2][24];
    edge_row row = {0};
    const edge *edge;
    lf_status status;
    answer_csv_names(out, edge_columns, &row);
    while ((status = next_edge(list, &edge)) == LF_OK && edge) {
        row = (edge_row){name_of(network, edge->from, numbers[0]),
                         name_of(network, edge->to, numbers[1]),
                         network->places->at[edge->from],
                         network->places->at[edge->to],
                         edge->distance,
                         lf_verdict_name((lf_verdict)edge->verdict)};
        answer_csv_row(out, edge_columns, &row, &row);
    }
    return status;
}

static void write_escaped(output *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '&':
            output_text(out, "&amp;");
            break;
        case '<':
            output_text(out, "&lt;");
            break;
        case '>':
            output_text(out, "&gt;");
            break;
        case '"':
            output_text(out, "&quot;");
            break;
        default:
            output_char(out, *text);
        }
}

static void write_number_data(output *out, const char *key, double value) {
    output_format(out, "<data key=\"%s\">", key);
    output_number(out, value);
    output_text(out, "</data>");
}

static void write_nodes(const network *network, output *out) {
    char number[24];
    output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                     "<key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
                     "<key id=\"x\" for=\"node\" attr.name=\"x\" attr.type=\"double\"/>\n"
                     "<key id=\"y\" for=\"node\" attr.name=\"y\" attr.type=\"double\"/>\n"
                     "<key id=\"z\" for=\"node\" attr.name=\"z\" attr.type=\"double\"/>\n"
                     "<key id=\"distance\" for=\"edge\" attr.name=\"distance\" attr.type=\"double\"/>\n"
                     "<key id=\"verdict\" for=\"edge\" attr.name=\"verdict\" attr.type=\"string\"/>\n"
                     "<graph edgedefault=\"undirected\">\n");
    for (int64_t i = 0; i < network->places->count; i++) {
        lf_vec3 at = place_of(network, i);
        output_format(out, "<node id=\"n%lld\"><data key=\"name\">", (long long)i + 1);
        write_escaped(out, name_of(network, i, number));
        output_text(out, "</data>");
        write_number_data(out, "x", at.x);
        write_number_data(out, "y", at.y);
        write_number_data(out, "z", at.z);
        output_text(out, "</node>\n");
    }
}

static lf_status write_graph(edge_list *list, output *out) {
    const edge *edge;
    lf_status status;
    write_nodes(list->network, out);
    while ((status = next_edge(list, &edge)) == LF_OK && edge) {
        output_format(out, "<edge source=\"n%lld\" target=\"n%lld\">", (long long)edge->from + 1,
                      (long long)edge->to + 1);
        write_number_data(out, "distance", edge->distance);
        output_format(out, "<data key=\"verdict\">%s</data></edge>\n",
                      lf_verdict_name((lf_verdict)edge->verdict));
    }
    output_text(out, "</graph>\n</graphml>\n");
    return status;
}

bool network_write(network *network, const char *path) {
    edge_list list = {.network = network};
    lf_error error = {0};
    output file;
    index_points(&list.index, network);
    bool graph = path_ends(path, ".graphml");
    if (!graph && !path_ends(path, ".csv"))
        return succeeded(write_lines(&list, path, &error), &error);
    if (!output_create(&file, path, network->run->out.digits))
        return false;
    lf_status status = graph ? write_graph(&list, &file) : write_csv(&list, &file);
    if (succeeded(status, NULL))
        return output_close(&file);
    output_discard(&file);
    return false;
}
