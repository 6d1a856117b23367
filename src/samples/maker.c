#include "samples/maker.h"
#include <string.h>

void lf__maker_start(lf__maker *maker, const lf_host *host) {
    *maker = (lf__maker){.allocator = lf__allocator_of(host)};
}

void lf__maker_drop(lf__maker *maker) {
    lf__array_free(&maker->users, &maker->allocator, sizeof(uint64_t));
    lf__array_free(&maker->corners, &maker->allocator, sizeof(int64_t));
    lf__array_free(&maker->starts, &maker->allocator, sizeof(int64_t));
    lf__array_free(&maker->vertices, &maker->allocator, sizeof(lf_vec3));
}

/// Room for more items; false when there is none, or when something has failed before.
static bool room(lf__maker *maker, lf__array *array, int64_t more, size_t item) {
    if (maker->status == LF_OK)
        maker->status = lf__array_reserve(array, &maker->allocator, more, item);
    return maker->status == LF_OK;
}

void lf__maker_clear(lf__maker *maker) {
    maker->vertices.count = maker->starts.count = maker->corners.count = maker->users.count = 0;
    maker->name_count = 0;
}

void lf__maker_reserve(lf__maker *maker, int64_t vertices, int64_t polygons, int64_t corners) {
    room(maker, &maker->vertices, vertices, sizeof(lf_vec3));
    room(maker, &maker->starts, polygons + 1, sizeof(int64_t));
    room(maker, &maker->users, polygons, sizeof(uint64_t));
    room(maker, &maker->corners, corners, sizeof(int64_t));
}

int64_t lf__maker_name(lf__maker *maker, const char *name) {
    for (int64_t i = 0; i < maker->name_count; i++)
        if (strcmp(maker->names[i], name) == 0)
            return i;
    if (maker->name_count == LF__MAKER_NAMES) {
        maker->status = maker->status == LF_OK ? LF_TOO_LARGE : maker->status;
        return 0;
    }
    maker->names[maker->name_count] = name;
    return maker->name_count++;
}

int64_t lf__maker_vertex(lf__maker *maker, double x, double y, double z) {
    if (!room(maker, &maker->vertices, 1, sizeof(lf_vec3)))
        return 0;
    lf__maker_vertices(maker)[maker->vertices.count] = (lf_vec3){x, y, z};
    return maker->vertices.count++;
}

void lf__maker_polygon(lf__maker *maker, int64_t name, const int64_t *corners, int64_t count) {
    if (!room(maker, &maker->starts, 2, sizeof(int64_t)) ||
        !room(maker, &maker->users, 1, sizeof(uint64_t)) ||
        !room(maker, &maker->corners, count, sizeof(int64_t)))
        return;
    int64_t *starts = maker->starts.items, *into = (int64_t *)maker->corners.items + maker->corners.count;
    if (maker->starts.count == 0)
        starts[maker->starts.count++] = 0;
    memcpy(into, corners, (size_t)count * sizeof *into);
    maker->corners.count += count;
    starts[maker->starts.count++] = maker->corners.count;
    ((uint64_t *)maker->users.items)[maker->users.count++] = (uint64_t)name;
}

void lf__maker_triangle(lf__maker *maker, int64_t name, int64_t a, int64_t b, int64_t c) {
    int64_t corners[3] = {a, b, c};
    lf__maker_polygon(maker, name, corners, 3);
}

void lf__maker_quad(lf__maker *maker, int64_t name, const int64_t corners[4]) {
    lf__maker_polygon(maker, name, corners, 4);
}

void lf__maker_patch(lf__maker *maker, int64_t name, const lf__patch *patch) {
    int64_t first = maker->vertices.count, across = patch->ones + 1;
    for (int64_t j = 0; j <= patch->twos; j++)
        for (int64_t i = 0; i <= patch->ones; i++) {
            lf_vec3 p = lf_vec3_along(patch->origin, (double)i / (double)patch->ones, patch->one);
            p = lf_vec3_along(p, (double)j / (double)patch->twos, patch->two);
            lf__maker_vertex(maker, p.x, p.y, p.z);
        }
    for (int64_t j = 0; j < patch->twos; j++)
        for (int64_t i = 0; i < patch->ones; i++) {
            int64_t at = first + j * across + i, corners[4] = {at, at + 1, at + 1 + across, at + across};
            lf__maker_quad(maker, name, corners);
        }
}

