/// CityJSON: the surfaces of city objects as triangles, in the coordinates of the file.
#include "world/world_parts.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct city_reader {
    const lf__world_reader *reader;
    const char *path, *object; ///< the file, and the city object that is read
    lf_vec3 *vertices;
    int64_t vertex_count;
    lf__footprint footprint; ///< of a surface, seen along an axis
    lf__array corners;       ///< lf_vec3: of the surface as it is
    lf__array cut;           ///< int64_t
    lf__bodies *bodies;
    uint64_t user;
} city_reader;

static lf_status refuse_object(const city_reader *c, const char *what) {
    return lf__world_refuse(c->reader, LF_BAD_FORMAT, "cityjson", "%s: CityObjects.%.60s: %s", c->path,
                            c->object, what);
}

static lf_status refuse_city(const city_reader *c, const char *what) {
    return lf__world_refuse(c->reader, LF_BAD_FORMAT, "cityjson", "%s: %s", c->path, what);
}

// ---------------------------------------------------------------------------------------------------
// Surfaces
// ---------------------------------------------------------------------------------------------------

static double axis_of(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// Seen along axis k, counter-clockwise where the axis points to the observer.
static lf_vec2 seen_along(lf_vec3 v, int k) {
    return (lf_vec2){axis_of(v, (k + 1) % 3), axis_of(v, (k + 2) % 3)};
}

/// Twice the area of a ring, along its normal.
static lf_vec3 ring_normal(const lf_vec3 *p, int64_t count) {
    lf_vec3 sum = {0, 0, 0};
    for (int64_t i = 1; i + 1 < count; i++)
        sum = lf_vec3_add(sum, lf_vec3_cross(lf_vec3_sub(p[i], p[0]), lf_vec3_sub(p[i + 1], p[0])));
    return sum;
}

static lf_status read_corners(city_reader *c, const json_t *ring) {
    const lf_allocator *allocator = &c->reader->world->allocator;
    int64_t count = (int64_t)json_array_size(ring);
    if (!json_is_array(ring) || count < 3)
        return refuse_object(c, "a ring has fewer than three corners");
    if (count > LF__FOOTPRINT_CORNERS)
        return refuse_object(c, "has more than 20000 corners");
    lf_status status = lf__array_reserve(&c->corners, allocator, count, sizeof(lf_vec3));
    if (status != LF_OK)
        return lf__fail_plain(c->reader->error, status);
    for (int64_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(ring, (size_t)i);
        json_int_t index = json_integer_value(number);
        if (!json_is_integer(number) || index < 0 || index >= c->vertex_count)
            return refuse_object(c, "a corner is no number of a vertex");
        ((lf_vec3 *)c->corners.items)[c->corners.count++] = c->vertices[index];
    }
    return LF_OK;
}

/// The corner that a point of the footprint was made of.
static lf_vec3 corner_at(const city_reader *c, lf_vec2 p, int axis) {
    const lf_vec3 *corners = c->corners.items;
    int64_t i = 0;
    for (; i + 1 < c->corners.count; i++) {
        lf_vec2 q = seen_along(corners[i], axis);
        if (q.x == p.x && q.y == p.y)
            break;
    }
    return corners[i];
}

/// The triangles of the footprint, put back to where they were.
static lf_status add_triangles(city_reader *c, int axis, bool turned) {
    const lf_allocator *allocator = &c->reader->world->allocator;
    lf__bodies *b = c->bodies;
    c->cut.count = 0;
    lf_status status = lf__footprint_cut(&c->footprint, allocator, &c->cut);
    if (status == LF_BAD_GEOMETRY)
        return refuse_object(c, "a surface cannot be cut into triangles");
    int64_t points = c->footprint.points.count, base = b->vertices.count;
    if (status == LF_OK)
        status = lf__array_reserve(&b->vertices, allocator, points, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&b->corners, allocator, c->cut.count, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&b->users, allocator, c->cut.count / 3, sizeof(uint64_t));
    if (status != LF_OK)
        return lf__fail_plain(c->reader->error, status);
    for (int64_t i = 0; i < points; i++)
        ((lf_vec3 *)b->vertices.items)[b->vertices.count++] =
            corner_at(c, ((const lf_vec2 *)c->footprint.points.items)[i], axis);
    const int64_t *cut = c->cut.items;
    for (int64_t i = 0; i + 2 < c->cut.count; i += 3) {
        for (int k = 0; k < 3; k++)
            ((int64_t *)b->corners.items)[b->corners.count++] = base + cut[i + (turned ? 2 - k : k)];
        ((uint64_t *)b->users.items)[b->users.count++] = c->user;
    }
    return LF_OK;
}

/// A surface: its outline, then holes. It is cut as it is seen along the axis that it is widest across.
static lf_status read_surface(city_reader *c, const json_t *rings) {
    const lf_allocator *allocator = &c->reader->world->allocator;
    lf_vec2 at;
    lf_status status = LF_OK;
    int axis = 0;
    bool turned = false;
    c->corners.count = 0;
    lf__footprint_reset(&c->footprint);
    if (json_array_size(rings) == 0)
        return refuse_object(c, "a surface has no rings");
    for (size_t r = 0; r < json_array_size(rings) && status == LF_OK; r++) {
        int64_t first = c->corners.count;
        status = read_corners(c, json_array_get(rings, r));
        const lf_vec3 *p = c->corners.items;
        if (status == LF_OK && r == 0) {
            lf_vec3 n = ring_normal(p, c->corners.count);
            axis = fabs(n.z) >= fabs(n.x) && fabs(n.z) >= fabs(n.y) ? 2 : fabs(n.x) >= fabs(n.y) ? 0 : 1;
            turned = axis_of(n, axis) < 0;
        }
        for (int64_t i = first; i < c->corners.count && status == LF_OK; i++)
            status = lf__footprint_point(&c->footprint, allocator, seen_along(p[i], axis));
        if (status == LF_OK)
            status = lf__footprint_close(&c->footprint, allocator);
        if (status == LF_TOO_LARGE)
            return refuse_object(c, "has more than 20000 corners");
    }
    if (status != LF_OK)
        return status == LF_NO_MEMORY ? lf__fail_plain(c->reader->error, status) : status;
    const char *fault = lf__footprint_fault(&c->footprint, &at);
    return fault ? refuse_object(c, fault) : add_triangles(c, axis, turned);
}

/// Lists of lists, down to the surfaces.
static lf_status read_lists(city_reader *c, const json_t *list, int levels) {
    lf_status status = LF_OK;
    if (!json_is_array(list))
        return refuse_object(c, "boundaries: expected lists of numbers of vertices");
    if (levels == 0)
        return read_surface(c, list);
    for (size_t i = 0; i < json_array_size(list) && status == LF_OK; i++)
        status = read_lists(c, json_array_get(list, i), levels - 1);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Objects
// ---------------------------------------------------------------------------------------------------

/// Levels of detail are numbers, or texts such as "2.2".
static double lod_of(const json_t *geometry) {
    const json_t *lod = json_object_get(geometry, "lod");
    const char *text = json_string_value(lod);
    double number = json_is_number(lod) ? json_number_value(lod) : 0;
    if (text && lf_number_read(text, text + strlen(text), &number) == text)
        number = 0;
    return number;
}

/// The lists above the surfaces of a kind of geometry; -1: it has no surfaces.
static int levels_of(const char *type) {
    static const char *const types[] = {"MultiSurface", "CompositeSurface", "Solid", "MultiSolid",
                                        "CompositeSolid"};
    static const int levels[] = {1, 1, 2, 3, 3};
    for (int i = 0; i < 5 && type; i++)
        if (strcmp(type, types[i]) == 0)
            return levels[i];
    return -1;
}

/// The finest geometry of an object that has surfaces.
static lf_status read_object(city_reader *c, const json_t *object) {
    const json_t *all = json_object_get(object, "geometry"), *best = NULL;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const char *type = json_string_value(json_object_get(one, "type"));
        if (type && strcmp(type, "GeometryInstance") == 0)
            return refuse_object(c, "GeometryInstance: templates are not read");
        if (levels_of(type) >= 0 && (!best || lod_of(one) > lod_of(best)))
            best = one;
    }
    if (!best)
        return LF_OK;
    return read_lists(c, json_object_get(best, "boundaries"),
                      levels_of(json_string_value(json_object_get(best, "type"))));
}

static bool read_three(const json_t *list, double numbers[3]) {
    if (json_array_size(list) != 3)
        return false;
    for (int k = 0; k < 3; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        numbers[k] = json_number_value(one);
        if (!json_is_number(one) || !(fabs(numbers[k]) <= 1e12))
            return false;
    }
    return true;
}

/// Vertices are whole numbers where there is a transform.
static lf_status read_vertices(city_reader *c, const json_t *root) {
    const json_t *list = json_object_get(root, "vertices"), *transform = json_object_get(root, "transform");
    double scale[3] = {1, 1, 1}, move[3] = {0, 0, 0}, v[3];
    if (transform && (!read_three(json_object_get(transform, "scale"), scale) ||
                      !read_three(json_object_get(transform, "translate"), move)))
        return refuse_city(c, "transform: expected scale and translate, three numbers each");
    c->vertex_count = (int64_t)json_array_size(list);
    if (c->vertex_count == 0)
        return refuse_city(c, "vertices: expected a list of points");
    lf_status status = lf__allocate_array(&c->reader->world->allocator, c->vertex_count, sizeof *c->vertices,
                                          (void **)&c->vertices);
    if (status != LF_OK)
        return lf__fail_plain(c->reader->error, status);
    for (int64_t i = 0; i < c->vertex_count; i++) {
        if (!read_three(json_array_get(list, (size_t)i), v))
            return lf__world_refuse(c->reader, LF_BAD_FORMAT, "cityjson",
                                    "%s: vertices[%lld]: expected three numbers", c->path, (long long)i);
        c->vertices[i] =
            (lf_vec3){v[0] * scale[0] + move[0], v[1] * scale[1] + move[1], v[2] * scale[2] + move[2]};
    }
    return LF_OK;
}

/// The CRS, as "EPSG:NUMBER"; "" without one. It is named by an address or an URN that ends in the number.
static lf_status read_system(const city_reader *c, const json_t *root, char crs[LF__CITY_CRS]) {
    const char *name =
        json_string_value(json_object_get(json_object_get(root, "metadata"), "referenceSystem"));
    crs[0] = '\0';
    if (!name)
        return LF_OK;
    const char *code = name + strlen(name);
    while (code > name && isdigit((unsigned char)code[-1]))
        code--;
    if (!strstr(name, "EPSG") || *code == '\0' || strlen(code) > 9)
        return lf__world_refuse(c->reader, LF_BAD_FORMAT, "cityjson",
                                "%s: metadata.referenceSystem: \"%.80s\": expected one of EPSG", c->path,
                                name);
    snprintf(crs, LF__CITY_CRS, "EPSG:%s", code);
    return LF_OK;
}

static lf_status read_city(city_reader *c, const json_t *root, char crs[LF__CITY_CRS], int64_t *count) {
    const char *type = json_string_value(json_object_get(root, "type"));
    json_t *objects = json_object_get(root, "CityObjects");
    if (!type || strcmp(type, "CityJSON") != 0 || !json_is_object(objects))
        return refuse_city(c, "no CityJSON: expected \"type\": \"CityJSON\" and CityObjects");
    lf_status status = read_system(c, root, crs);
    if (status == LF_OK)
        status = read_vertices(c, root);
    const char *id;
    json_t *object;
    json_object_foreach(objects, id, object) {
        int64_t before = c->bodies->users.count;
        c->object = id;
        c->user++;
        if (status == LF_OK)
            status = read_object(c, object);
        *count += c->bodies->users.count > before;
    }
    if (status == LF_OK && *count == 0)
        status = refuse_city(c, "has no surfaces");
    return status;
}

lf_status lf__world_cityjson(const lf__world_reader *reader, const char *path, lf__bodies *bodies,
                             char crs[LF__CITY_CRS], int64_t *count) {
    const lf_allocator *allocator = &reader->world->allocator;
    city_reader c = {.reader = reader, .path = path, .object = "", .bodies = bodies};
    lf_error inner = {0};
    json_error_t fault;
    lf_map map = {0};
    lf_status status = lf_map_open(path, &map, &inner);
    if (status != LF_OK)
        return lf__world_pass_on(reader, status, "cityjson", &inner);
    json_t *root = map.size > 0 ? json_loadb(map.data, map.size, 0, &fault) : NULL;
    if (!root)
        status = lf__world_refuse(reader, LF_BAD_FORMAT, "cityjson", "%s: line %d: %s", path,
                                  map.size > 0 ? fault.line : 1, map.size > 0 ? fault.text : "is empty");
    else
        status = read_city(&c, root, crs, count);
    json_decref(root);
    lf_map_close(&map);
    lf__free_array(allocator, c.vertices, c.vertices ? c.vertex_count : 0, sizeof *c.vertices);
    lf__array_free(&c.cut, allocator, sizeof(int64_t));
    lf__array_free(&c.corners, allocator, sizeof(lf_vec3));
    lf__footprint_free(&c.footprint, allocator);
    return status;
}
