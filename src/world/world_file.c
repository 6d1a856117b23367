/// World files: a JSON text that lists the parts of a world.
#include "raster/raster.h"
#include "world/world_parts.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_DEPTH 16                // of worlds within worlds
#define MOST_BYTES ((size_t)1 << 30) // of the text

/// The kinds of parts: each is the key of what the part is made of.
static const char *const kinds[] = {"raster", "mesh",      "model",    "lf",    "globe", "world",
                                    "box",    "buildings", "cityjson", "scene", NULL};

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

static lf_status read_whole(const lf__world_reader *reader, const json_t *part, const char *key, double most,
                            double *number) {
    lf_status status = lf__world_number(reader, part, key, number);
    if (status == LF_OK && json_object_get(part, key) &&
        (!(*number >= 1 && *number <= most) || *number != floor(*number)))
        status = lf__world_refuse(reader, LF_BAD_FORMAT, key,
                                  "%.15g: expected a whole number from 1 to %.15g", *number, most);
    return status;
}

/// A box: its size, with the place in the middle of its floor; or two corners.
static lf_status read_box(const lf__world_reader *reader, const json_t *part, lf_box *box) {
    static const char *const keys[] = {"size", "low", "high", NULL};
    const json_t *object = json_object_get(part, "box");
    lf_vec3 size = {0, 0, 0};
    *box = (lf_box){{0, 0, 0}, {0, 0, 0}};
    if (!json_is_object(object))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "box",
                                "expected an object with size, or low and high");
    lf_status status = lf__world_keys(reader, object, "box.", keys);
    if (status == LF_OK)
        status = lf__world_vector(reader, object, "box.size", &size);
    if (status == LF_OK)
        status = lf__world_vector(reader, object, "box.low", &box->low);
    if (status == LF_OK)
        status = lf__world_vector(reader, object, "box.high", &box->high);
    if (status != LF_OK)
        return status;
    bool sized = json_object_get(object, "size") != NULL;
    bool low = json_object_get(object, "low") != NULL, high = json_object_get(object, "high") != NULL;
    if (low != high || sized == low)
        return lf__world_refuse(reader, LF_BAD_FORMAT, "box", "expected size, or low and high");
    if (sized)
        *box = (lf_box){{-0.5 * size.x, -0.5 * size.y, 0}, {0.5 * size.x, 0.5 * size.y, size.z}};
    if (!(box->low.x < box->high.x && box->low.y < box->high.y && box->low.z < box->high.z))
        return lf__world_refuse(reader, LF_BAD_FORMAT, sized ? "box.size" : "box.high",
                                "%.12g by %.12g by %.12g: expected sides above 0", box->high.x - box->low.x,
                                box->high.y - box->low.y, box->high.z - box->low.z);
    return LF_OK;
}

/// The source of an earlier part with the same key, or NULL.
static lf__world_source *shared_source(const lf_world_file *world, const char *key) {
    lf__world_source *sources = world->sources.items;
    for (int64_t i = world->sources.count - 1; i >= 0; i--)
        if (sources[i].key && strcmp(sources[i].key, key) == 0)
            return &sources[i];
    return NULL;
}

/// What a part is made of: loaded, or shared with an earlier part. A mesh or model that is placed can be shared.
static lf_status find_source(lf__world_reader *reader, const json_t *part, const char *kind,
                             lf__world_source **found) {
    lf_world_file *world = reader->world;
    const char *name = json_string_value(json_object_get(part, kind));
    bool shareable =
        (strcmp(kind, "mesh") == 0 || strcmp(kind, "model") == 0) && name && !json_object_get(part, "crs");
    char *key = shareable ? lf__world_copy(world, kind, strlen(kind), name) : NULL;
    *found = key ? shared_source(world, key) : NULL;
    if (*found) {
        lf__world_forget(world, key);
        return LF_OK;
    }
    lf_status status = lf__array_reserve(&world->sources, &world->allocator, 1, sizeof(lf__world_source));
    if (status != LF_OK || (shareable && !key)) {
        lf__world_forget(world, key);
        return lf__fail_plain(reader->error, status != LF_OK ? status : LF_NO_MEMORY);
    }
    lf__world_source *source = (lf__world_source *)world->sources.items + world->sources.count++;
    *source = (lf__world_source){.key = key};
    *found = source;
    return strcmp(kind, "buildings") == 0 ? lf__world_buildings(reader, part, source)
                                          : lf__world_load(reader, part, kind, source);
}

