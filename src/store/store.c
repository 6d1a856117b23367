/// Writing and opening files.
#include "base/base.h"
#include "globe/globe.h"
#include "ground/group.h"
#include "model/model.h"
#include "store/sections.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static bool plain_text(const char *text) {
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t')
            return false;
    return true;
}

static lf_status store_check_def(const char *path, const lf_store_def *def, lf_error *error) {
    int count = (def->grid != NULL) + (def->mesh != NULL) + (def->group != NULL) + (def->model != NULL) +
                (def->globe != NULL);
    if (!path || !*path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the path to write to is empty");
    if (count != 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d objects to write: expected one", count);
    if (!plain_text(def->crs) || !plain_text(def->parameters))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "crs or parameters: text with control characters");
    if (!(def->ellipsoid.radius > 0) || !(def->ellipsoid.flattening >= 0) ||
        !(def->ellipsoid.flattening < 1) || isinf(def->ellipsoid.radius))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "ellipsoid of radius %g and flattening %g: expected a finite radius above 0 and a "
                        "flattening from 0 to 1",
                        def->ellipsoid.radius, def->ellipsoid.flattening);
    if (!(def->xy_unit > 0) || isinf(def->xy_unit) || !isfinite(def->z_unit))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "units of %g and %g metres", def->xy_unit, def->z_unit);
    if (!lf__store_little_endian())
        return lf__fail(error, LF_UNSUPPORTED, -1,
                        "landfall files are written on little-endian machines only");
    return LF_OK;
}

static lf_status store_add_thing(lf__writer *w, const lf_store_def *def, lf__globe_spool **spool,
                                 lf_error *error) {
    if (def->globe)
        return lf__store_add_globe(w, def->globe, spool, error);
    if (def->grid) {
        lf_status status = lf__store_add_grid(w, def->grid, error);
        return status == LF_OK && def->pixels ? lf__store_add_pixels(w, def->grid, def->pixels, error)
                                              : status;
    }
    if (def->mesh)
        return lf__store_add_mesh(w, def->mesh, error);
    return def->group ? lf__store_add_group(w, def->group, error) : lf__store_add_model(w, def->model);
}

static void add_text(lf__writer *w, const char *name, const char *text) {
    if (text && *text)
        lf__writer_add(w, name, false, text, strlen(text));
}

