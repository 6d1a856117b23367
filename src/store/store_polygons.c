/// Meshes, models and groups in .lf files.
#include "base/base.h"
#include "globe/globe.h"
#include "ground/group.h"
#include "mesh/mesh.h"
#include "mesh/mesh_stored.h"
#include "model/model.h"
#include "store/sections.h"
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// To a file
// ---------------------------------------------------------------------------------------------------

/// Triangles of fans, polygon by polygon.
typedef struct soup {
    const void *thing;
    int64_t (*owner)(const void *thing, int64_t triangle);
    const uint32_t *corners;
    int64_t triangle_count, polygon_count;
    const lf_vec3 *vertices;
    int64_t vertex_count;
    const uint64_t *users;
    const uint32_t *layers;
    const uint8_t *sides;
} soup;

static int64_t mesh_owner(const void *thing, int64_t triangle) {
    return lf__mesh_owner(thing, (uint32_t)triangle);
}

static int64_t model_owner(const void *thing, int64_t triangle) {
    return lf__model_owner(thing, triangle);
}

/// Corners of the polygons in turn, and where those of each polygon begin. Returns the number of corners.
static int64_t unroll(const soup *s, int64_t *starts, int64_t *corners) {
    int64_t count = 0, last = -1;
    for (int64_t t = 0; t < s->triangle_count; t++) {
        int64_t polygon = s->owner(s->thing, t);
        const uint32_t *c = s->corners + 3 * t;
        if (polygon != last) {
            starts[polygon] = count;
            corners[count++] = c[0];
            corners[count++] = c[1];
        }
        corners[count++] = c[2];
        last = polygon;
    }
    starts[s->polygon_count] = count;
    return count;
}

static int64_t add_polygons(lf__writer *writer, const soup *s) {
    size_t polygons = (size_t)s->polygon_count;
    int64_t space = s->triangle_count + 2 * s->polygon_count, count = 0;
    int64_t *starts = lf__writer_take(writer, (polygons + 1) * sizeof *starts);
    int64_t *corners = lf__writer_take(writer, (size_t)space * sizeof *corners);
    if (starts && corners)
        count = unroll(s, starts, corners);
    lf__writer_add(writer, "vertices", true, s->vertices, (size_t)s->vertex_count * sizeof *s->vertices);
    if (count != 3 * s->polygon_count)
        lf__writer_add(writer, "starts", true, starts, (polygons + 1) * sizeof *starts);
    lf__writer_add(writer, "corners", true, corners, (size_t)count * sizeof *corners);
    if (s->users)
        lf__writer_add(writer, "users", true, s->users, polygons * sizeof *s->users);
    if (s->layers)
        lf__writer_add(writer, "layers", true, s->layers, polygons * sizeof *s->layers);
    if (s->sides)
        lf__writer_add(writer, "sides", true, s->sides, polygons);
    return count;
}

/// The structures of a mesh, which a reader may use as they are. They are not part of the content. A mesh that was edited, or has an
/// index of the caller's, is built again by its reader.
static void add_structures(lf__writer *writer, const lf_mesh *mesh) {
    static const lf_mesh_work none = {0};
    lf__mesh_stored stored;
    if (mesh->index || memcmp(&mesh->edited, &none, sizeof none) != 0 ||
        (mesh->nest.mesh != NULL) != (mesh->frame.kind == LF_FRAME_GRAVITY))
        return;
    lf__mesh_store(mesh, &stored);
    size_t size = (size_t)lf__stored_blocks(&stored) * sizeof(uint64_t);
    lf__mesh_built *built = lf__writer_take(writer, sizeof *built);
    uint64_t *sums = lf__writer_take(writer, size);
    if (!built || !sums)
        return;
    *built = stored.built;
    lf__stored_sum(&stored, sums);
    lf__writer_add(writer, "built", false, built, sizeof *built);
    lf__writer_add(writer, "blocks", false, sums, size);
    if (stored.hull.size > 0)
        lf__writer_add(writer, "hull", false, stored.hull.data, stored.hull.size);
    for (int a = 0; a < LF__STORED_ARRAYS; a++) {
        bool content = a == LF__STORED_VERTICES || a == LF__STORED_USERS || a == LF__STORED_LAYERS ||
                       a == LF__STORED_SIDES; // these are there already
        if (!content && stored.arrays[a].size > 0)
            lf__writer_add(writer, lf__stored_name(a), false, stored.arrays[a].data, stored.arrays[a].size);
    }
}