/// How many polygons would go to triangles when every k-th that has corners to spare gives one.
typedef struct cutter {
    lf__maker from;
    int64_t wanted, spare, seen;
} cutter;

static int64_t spare_corners(const lf__maker *maker) {
    const int64_t *starts = maker->starts.items;
    int64_t spare = 0;
    for (int64_t i = 0; i < lf__maker_count(maker); i++)
        spare += starts[i + 1] - starts[i] > 3;
    return spare;
}

/// Is this one, the `seen`-th of `spare` that could, among the `wanted` ones that shall be cut?
static bool chosen(cutter *cutter) {
    int64_t before = (int64_t)((double)cutter->seen * (double)cutter->wanted / (double)cutter->spare);
    int64_t after = (int64_t)((double)(cutter->seen + 1) * (double)cutter->wanted / (double)cutter->spare);
    cutter->seen++;
    return after > before;
}

void lf__maker_cut_to(lf__maker *maker, int64_t count) {
    for (int round = 0; round < 16 && maker->status == LF_OK; round++) {
        cutter cutter = {.from = *maker, .wanted = count - lf__maker_count(maker)};
        cutter.spare = spare_corners(maker);
        if (cutter.wanted <= 0 || cutter.spare == 0)
            return;
        cutter.wanted = cutter.wanted < cutter.spare ? cutter.wanted : cutter.spare;
        maker->starts = maker->corners = maker->users = (lf__array){NULL, 0, 0};
        const int64_t *starts = cutter.from.starts.items, *corners = cutter.from.corners.items;
        const uint64_t *users = cutter.from.users.items;
        lf__maker_reserve(maker, 0, cutter.from.users.count + cutter.wanted,
                          cutter.from.corners.count + 2 * cutter.wanted);
        for (int64_t i = 0; i < cutter.from.users.count; i++) {
            const int64_t *ring = corners + starts[i];
            int64_t size = starts[i + 1] - starts[i], name = (int64_t)users[i];
            bool cut = size > 3 && chosen(&cutter);
            if (cut)
                lf__maker_triangle(maker, name, ring[size - 1], ring[0], ring[1]);
            lf__maker_polygon(maker, name, cut ? ring + 1 : ring, cut ? size - 1 : size);
        }
        cutter.from.vertices = (lf__array){NULL, 0, 0};
        lf__maker_drop(&cutter.from);
    }
}

struct lf_made_polygons {
    lf__maker maker;
};

lf_status lf__maker_finish(lf__maker *maker, lf_made_polygons **made, lf_error *error) {
    lf_made_polygons *fresh = NULL;
    lf_allocator allocator = maker->allocator;
    if (maker->status == LF_OK)
        fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_made_polygons));
    if (!fresh) {
        lf_status status = maker->status == LF_OK ? LF_NO_MEMORY : maker->status;
        lf__maker_drop(maker);
        return lf__fail_plain(error, status);
    }
    fresh->maker = *maker;
    *made = fresh;
    return LF_OK;
}

void lf_made_polygons_destroy(lf_made_polygons *made) {
    if (!made)
        return;
    lf_allocator allocator = made->maker.allocator;
    lf__maker_drop(&made->maker);
    lf__give(&allocator, made, sizeof *made, _Alignof(lf_made_polygons));
}

lf_polygons lf_made_polygons_view(const lf_made_polygons *made) {
    const lf__maker *maker = &made->maker;
    lf_polygons polygons = {maker->vertices.items,
                            maker->vertices.count,
                            maker->starts.items,
                            maker->corners.items,
                            lf__maker_count(maker),
                            maker->users.items,
                            NULL,
                            NULL};
    return polygons;
}

int64_t lf_made_polygons_name_count(const lf_made_polygons *made) {
    return made->maker.name_count;
}

const char *lf_made_polygons_name(const lf_made_polygons *made, int64_t index) {
    return index >= 0 && index < made->maker.name_count ? made->maker.names[index] : NULL;
}