lf_status lf_store_write(const char *path, const lf_store_def *given, lf_error *error) {
    lf_store_def def = lf_store_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = store_check_def(path, &def, error);
    if (status != LF_OK)
        return status;
    char producer[64];
    lf__writer w = {.host = &def.host, .path = path, .allocator = lf__allocator_of(&def.host)};
    w.header.kind = def.grid    ? LF_STORE_GRID
                    : def.mesh  ? LF_STORE_MESH
                    : def.group ? LF_STORE_GROUP
                    : def.globe ? LF_STORE_GLOBE
                                : LF_STORE_MODEL;
    if (def.globe) {
        def.degrees = true;
        def.ellipsoid = lf_globe_describe(def.globe).ellipsoid;
    }
    if (def.group && def.group->globe)
        def.ellipsoid = lf_globe_describe(lf__ground_globe(def.group->globe)->globe).ellipsoid;
    w.header.part_count = 1; // of groups see lf__store_add_group
    w.header.xy_unit = def.xy_unit;
    w.header.z_unit = def.z_unit;
    w.header.point = def.point;
    w.header.degrees = def.degrees;
    w.header.radius = def.ellipsoid.radius;
    w.header.flattening = def.ellipsoid.flattening;
    snprintf(producer, sizeof producer, "landfall %s", lf_version());
    if (error)
        error->text[0] = 0;
    lf__globe_spool *spool = NULL;
    status = store_add_thing(&w, &def, &spool, error);
    w.part = 0;
    add_text(&w, "producer", producer);
    add_text(&w, "params", def.parameters);
    add_text(&w, "crs", def.crs);
    if (status == LF_OK)
        status = lf__writer_run(&w, error);
    else if (status != LF_BAD_ARGUMENT && !(error && error->text[0]))
        lf__fail_plain(error, status);
    lf__globe_spool_free(spool);
    lf__writer_free(&w);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Opening
// ---------------------------------------------------------------------------------------------------

/// One grid, mesh or file; none for a box, and for a ground that an earlier part has.
typedef struct store_part {
    lf_store *file;
    lf_grid *grid;
    lf_mesh *mesh;
    const lf_ground *ground;
} store_part;

enum { PRODUCER, PARAMETERS, CRS, TEXTS };

struct lf_store {
    lf_allocator allocator;
    lf_map map;       ///< empty where the caller owns the memory,
    lf__paged *paged; ///< and where the file is read in ranges
    lf__store_header header;
    char *texts[TEXTS]; ///< copies with an end, or NULL
    size_t text_bytes[TEXTS];
    store_part *parts;
    int64_t part_count;
    lf_model *model;
    lf_group *group;
    const lf_ground *ground; ///< of the group, or the globe
    lf_polygons polygons;    ///< of a model
    lf__reader reader;       ///< of a mesh, whose polygons are checked when they are requested
    _Atomic bool polygons_checked;
    lf__globe_file *globe_file;
    lf_globe *globe;
    lf_pixels pixels; ///< of a grid
    bool pixels_known;
    int64_t voids; ///< of a globe; -1: not known
};

static lf_status read_texts(lf_store *store, const lf__reader *reader) {
    static const char *const names[TEXTS] = {"producer", "params", "crs"};
    for (int k = 0; k < TEXTS; k++) {
        lf__bytes bytes = lf__reader_find(reader, 0, names[k]);
        if (bytes.size == 0)
            continue;
        store->texts[k] = lf__allocate(&store->allocator, bytes.size + 1, 1);
        if (!store->texts[k])
            return LF_NO_MEMORY;
        store->text_bytes[k] = bytes.size + 1;
        memcpy(store->texts[k], bytes.data, bytes.size);
        store->texts[k][bytes.size] = 0;
    }
    return LF_OK;
}

static lf_status open_bytes(lf__bytes bytes, const lf__reader *within, lf__paged *paged, const lf_host *host,
                            bool check, lf_store **store, lf_error *error);

/// A part that is a file within this one.
static lf_status read_file(store_part *p, const lf__reader *reader, uint32_t number, lf_error *error) {
    lf__bytes bytes = lf__reader_find(reader, number, "file");
    if (reader->depth >= LF__STORE_DEEPEST)
        return lf__fail(error, LF_BAD_FORMAT, number, "files within files, more than %d deep",
                        LF__STORE_DEEPEST);
    if (bytes.size == 0)
        return lf__fail(error, LF_BAD_FORMAT, number, "part %u has no section \"file\"", number);
    lf_status status =
        open_bytes(bytes, reader, reader->paged, reader->host, reader->checked, &p->file, error);
    if (status != LF_OK)
        return status;
    p->ground = lf_store_ground(p->file);
    return p->ground ? LF_OK : lf__fail(error, LF_BAD_FORMAT, number, "part %u is no ground", number);
}

static lf_status read_part(store_part *p, const lf__reader *reader, uint32_t number, lf_error *error) {
    bool grid = lf__reader_find(reader, number, "grid").size > 0;
    lf_status status = grid ? lf__store_read_grid(reader, number, &p->grid, error)
                            : lf__store_read_mesh(reader, number, &p->mesh, error);
    if (status != LF_OK)
        return status;
    p->ground = grid ? lf_grid_ground(p->grid) : lf_mesh_ground(p->mesh);
    return LF_OK;
}

/// A part as its record has it.
static void stored_part(const lf_store *store, const lf__part_record *r, lf_group_part *part) {
    part->layers = r->layers;
    part->user = r->user;
    if (r->kind == LF__PART_SAME)
        part->ground = store->parts[r->same].ground;
    if (r->kind == LF__PART_BOX)
        part->box = (lf_box){{r->low[0], r->low[1], r->low[2]}, {r->high[0], r->high[1], r->high[2]}};
}

static lf_status make_group(lf_store *store, const lf__reader *reader, const lf__part_record *records,
                            lf_group_part *parts, lf_pose *poses, lf_error *error) {
    lf_group_def def = lf_group_def_default();
    lf_status status = lf__store_read_group(reader, &def.frame, poses, error);
    if (status != LF_OK)
        return status;
    for (int64_t k = 0; k < store->part_count; k++) {
        parts[k] = (lf_group_part){.ground = store->parts[k].ground, .pose = poses[k]};
        if (records)
            stored_part(store, &records[k], &parts[k]);
    }
    if (reader->host)
        def.host = *reader->host;
    def.parts = parts;
    def.part_count = store->part_count;
    status = lf_group_create(&def, &store->group, error);
    if (status != LF_OK)
        return status;
    store->ground = lf_group_ground(store->group);
    return LF_OK;
}

/// records: of its parts, or NULL.
static lf_status read_group(lf_store *store, const lf__reader *reader, const lf__part_record *records,
                            lf_error *error) {
    lf_group_part *parts;
    lf_pose *poses;
    lf_status status =
        lf__allocate_array(&store->allocator, store->part_count, sizeof *parts, (void **)&parts);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__allocate_array(&store->allocator, store->part_count, sizeof *poses, (void **)&poses);
    if (status == LF_OK) {
        status = make_group(store, reader, records, parts, poses, error);
        lf__free_array(&store->allocator, poses, store->part_count, sizeof *poses);
    } else {
        lf__fail_plain(error, status);
    }
    lf__free_array(&store->allocator, parts, store->part_count, sizeof *parts);
    return status;
}

static lf_status read_all(lf_store *store, const lf__reader *reader, lf_error *error) {
    lf_status status = read_texts(store, reader);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (store->header.kind == LF_STORE_GLOBE) {
        status = lf__store_read_voids(reader, &store->voids, error);
        if (status == LF_OK)
            status = lf__store_read_globe(reader, &store->globe_file, &store->globe, error);
        if (status == LF_OK)
            store->ground = lf_globe_ground_finest(store->globe);
        return status;
    }
    if (store->header.kind == LF_STORE_MODEL) {
        status = lf__store_read_model(reader, 0, &store->model, error);
        return status == LF_OK ? lf__store_read_polygons(reader, 0, false, &store->polygons, error) : status;
    }
    status = lf__allocate_array(&store->allocator, store->header.part_count, sizeof *store->parts,
                                (void **)&store->parts);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    store->part_count = store->header.part_count;
    memset(store->parts, 0, (size_t)store->part_count * sizeof *store->parts);
    const lf__part_record *records;
    status = lf__store_read_parts(reader, &records, error);
    for (uint32_t k = 0; k < store->header.part_count && status == LF_OK; k++)
        if (!records || records[k].kind == LF__PART_GROUND)
            status = read_part(&store->parts[k], reader, k, error);
        else if (records[k].kind == LF__PART_FILE)
            status = read_file(&store->parts[k], reader, k, error);
    if (status == LF_OK && store->header.kind == LF_STORE_GRID && store->parts[0].grid)
        status =
            lf__store_read_pixels(reader, store->parts[0].grid, &store->pixels, &store->pixels_known, error);
    if (status == LF_OK && store->parts[0].mesh && store->header.kind == LF_STORE_MESH)
        store->reader = *reader, store->reader.host = NULL;
    if (status == LF_OK && store->header.kind == LF_STORE_GROUP)
        status = read_group(store, reader, records, error);
    if (status == LF_OK && store->header.kind != LF_STORE_GROUP &&
        (store->header.kind == LF_STORE_GRID) != (store->parts[0].grid != NULL))
        status = lf__fail(error, LF_BAD_FORMAT, -1,
                          "the kind of ground in the header is not that of the sections");
    return status;
}

/// within: the file that has it as a part, or NULL.
static lf_status open_bytes(lf__bytes bytes, const lf__reader *within, lf__paged *paged, const lf_host *host,
                            bool check, lf_store **store, lf_error *error) {
    lf__reader reader;
    lf_allocator allocator = lf__allocator_of(host);
    lf_status status = lf__reader_start(&reader, bytes, paged, host, error);
    reader.checked = check;
    reader.depth = within ? within->depth + 1 : 0;
    if (status == LF_OK)
        status = check ? lf__reader_check(&reader, error) : lf__reader_check_small(&reader, error);
    if (status != LF_OK)
        return status;
    lf_store *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_store));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_store){.allocator = allocator, .header = *reader.header};
    status = read_all(fresh, &reader, error);
    if (status != LF_OK) {
        lf_store_close(fresh);
        return status;
    }
    *store = fresh;
    return LF_OK;
}

