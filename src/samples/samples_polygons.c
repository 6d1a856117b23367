/// Made polygons: the front door, and landscapes as triangles.
#include "samples/landscape.h"
#include "samples/park.h"
#include <string.h>

const char *lf_made_name(lf_made_kind kind) {
    switch (kind) {
#define WORD(name, value, word, count, text) \
    case name:                               \
        return word;
        LF_MADE_LIST(WORD)
#undef WORD
    }
    return "?";
}

static int64_t default_count(lf_made_kind kind) {
    switch (kind) {
#define COUNT(name, value, word, count, text) \
    case name:                                \
        return count;
        LF_MADE_LIST(COUNT)
#undef COUNT
    }
    return 0;
}

lf_status lf_make_polygons(const lf_make_polygons_def *given, lf_made_polygons **made, lf_error *error) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    int64_t least = def.kind == LF_MADE_PARK ? 4000 : def.kind == LF_MADE_CITY ? 100 : 8;
    if (default_count(def.kind) == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no kind of polygons number %d", (int)def.kind);
    int64_t count = def.polygon_count == 0 ? default_count(def.kind) : def.polygon_count;
    if (count < least || count > (int64_t)1 << 31)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld polygons: a %s has %lld to 2^31", (long long)count,
                        lf_made_name(def.kind), (long long)least);
    if (!lf__report(&def.host, "make", 0, 1))
        return lf__fail_plain(error, LF_CANCELLED);
    lf__maker maker;
    lf__maker_start(&maker, &def.host);
    switch (def.kind) {
    case LF_MADE_PARK:
        lf__make_park(&maker, def.seed, count);
        break;
    case LF_MADE_CITY:
        lf__make_city(&maker, def.seed, count);
        break;
    case LF_MADE_SPHERE:
        lf__make_sphere(&maker, count);
        break;
    case LF_MADE_KNOT:
        lf__make_knot(&maker, count);
        break;
    }
    return lf__maker_finish(&maker, made, error);
}

typedef struct job {
    lf_heights heights;
    lf_vec3 *vertices;
    int64_t *starts, *corners;
} job;

static void fill_vertices(void *user, int64_t first, int64_t last, int worker) {
    const job *job = user;
    (void)worker;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < job->heights.columns; i++) {
            lf_vec3 *vertex = job->vertices + j * job->heights.columns + i;
            vertex->x = job->heights.x_low + (double)i * job->heights.spacing;
            vertex->y = job->heights.y_low + (double)j * job->heights.spacing;
            vertex->z = (double)job->heights.values[j * job->heights.stride + i];
        }
}

/// Two triangles per cell. Cell (0, 0) has the diagonal from its low-x high-y to its high-x low-y corner; it
/// flips from cell to cell.
static void fill_triangles(void *user, int64_t first, int64_t last, int worker) {
    const job *job = user;
    (void)worker;
    int64_t across = job->heights.columns;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i + 1 < across; i++) {
            int64_t cell = j * (across - 1) + i, *corners = job->corners + 6 * cell;
            int64_t a = j * across + i, b = a + 1, c = b + across, d = a + across;
            int64_t falling[6] = {a, b, d, b, c, d}, rising[6] = {a, b, c, a, c, d};
            memcpy(corners, (i + j) % 2 ? rising : falling, sizeof falling);
            job->starts[2 * cell + 1] = 6 * cell + 3;
            job->starts[2 * cell + 2] = 6 * cell + 6;
        }
}

/// Make room for `count` items that the caller fills in.
static void *claim(lf__maker *maker, lf__array *array, int64_t count, size_t item) {
    if (maker->status == LF_OK)
        maker->status = lf__array_reserve(array, &maker->allocator, count, item);
    if (maker->status != LF_OK)
        return NULL;
    array->count = count;
    return array->items;
}

lf_status lf_make_landscape_polygons(const lf_make_heights_def *given, lf_made_polygons **made,
                                     lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_made_heights *heights = NULL;
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    int64_t cells;
    if (def.columns < 2 || def.rows < 2)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld x %lld posts make no triangles",
                        (long long)def.columns, (long long)def.rows);
    if (__builtin_mul_overflow(def.columns - 1, def.rows - 1, &cells) || cells > INT64_MAX / 64)
        return lf__fail_plain(error, LF_TOO_LARGE);
    status = lf_make_heights(&def, &heights, error);
    if (status != LF_OK)
        return status;
    lf__maker maker;
    lf__maker_start(&maker, &def.host);
    int64_t name = lf__maker_name(&maker, lf_landscape_name(def.landscape));
    job job = {.heights = lf_made_heights_view(heights)};
    job.vertices = claim(&maker, &maker.vertices, def.columns * def.rows, sizeof(lf_vec3));
    job.starts = claim(&maker, &maker.starts, 2 * cells + 1, sizeof(int64_t));
    job.corners = claim(&maker, &maker.corners, 6 * cells, sizeof(int64_t));
    uint64_t *users = claim(&maker, &maker.users, 2 * cells, sizeof(uint64_t));
    if (maker.status == LF_OK) {
        job.starts[0] = 0;
        for (int64_t i = 0; i < 2 * cells; i++)
            users[i] = (uint64_t)name;
        lf__run(def.host.tasks, def.rows, 16, fill_vertices, &job);
        lf__run(def.host.tasks, def.rows - 1, 16, fill_triangles, &job);
    }
    lf_made_heights_destroy(heights);
    return lf__maker_finish(&maker, made, error);
}