lf_status lf__store_add_mesh(lf__writer *writer, const lf_mesh *mesh, lf_error *error) {
    if (lf__mesh_secure(mesh) != LF_OK)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the file of the mesh is damaged");
    if (mesh->gone_count > 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the mesh has %lld removed polygons: compact it first",
                        (long long)mesh->gone_count);
    lf__mesh_record *r = lf__writer_take(writer, sizeof *r);
    if (!r)
        return writer->status;
    lf__writer_add(writer, "mesh", true, r, sizeof *r);
    soup s = {mesh,           mesh_owner,         mesh->corners, mesh->triangle_count, mesh->polygon_count,
              mesh->vertices, mesh->vertex_count, mesh->users,   mesh->layers,         mesh->sides};
    *r = (lf__mesh_record){.vertex_count = mesh->vertex_count,
                           .polygon_count = mesh->polygon_count,
                           .tolerance = mesh->tolerance,
                           .frame = lf__frame_to_record(&mesh->frame),
                           .structure = mesh->index_record.kind,
                           .compact = mesh->compact,
                           .max_polygons = mesh->index_record.number,
                           .max_depth = mesh->index_record.words[0],
                           .cut = mesh->index_record.words[1],
                           .turn = mesh->index_record.words[2]};
    r->corner_count = add_polygons(writer, &s);
    add_structures(writer, mesh);
    return writer->status;
}

lf_status lf__store_add_model(lf__writer *writer, const lf_model *model) {
    lf__model_record *r = lf__writer_take(writer, sizeof *r);
    if (!r)
        return writer->status;
    lf__writer_add(writer, "model", true, r, sizeof *r);
    soup s = {
        model,           model_owner,         model->corners, model->triangle_count, model->polygon_count,
        model->vertices, model->vertex_count, model->users,   model->layers,         NULL};
    *r = (lf__model_record){.vertex_count = model->vertex_count, .polygon_count = model->polygon_count};
    const lf_field_def *field = &model->field_record;
    if (field->sectors > 0) {
        r->sectors = (uint32_t)field->sectors;
        r->layers = (uint32_t)field->layers;
        r->centre[0] = field->at.x;
        r->centre[1] = field->at.y;
        r->centre[2] = field->at.z;
    }
    r->corner_count = add_polygons(writer, &s);
    return writer->status;
}

/// The structures of a mesh with no more bytes are checked when its file is opened.
#define CHECKED_AT_ONCE ((size_t)1 << 20)

// ---------------------------------------------------------------------------------------------------
// From a file
// ---------------------------------------------------------------------------------------------------

static bool store_polygon_fits(lf__bytes bytes, int64_t count, size_t item) {
    size_t size;
    return lf__size_array(count, item, &size) && bytes.size == size;
}

/// Polygons in the mapped file, of which only the sizes are checked.
static lf_status read_polygons(const lf__reader *reader, uint32_t part, const int64_t counts[3],
                               lf_polygons *p, lf_error *error) {
    lf__bytes vertices = lf__reader_find(reader, part, "vertices"),
              starts = lf__reader_find(reader, part, "starts"),
              corners = lf__reader_find(reader, part, "corners"),
              users = lf__reader_find(reader, part, "users"),
              layers = lf__reader_find(reader, part, "layers"),
              sides = lf__reader_find(reader, part, "sides");
    int64_t polygons = counts[1];
    bool fine = counts[0] > 0 && polygons > 0 && polygons < INT64_MAX / 8 &&
                store_polygon_fits(vertices, counts[0], sizeof(lf_vec3)) &&
                store_polygon_fits(corners, counts[2], sizeof(int64_t)) &&
                (starts.size == 0 ? counts[2] == 3 * polygons
                                  : store_polygon_fits(starts, polygons + 1, sizeof(int64_t))) &&
                (users.size == 0 || store_polygon_fits(users, polygons, 8)) &&
                (layers.size == 0 || store_polygon_fits(layers, polygons, 4)) &&
                (sides.size == 0 || store_polygon_fits(sides, polygons, 1));
    if (!fine)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the polygons do not fit their counts");
    *p = (lf_polygons){vertices.data, counts[0], starts.size > 0 ? starts.data : NULL,
                       corners.data,  polygons,  users.data,
                       layers.data,   sides.data};
    return LF_OK;
}