lf_status lf__store_open_bytes(const void *data, size_t bytes, const lf_host *host, bool check,
                               lf_store **store, lf_error *error) {
    return open_bytes((lf__bytes){data, bytes}, NULL, NULL, host, check, store, error);
}

lf_status lf_store_open_source(const lf_source *source, const lf_host *host, bool check, lf_store **store,
                               lf_error *error) {
    lf__paged *paged = NULL;
    if (!source || !source->read || source->bytes == 0 || !store) {
        if (source && source->close)
            source->close(source->user);
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "source, its read or store is NULL, or it has no bytes");
    }
    lf_status status = lf__paged_open(source, host, &paged, error);
    if (status != LF_OK) {
        if (source->close)
            source->close(source->user);
        return status;
    }
    status = open_bytes((lf__bytes){paged->data, paged->bytes}, NULL, paged, host, check, store, error);
    if (status == LF_OK)
        (*store)->paged = paged;
    else
        lf__paged_close(paged);
    return status;
}

/// Put the path before the message.
static void name_path(const char *path, lf_error *error) {
    char text[sizeof error->text];
    if (!error)
        return;
    snprintf(text, sizeof text, "%s", error->text);
    snprintf(error->text, sizeof error->text, "%.120s: %.130s", path, text);
}

lf_status lf_store_open(const char *path, const lf_host *host, bool check, lf_store **store,
                        lf_error *error) {
    lf_map map;
    if (!path || !store)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or store is NULL");
    lf_status status = lf_map_open(path, &map, error);
    if (status != LF_OK)
        return status;
    status = open_bytes((lf__bytes){map.data, map.size}, NULL, NULL, host, check, store, error);
    if (status == LF_OK) {
        (*store)->map = map;
    } else {
        lf_map_close(&map);
        name_path(path, error);
    }
    return status;
}