static lf_status append_part(lf__world_reader *reader, const lf_group_part *part, bool terrain) {
    lf_world_file *world = reader->world;
    lf_status status = lf__array_reserve(&world->parts, &world->allocator, 1, sizeof *part);
    if (status == LF_OK && terrain)
        status = lf__array_reserve(&world->terrain, &world->allocator, 1, sizeof *part);
    if (status != LF_OK)
        return lf__fail_plain(reader->error, status);
    ((lf_group_part *)world->parts.items)[world->parts.count++] = *part;
    if (terrain) {
        ((lf_group_part *)world->terrain.items)[world->terrain.count++] = *part;
        lf_group_destroy(world->standing);
        world->standing = NULL;
    }
    return LF_OK;
}

/// Read the ground, the box or the buildings of a part, and its place.
static lf_status read_content(lf__world_reader *reader, const json_t *object, const char *kind,
                              lf_group_part *part, bool *terrain) {
    lf__world_source *source = NULL;
    bool given, own = strcmp(kind, "box") != 0;
    lf_pose place;
    lf_status status =
        own ? find_source(reader, object, kind, &source) : read_box(reader, object, &part->box);
    if (status == LF_OK)
        status = lf__world_place(reader, object, &place, &given);
    if (status != LF_OK)
        return status;
    if (!given && !(source && source->georeferenced))
        return lf__world_refuse(
            reader, LF_BAD_FORMAT, "place",
            "is missing: a %s needs a place, or \"own\" where its coordinates are the world's", kind);
    if (source && source->globe && json_is_object(json_object_get(object, "place")))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "a globe is where it is");
    part->pose = source ? lf_pose_then(&source->pose, &place) : place;
    if (source && given && json_is_object(json_object_get(object, "place")))
        part->pose = place;
    part->ground = source ? source->ground : NULL;
    *terrain = source && source->terrain;
    return LF_OK;
}

static lf_status read_part(lf__world_reader *reader, const json_t *object) {
    static const char *const keys[] = {"raster", "mesh",  "model",     "lf",       "globe",
                                       "world",  "box",   "buildings", "cityjson", "scene",
                                       "name",   "place", "crs",       "vertical", "vertical_offset",
                                       "layers", "user",  "band",      "nodata",   NULL};
    const char *kind = NULL, *name = NULL;
    double layers = 0, user = 0;
    lf_group_part part = {.pose = lf_pose_identity()};
    bool terrain = false;
    if (!json_is_object(object))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "", "expected an object");
    lf_status status = lf__world_keys(reader, object, "", keys);
    for (int i = 0; kinds[i] && status == LF_OK; i++) {
        if (!json_object_get(object, kinds[i]))
            continue;
        if (kind)
            status = lf__world_refuse(reader, LF_BAD_FORMAT, "", "has %s and %s: expected one of them", kind,
                                      kinds[i]);
        kind = kinds[i];
    }
    if (status == LF_OK && !kind)
        status = lf__world_refuse(
            reader, LF_BAD_FORMAT, "",
            "expected raster, mesh, model, lf, globe, world, box, buildings, cityjson or scene");
    if (status == LF_OK)
        status = lf__world_text(reader, object, "name", &name);
    if (status == LF_OK)
        status = read_whole(reader, object, "layers", 4294967295.0, &layers);
    if (status == LF_OK)
        status = read_whole(reader, object, "user", 9007199254740992.0, &user);
    if (status == LF_OK)
        status = read_content(reader, object, kind, &part, &terrain);
    if (status != LF_OK) // the numbers may be out of range
        return status;
    part.layers = (uint32_t)layers;
    part.user = (uint64_t)user;
    return append_part(reader, &part, terrain);
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

/// Is the file one of those that it is named in? A world that contains itself has no end.
static bool is_cycle(const char *path, const lf__world_reader *outer, int *depth) {
    struct stat own, other;
    bool found = false;
    for (*depth = 0; outer; outer = outer->outer, ++*depth)
        found = found || (stat(path, &own) == 0 && stat(outer->path, &other) == 0 &&
                          own.st_dev == other.st_dev && own.st_ino == other.st_ino);
    return found;
}