/// Corners are read through these.
static lf_status check_starts(const lf_polygons *p, int64_t corner_count, lf_error *error) {
    const int64_t *start = p->starts;
    bool fine = !start || (start[0] == 0 && start[p->polygon_count] == corner_count);
    for (int64_t k = 0; start && k < p->polygon_count && fine; k++)
        fine = start[k] <= start[k + 1];
    return fine ? LF_OK : lf__fail(error, LF_BAD_FORMAT, -1, "the polygons do not fit their counts");
}

lf_status lf__store_read_polygons(const lf__reader *reader, uint32_t part, bool known, lf_polygons *polygons,
                                  lf_error *error) {
    int64_t counts[3]; // all records of polygons begin with these
    bool mesh = lf__reader_find(reader, part, "mesh").size > 0;
    lf__bytes record = lf__reader_find(reader, part, mesh ? "mesh" : "model");
    if (record.size < sizeof counts)
        return lf__fail(error, LF_BAD_FORMAT, part, "part %u has no polygons", part);
    memcpy(counts, record.data, sizeof counts);
    lf_status status = read_polygons(reader, part, counts, polygons, error);
    if (status != LF_OK || known)
        return status;
    status = lf__reader_check_mesh(reader, part, error);
    if (status == LF_OK)
        status = check_starts(polygons, counts[2], error);
    for (int64_t k = 0; status == LF_OK && k < counts[2]; k++)
        if (polygons->corners[k] < 0 || polygons->corners[k] >= counts[0])
            status = lf__fail(error, LF_BAD_FORMAT, k, "a corner is not a vertex");
    return status;
}

/// The structures of a mesh as they lie in the file; LF_UNSUPPORTED where there are none, or those of another revision.
static lf_status read_structures(const lf__reader *reader, uint32_t part, const lf__mesh_record *r,
                                 const lf_mesh_def *def, lf_mesh **mesh, lf_error *error) {
    lf__mesh_stored stored = {.vertex_count = r->vertex_count,
                              .polygon_count = r->polygon_count,
                              .frame = def->frame,
                              .tolerance = r->tolerance,
                              .compact = r->compact != 0,
                              .hull = lf__reader_find(reader, part, "hull"),
                              .sums = lf__reader_find(reader, part, "blocks")};
    lf__bytes built = lf__reader_find(reader, part, "built");
    if (built.size != sizeof stored.built || stored.sums.size == 0)
        return LF_UNSUPPORTED;
    memcpy(&stored.built, built.data, sizeof stored.built);
    if (stored.built.revision != LF__STORED_REVISION)
        return LF_UNSUPPORTED;
    size_t bytes = 0;
    for (int a = 0; a < LF__STORED_ARRAYS; a++) {
        stored.arrays[a] = lf__reader_find(reader, part, lf__stored_name(a));
        bytes += stored.arrays[a].size;
    }
    const uint8_t *words = stored.arrays[LF__STORED_WORDS].data;
    if (words)
        stored.behind = reader->bytes - (size_t)(words - reader->data) - stored.arrays[LF__STORED_WORDS].size;
    lf_status status = lf__mesh_from_stored(&stored, reader->host, mesh, error);
    // A small mesh, and one that is opened with a check, is checked now.
    if (status == LF_OK && (reader->checked || bytes <= CHECKED_AT_ONCE) &&
        ((status = lf__reader_check_mesh(reader, part, error)) != LF_OK ||
         (status = lf__mesh_secure(*mesh)) != LF_OK)) {
        lf_mesh_destroy(*mesh);
        *mesh = NULL;
        return status == LF_BAD_FORMAT && error && error->text[0]
                   ? status
                   : lf__fail(error, status, -1, "damaged: the structures of the mesh");
    }
    return status;
}