void lf_store_close(lf_store *store) {
    if (!store)
        return;
    lf_allocator allocator = store->allocator;
    lf_group_destroy(store->group);
    lf_model_destroy(store->model);
    lf_globe_destroy(store->globe);
    lf__globe_file_free(store->globe_file);
    for (int64_t k = store->part_count - 1; k >= 0; k--) {
        lf_mesh_destroy(store->parts[k].mesh);
        lf_grid_destroy(store->parts[k].grid);
        lf_store_close(store->parts[k].file);
    }
    lf__free_array(&allocator, store->parts, store->part_count, sizeof *store->parts);
    for (int k = 0; k < TEXTS; k++)
        lf__free(&allocator, store->texts[k], store->text_bytes[k], 1);
    lf_map_close(&store->map);
    lf__paged_close(store->paged);
    lf__free(&allocator, store, sizeof *store, _Alignof(lf_store));
}

// ---------------------------------------------------------------------------------------------------
// Describing
// ---------------------------------------------------------------------------------------------------

static const lf_grid *store_terrain(const lf_store *store) {
    for (int64_t i = 0; store->group && i < store->group->count; i++) {
        const lf__group_part *part = &store->group->parts[i];
        if (part->has_grid && part->identity && lf__ground_grid(part->ground))
            return lf__ground_grid(part->ground);
    }
    return NULL;
}

static lf_globe *store_globe_of(const lf_store *store) {
    lf_globe *globe = store->globe;
    for (int64_t k = 0; !globe && k < store->part_count; k++)
        globe = store->parts[k].file ? store_globe_of(store->parts[k].file) : NULL;
    return globe;
}

lf_store_info lf_store_describe(const lf_store *store) {
    const lf__store_header *h = &store->header;
    return (lf_store_info){.kind = (lf_store_kind)h->kind,
                           .major = h->major,
                           .minor = h->minor,
                           .bytes = h->bytes,
                           .hash = h->hash,
                           .producer = store->texts[PRODUCER] ? store->texts[PRODUCER] : "",
                           .parameters = store->texts[PARAMETERS] ? store->texts[PARAMETERS] : "",
                           .crs = store->texts[CRS],
                           .xy_unit = h->xy_unit,
                           .z_unit = h->z_unit,
                           .point = h->point != 0,
                           .degrees = h->degrees != 0,
                           .ellipsoid = {h->radius, h->flattening},
                           .terrain = store_terrain(store),
                           .globe = store_globe_of(store)};
}

const lf_grid *lf_store_grid(const lf_store *store) {
    return store->header.kind == LF_STORE_GRID ? store->parts[0].grid : NULL;
}

const lf_mesh *lf_store_mesh(const lf_store *store) {
    return store->header.kind == LF_STORE_MESH ? store->parts[0].mesh : NULL;
}

const lf_group *lf_store_group(const lf_store *store) {
    return store->group;
}

const lf_model *lf_store_model(const lf_store *store) {
    return store->model;
}

const lf_ground *lf_store_ground(const lf_store *store) {
    return store->group || store->globe ? store->ground
           : store->part_count > 0      ? store->parts[0].ground
                                        : NULL;
}

bool lf_store_pixels(const lf_store *store, lf_pixels *pixels) {
    if (!lf_store_grid(store))
        return false;
    *pixels = store->pixels;
    return store->pixels_known;
}

int64_t lf_store_voids(const lf_store *store) {
    const lf_grid *grid = lf_store_grid(store);
    return grid ? lf_grid_describe(grid).hole_count : store->globe ? store->voids : 0;
}

lf_globe *lf_store_globe(const lf_store *store) {
    return store->globe;
}

lf_polygons lf_store_polygons(const lf_store *store) {
    static const lf_polygons none = {0};
    lf_polygons polygons = store->polygons;
    if (!store->reader.data)
        return polygons;
    bool known = atomic_load(&store->polygons_checked);
    if (lf__store_read_polygons(&store->reader, 0, known, &polygons, NULL) != LF_OK)
        return none;
    atomic_store(&((lf_store *)store)->polygons_checked, true);
    return polygons;
}