static lf_status read_header(lf__world_reader *reader, const json_t *root) {
    static const char *const keys[] = {"landfall_world", "name", "crs", "vertical", "parts", NULL};
    lf_world_file *world = reader->world;
    const char *crs = NULL, *vertical = NULL, *name = NULL;
    double version = 0;
    if (!json_is_object(root) || !json_object_get(root, "landfall_world"))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "",
                                "no world file: expected an object with \"landfall_world\": 1");
    lf_status status = lf__world_keys(reader, root, "", keys);
    if (status == LF_OK)
        status = lf__world_number(reader, root, "landfall_world", &version);
    if (status == LF_OK && version != 1)
        status = lf__world_refuse(reader, LF_UNSUPPORTED, "landfall_world", "%g: expected 1", version);
    if (status == LF_OK)
        status = lf__world_text(reader, root, "name", &name);
    if (status == LF_OK)
        status = lf__world_text(reader, root, "crs", &crs);
    if (status == LF_OK)
        status = lf__world_text(reader, root, "vertical", &vertical);
    if (status != LF_OK)
        return status;
    if (crs && !(world->crs = lf__world_copy(world, "", 0, crs)))
        return lf__fail_plain(reader->error, LF_NO_MEMORY);
    if (vertical && !(world->vertical = lf__world_copy(world, "", 0, vertical)))
        return lf__fail_plain(reader->error, LF_NO_MEMORY);
    return LF_OK;
}

/// The CRS of the world must be a map in metres.
static lf_status check_crs(const lf__world_reader *reader) {
    const char *crs = reader->world->crs;
    lf__gdal gdal;
    lf_status status = LF_OK;
    if (!crs)
        return LF_OK;
    lf__gdal_begin(&gdal, crs, &reader->world->host);
    OGRSpatialReferenceH system = lf__crs_from_text(crs);
    char *unit = NULL;
    if (!system)
        status = lf__world_refuse(reader, LF_BAD_FORMAT, "crs", "%.60s: no coordinate reference system", crs);
    else if (!OSRIsProjected(system) || fabs(OSRGetLinearUnits(system, &unit) - 1) > 1e-12)
        status =
            lf__world_refuse(reader, LF_BAD_FORMAT, "crs", "%.60s: expected a projected CRS in metres", crs);
    OSRDestroySpatialReference(system);
    lf__gdal_end(&gdal);
    return status;
}

static lf_status read_parts(lf__world_reader *reader, const json_t *root) {
    lf_world_file *world = reader->world;
    const json_t *parts = json_object_get(root, "parts");
    lf_error inner = {0};
    if (json_array_size(parts) == 0)
        return lf__world_refuse(reader, LF_BAD_FORMAT, "parts", "expected a list of at least one part");
    lf_status status = LF_OK;
    for (size_t i = 0; i < json_array_size(parts) && status == LF_OK; i++) {
        reader->part = (int64_t)i;
        status = lf__report(&world->host, "world", (int64_t)i, (int64_t)json_array_size(parts))
                     ? read_part(reader, json_array_get(parts, i))
                     : lf__fail_plain(reader->error, LF_CANCELLED);
    }
    reader->part = -1;
    if (status != LF_OK)
        return status;
    lf_group_def def = lf_group_def_default();
    def.host = world->host;
    def.parts = world->parts.items;
    def.part_count = world->parts.count;
    status = lf__world_pass_on(reader, lf_group_create(&def, &world->group, &inner), "", &inner);
    const lf_group_part *only = world->parts.items;
    const lf_pose identity = lf_pose_identity();
    for (int64_t i = 0; i < world->sources.count && status == LF_OK && !world->first_grid; i++) {
        const lf_grid *grid = ((const lf__world_source *)world->sources.items)[i].grid;
        for (int64_t k = 0; k < world->parts.count && grid && !world->first_grid; k++)
            if (only[k].ground == lf_grid_ground(grid) &&
                memcmp(&only[k].pose, &identity, sizeof identity) == 0)
                world->first_grid = grid;
    }
    if (status == LF_OK && world->parts.count == 1 && memcmp(&only->pose, &identity, sizeof identity) == 0 &&
        only->layers == 0 && only->user == 0 && only->ground)
        world->grid = ((const lf__world_source *)world->sources.items)[0].grid;
    return status;
}