lf_status lf__store_read_mesh(const lf__reader *reader, uint32_t part, lf_mesh **mesh, lf_error *error) {
    lf__mesh_record r;
    lf_mesh_def def = lf_mesh_def_default();
    lf_status status = lf__reader_record(reader, part, "mesh", &r, sizeof r, error);
    if (status == LF_OK)
        status = lf__frame_from_record(&r.frame, &def.frame, error);
    if (status == LF_OK)
        status = read_polygons(reader, part, (int64_t[3]){r.vertex_count, r.polygon_count, r.corner_count},
                               &def.polygons, error);
    if (status == LF_OK && !isfinite(r.tolerance))
        status =
            lf__fail(error, LF_BAD_FORMAT, -1, "the mesh's tolerance is %g: must be finite", r.tolerance);
    if (status != LF_OK)
        return status;
    status = read_structures(reader, part, &r, &def, mesh, error);
    if (status != LF_UNSUPPORTED)
        return status;
    status = lf__reader_check_mesh(reader, part, error);
    if (status == LF_OK)
        status = check_starts(&def.polygons, r.corner_count, error);
    if (status != LF_OK)
        return status;
    if (reader->host)
        def.host = *reader->host;
    def.tolerance = r.tolerance;
    def.compact = r.compact != 0;
    status = lf_mesh_create(&def, mesh, error);
    // The nested grid gives the same answers as the index that the mesh was written with; its record is kept,
    // so that the mesh has the same content when it is written again.
    if (status == LF_OK && r.structure != 0)
        (*mesh)->index_record =
            (lf__mesh_index_record){r.structure, {r.max_depth, r.cut, r.turn}, r.max_polygons};
    return status;
}

lf_status lf__store_read_model(const lf__reader *reader, uint32_t part, lf_model **model, lf_error *error) {
    lf__model_record r;
    lf_model_def def = lf_model_def_default();
    lf_status status = lf__reader_record(reader, part, "model", &r, sizeof r, error);
    if (status == LF_OK)
        status = read_polygons(reader, part, (int64_t[3]){r.vertex_count, r.polygon_count, r.corner_count},
                               &def.polygons, error);
    if (status == LF_OK)
        status = check_starts(&def.polygons, r.corner_count, error);
    if (status != LF_OK)
        return status;
    if (reader->host)
        def.host = *reader->host;
    // The tree answers as the field does; the record of the field is kept, so that the model has the same
    // content when it is written again.
    lf_field_def field = def.field;
    if (r.sectors > 0)
        field = (lf_field_def){(int)(r.sectors & 0xffff),
                               (int)(r.layers & 0xff),
                               LF_FIELD_CENTRE_GIVEN,
                               {r.centre[0], r.centre[1], r.centre[2]},
                               NULL};
    status = lf__field_check(&field, error);
    if (status == LF_OK)
        status = lf_model_create(&def, model, error);
    if (status == LF_OK)
        (*model)->field_record = field;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------

lf__frame_record lf__frame_to_record(const lf_frame *f) {
    return (lf__frame_record){.kind = (uint32_t)f->kind,
                              .origin = {f->origin.x, f->origin.y, f->origin.z},
                              .down = {f->down.x, f->down.y, f->down.z}};
}

lf_status lf__frame_from_record(const lf__frame_record *r, lf_frame *frame, lf_error *error) {
    lf_vec3 origin = {r->origin[0], r->origin[1], r->origin[2]}, down = {r->down[0], r->down[1], r->down[2]};
    lf_status status = LF_BAD_FORMAT;
    if (r->kind == LF_FRAME_GRAVITY)
        status = lf_frame_gravity(down, frame);
    else if (r->kind == LF_FRAME_CENTRE)
        status = lf_frame_centre(origin, frame);
    else if (r->kind == LF_FRAME_AXIS_IN || r->kind == LF_FRAME_AXIS_OUT)
        status = lf_frame_axis(origin, down, r->kind == LF_FRAME_AXIS_IN, frame);
    if (status != LF_OK)
        return lf__fail(error, LF_BAD_FORMAT, -1, "the frame has no direction of gravity");
    return LF_OK;
}

static lf__pose_record pose_to_record(const lf_pose *p) {
    lf__pose_record r = {.translation = {p->translation.x, p->translation.y, p->translation.z}};
    for (int k = 0; k < 3; k++) {
        r.rows[3 * k] = p->rows[k].x;
        r.rows[3 * k + 1] = p->rows[k].y;
        r.rows[3 * k + 2] = p->rows[k].z;
    }
    return r;
}

static lf_pose pose_from_record(const lf__pose_record *r) {
    lf_pose p = {.translation = {r->translation[0], r->translation[1], r->translation[2]}};
    for (int k = 0; k < 3; k++)
        p.rows[k] = (lf_vec3){r->rows[3 * k], r->rows[3 * k + 1], r->rows[3 * k + 2]};
    return p;
}

/// The polygons of a mesh or model, or NULL.
static const lf_mesh *stored_mesh(const lf_ground *ground) {
    const lf_mesh *mesh = lf__ground_mesh(ground);
    return mesh ? mesh : lf__ground_skin(ground);
}

/// Is nothing there? In scenes, where objects can be removed.
static bool part_is_absent(const lf__group_part *part) {
    const lf_group *inner = part->ground && !part->is_box ? lf__ground_group(part->ground) : NULL;
    if (part->is_box || (part->ground && !inner))
        return false;
    for (int64_t k = 0; inner && k < inner->count; k++)
        if (!part_is_absent(&inner->parts[k]))
            return false;
    return true;
}

/// What a part is: a box, the first part with this ground, or the same as an earlier one. `parts` are those that are stored.
static void part_to_record(const lf__group_part *const *parts, int64_t index, lf__part_record *r) {
    const lf__group_part *part = parts[index];
    *r = (lf__part_record){.kind = LF__PART_GROUND, .layers = part->layers, .user = part->user};
    if (part->is_box) {
        r->kind = LF__PART_BOX;
        r->low[0] = part->own.low.x, r->low[1] = part->own.low.y, r->low[2] = part->own.low.z;
        r->high[0] = part->own.high.x, r->high[1] = part->own.high.y, r->high[2] = part->own.high.z;
        return;
    }
    for (int64_t k = 0; k < index && r->kind == LF__PART_GROUND; k++)
        if (parts[k]->ground == part->ground && !parts[k]->is_box)
            r->kind = LF__PART_SAME, r->same = (uint64_t)k;
    if (r->kind == LF__PART_GROUND && !lf__ground_grid(part->ground) && !stored_mesh(part->ground))
        r->kind = LF__PART_FILE;
}

/// How many groups are within one another; of a scene, whose boxes and models are its parts, 1.
static int group_depth(const lf_group *group) {
    int deepest = 0;
    for (int64_t k = 0; k < group->count; k++) {
        const lf__group_part *part = &group->parts[k];
        const lf_group *inner = part->ground && !part->is_box ? lf__ground_group(part->ground) : NULL;
        int depth = inner ? group_depth(inner) : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/// A part that is a group, a scene or a globe: a file of its own within the file. A scene becomes a group of what is there now.
static lf_status add_group_file(lf__writer *writer, const lf_ground *ground, lf_error *error) {
    const lf__globe_face *globe = lf__ground_globe(ground);
    lf_store_def def = lf_store_def_default();
    if (writer->host)
        def.host = *writer->host;
    def.group = lf__ground_group(ground);
    def.globe = !def.group && globe ? globe->globe : NULL;
    if (!def.group && !def.globe)
        return lf__fail(
            error, LF_BAD_ARGUMENT, writer->part,
            "part %u: a round shape of a scene: files hold grids, meshes, models, boxes, groups and globes",
            writer->part);
    return lf__writer_add_file(writer, &def, error);
}

static lf_status add_group_part(lf__writer *writer, const lf__group_part *part, lf__part_kind kind,
                                lf_error *error) {
    const lf_grid *grid = lf__ground_grid(part->ground);
    if (kind == LF__PART_FILE)
        return add_group_file(writer, part->ground, error);
    if (kind != LF__PART_GROUND)
        return LF_OK;
    return grid ? lf__store_add_grid(writer, grid, error)
                : lf__store_add_mesh(writer, stored_mesh(part->ground), error);
}

lf_status lf__store_add_group(lf__writer *writer, const lf_group *group, lf_error *error) {
    lf__group_record *r = lf__writer_take(writer, sizeof *r);
    const lf__group_part **there = lf__writer_take(writer, (size_t)group->count * sizeof *there);
    lf__pose_record *poses = lf__writer_take(writer, (size_t)group->count * sizeof *poses);
    lf__part_record *parts = lf__writer_take(writer, (size_t)group->count * sizeof *parts);
    int64_t count = 0;
    bool special = false;
    if (!r || !there || !poses || !parts)
        return writer->status;
    if (group_depth(group) > LF__STORE_DEEPEST)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "groups within groups, %d deep: a file holds %d",
                        group_depth(group), LF__STORE_DEEPEST);
    for (int64_t k = 0; k < group->count; k++)
        if (!part_is_absent(&group->parts[k]))
            there[count++] = &group->parts[k];
    if (count == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the group has no parts");
    writer->header.part_count = (uint32_t)count;
    r->frame = lf__frame_to_record(&group->frame);
    lf__writer_add(writer, "group", true, r, sizeof *r);
    lf__writer_add(writer, "poses", true, poses, (size_t)count * sizeof *poses);
    lf_status status = writer->status;
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        poses[k] = pose_to_record(&there[k]->pose);
        part_to_record(there, k, &parts[k]);
        special = special || parts[k].kind != LF__PART_GROUND || parts[k].layers != 0 || parts[k].user != 0;
        writer->part = (uint32_t)k;
        status = add_group_part(writer, there[k], (lf__part_kind)parts[k].kind, error);
    }
    writer->part = 0;
    if (status == LF_OK && special)
        lf__writer_add(writer, "parts", true, parts, (size_t)count * sizeof *parts);
    return status == LF_OK ? writer->status : status;
}

static bool part_record_fits(const lf__part_record *parts, uint32_t index) {
    const lf__part_record *r = &parts[index];
    if (r->kind == LF__PART_SAME)
        return r->same < index &&
               (parts[r->same].kind == LF__PART_GROUND || parts[r->same].kind == LF__PART_FILE);
    for (int k = 0; k < 3 && r->kind == LF__PART_BOX; k++)
        if (!isfinite(r->low[k]) || !isfinite(r->high[k]) || !(r->low[k] <= r->high[k]))
            return false;
    return r->kind < LF__PART_KINDS;
}

lf_status lf__store_read_parts(const lf__reader *reader, const lf__part_record **parts, lf_error *error) {
    lf__bytes bytes = lf__reader_find(reader, 0, "parts");
    uint32_t count = reader->header->part_count;
    *parts = NULL;
    if (reader->header->kind != LF_STORE_GROUP || bytes.size == 0)
        return LF_OK;
    if (bytes.size != count * sizeof **parts)
        return lf__fail(error, LF_BAD_FORMAT, -1, "%u parts have %zu bytes of records", count, bytes.size);
    for (uint32_t k = 0; k < count; k++)
        if (!part_record_fits((const lf__part_record *)bytes.data, k))
            return lf__fail(error, LF_BAD_FORMAT, k, "part %u: no part, or a box without a size", k);
    *parts = (const lf__part_record *)bytes.data;
    return LF_OK;
}

lf_status lf__store_read_group(const lf__reader *reader, lf_frame *frame, lf_pose *poses, lf_error *error) {
    lf__group_record r;
    lf__bytes bytes = lf__reader_find(reader, 0, "poses");
    lf_status status = lf__reader_record(reader, 0, "group", &r, sizeof r, error);
    if (status == LF_OK)
        status = lf__frame_from_record(&r.frame, frame, error);
    if (status != LF_OK)
        return status;
    if (bytes.size != reader->header->part_count * sizeof(lf__pose_record))
        return lf__fail(error, LF_BAD_FORMAT, -1, "%u parts have %zu bytes of poses",
                        reader->header->part_count, bytes.size);
    for (uint32_t k = 0; k < reader->header->part_count; k++)
        poses[k] = pose_from_record((const lf__pose_record *)bytes.data + k);
    return LF_OK;
}

#undef CHECKED_AT_ONCE