static lf_status read_world(lf__world_reader *reader) {
    json_error_t fault;
    lf_map map = {0};
    lf_status status = lf_map_open(reader->path, &map, reader->error);
    if (status != LF_OK)
        return status;
    json_t *root = map.size > 0 && map.size <= MOST_BYTES
                       ? json_loadb(map.data, map.size, JSON_REJECT_DUPLICATES, &fault)
                       : NULL;
    if (map.size == 0 || map.size > MOST_BYTES)
        status =
            lf__world_refuse(reader, LF_BAD_FORMAT, "", "%lld bytes: no world file", (long long)map.size);
    else if (!root)
        status = lf__fail(reader->error, LF_BAD_FORMAT, fault.line, "%s: line %d: %s", reader->path,
                          fault.line, fault.text);
    if (status == LF_OK)
        status = read_header(reader, root);
    if (status == LF_OK)
        status = check_crs(reader);
    if (status == LF_OK)
        status = read_parts(reader, root);
    json_decref(root);
    lf_map_close(&map);
    return status;
}

lf_status lf__world_open(const char *path, const lf_host *host, const lf_world_scenes *scenes,
                         const lf__world_reader *outer, lf_world_file **world, lf_error *error) {
    int depth;
    if (is_cycle(path, outer, &depth))
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: contains itself", path);
    if (depth > MOST_DEPTH)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: more than %d worlds within one another", path,
                        MOST_DEPTH);
    lf_allocator allocator = lf__allocator_of(host);
    lf_world_file *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_world_file){.allocator = allocator, .scenes = scenes, .ellipsoid = lf_ellipsoid_wgs84()};
    if (host)
        made->host = *host;
    lf__world_reader reader = {made, path, outer, -1, error};
    lf_status status = read_world(&reader);
    if (status == LF_OK)
        *world = made;
    else
        lf_world_file_close(made);
    return status;
}

lf_status lf_world_file_open(const char *path, const lf_host *host, lf_world_file **world, lf_error *error) {
    if (!path || !world)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or world is NULL");
    return lf__world_open(path, host, NULL, NULL, world, error);
}

lf_status lf_world_file_open_scenes(const char *path, const lf_host *host, const lf_world_scenes *scenes,
                                    lf_world_file **world, lf_error *error) {
    if (!path || !scenes || !scenes->open || !scenes->close || !world)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path, world, scenes or one of its functions is NULL");
    return lf__world_open(path, host, scenes, NULL, world, error);
}

void lf_world_file_close(lf_world_file *world) {
    if (!world)
        return;
    lf_allocator allocator = world->allocator;
    lf_group_destroy(world->standing);
    lf_group_destroy(world->group);
    lf__world_source *sources = world->sources.items;
    for (int64_t i = world->sources.count - 1; i >= 0; i--)
        lf__world_source_free(world, &sources[i]);
    for (int64_t i = 0; i < world->files.count; i++)
        lf__world_forget(world, ((char **)world->files.items)[i]);
    lf__world_forget(world, world->vertical);
    lf__world_forget(world, world->crs);
    lf__array_free(&world->files, &allocator, sizeof(char *));
    lf__array_free(&world->terrain, &allocator, sizeof(lf_group_part));
    lf__array_free(&world->parts, &allocator, sizeof(lf_group_part));
    lf__array_free(&world->sources, &allocator, sizeof(lf__world_source));
    lf__free(&allocator, world, sizeof *world, LF__CACHE_LINE);
}

lf_world_file_info lf_world_file_describe(const lf_world_file *world) {
    lf_world_file_info info = {.ground = lf_group_ground(world->group),
                               .grid = world->grid,
                               .terrain = world->first_grid,
                               .group = world->group,
                               .globe = world->globe,
                               .ellipsoid = world->ellipsoid,
                               .crs = world->crs,
                               .vertical = world->vertical,
                               .part_count = world->parts.count,
                               .building_count = world->building_count,
                               .files = (const char *const *)world->files.items,
                               .file_count = world->files.count};
    return info;
}
