/// `landfall info`: what a mesh, a raster or a .lf file is made of.
#include "commands.h"
#include "ground.h"
#include "info.h"
#include "map.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LEAVES 7 // of the table of pyramids: 1, 2, 4 .. 64

enum {
    FROM_RASTER = 1, ///< GROUND is one
    FROM_STORE = 2,  ///< it is a .lf file
    FROM_MESH = 4,
    GRID = 8, ///< of a raster or in a .lf file
    GLOBE = 16,
    POLYGONS = 32,
    GROUP = 64,
    BOX = 128,
    STRAIGHT = 256, ///< columns run east and rows north
    TURNED = 512,
    WRAPS = 1024,
    Z_UNIT = 2048, ///< it is known
    NO_Z_UNIT = 4096,
    NODATA = 8192,
    NO_NODATA = 16384,
    HEIGHTS = 32768, ///< of a globe: low and high are known
    VOIDS = 65536,
    NO_VOIDS = 131072,
    PARAMETERS = 262144,
    OUTER_BOX = 524288 ///< of a mesh or group in a .lf file
};

/// Polygons of a name.
typedef struct name_count {
    int64_t polygons;
    const char *name;
} name_count;

static const field name_line[] = {{"polygons", FIELD_INTEGER, offsetof(name_count, polygons)},
                                  {"name", FIELD_TEXT, offsetof(name_count, name)},
                                  {NULL}};
static const field name_members[] = {{"name", FIELD_TEXT, offsetof(name_count, name)},
                                     {"polygons", FIELD_INTEGER, offsetof(name_count, polygons)},
                                     {NULL}};

/// Everything that `landfall info` may print.
typedef struct about {
    unsigned has;
    const char *file, *format, *samples, *version, *holds, *producer, *parameters, *hash, *pixels, *kind,
        *crs, *wkt;
    const char *surface, *codec, *nodata_name, *z_unit_name, *voids_name, *unit;
    bool placed, z_unit_known, masked, extend;
    int64_t bytes, columns, rows, wraps, band, bands, holes, leaf, levels, bound_bytes;
    lf_vec2 origin, spacing, per_column, per_row;
    double extent[4];
    number_span extent_span;
    double xy_unit, z_unit, nodata, per_sample, max_error, worst_error, mean_square_error;
    lf_vec3 low, high;
    double roots[2];
    number_span roots_span;
    double radius, flattening, lowest, highest;
    int64_t vertices, polygons, triangles, walls, flat, cut, dropped, parts, tree_bytes;
    double precision;
    field_span names;
} about;

#define FACT(name, type, member, forms, when) \
    { name, type, offsetof(about, member), NULL, forms, when }
#define LENGTH(name, type, member, forms, when) \
    { name, type, offsetof(about, member), "m", forms, when }

static const field box_fields[] = {
    LENGTH("low", FIELD_VECTOR, low, 0, 0), LENGTH("high", FIELD_VECTOR, high, 0, 0), {NULL}};

const field info_fields[] = {
    FACT("file", FIELD_TEXT, file, 0, 0),
    FACT("format", FIELD_TEXT, format, 0, FROM_RASTER),
    FACT("format", FIELD_TEXT, format, 0, FROM_MESH),
    FACT("samples", FIELD_TEXT, samples, 0, FROM_RASTER),
    FACT("version", FIELD_TEXT, version, 0, FROM_STORE),
    FACT("holds", FIELD_TEXT, holds, 0, FROM_STORE),
    FACT("producer", FIELD_TEXT, producer, 0, FROM_STORE),
    FACT("parameters", FIELD_TEXT, parameters, 0, PARAMETERS),
    FACT("hash", FIELD_TEXT, hash, 0, FROM_STORE),
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_STORE),
    FACT("vertices", FIELD_INTEGER, vertices, 0, FROM_MESH),
    FACT("polygons", FIELD_INTEGER, polygons, 0, FROM_MESH),
    FACT("triangles", FIELD_INTEGER, triangles, 0, FROM_MESH),
    FACT("walls", FIELD_INTEGER, walls, 0, FROM_MESH),
    FACT("flat", FIELD_INTEGER, flat, 0, FROM_MESH),
    FACT("cut", FIELD_INTEGER, cut, 0, FROM_MESH),
    FACT("dropped", FIELD_INTEGER, dropped, 0, FROM_MESH),
    FACT("band", FIELD_INTEGER, band, IN_JSON, FROM_RASTER),
    FACT("bands", FIELD_INTEGER, bands, IN_JSON, FROM_RASTER),
    FACT("columns", FIELD_INTEGER, columns, 0, GRID),
    FACT("rows", FIELD_INTEGER, rows, 0, GRID),
    FACT("wraps", FIELD_INTEGER, wraps, 0, WRAPS),
    FACT("pixels", FIELD_TEXT, pixels, 0, GRID),
    FACT("placed", FIELD_TRUTH, placed, IN_JSON, GRID),
    FACT("kind", FIELD_TEXT, kind, 0, GRID),
    FACT("crs", FIELD_TEXT, crs, 0, GRID),
    FACT("wkt", FIELD_TEXT, wkt, IN_JSON, GRID),
    LENGTH("origin", FIELD_PAIR, origin, 0, GRID),
    LENGTH("spacing", FIELD_PAIR, spacing, 0, GRID | STRAIGHT),
    LENGTH("per_column", FIELD_PAIR, per_column, IN_JSON, GRID | STRAIGHT),
    LENGTH("per_row", FIELD_PAIR, per_row, IN_JSON, GRID | STRAIGHT),
    LENGTH("per_column", FIELD_PAIR, per_column, 0, GRID | TURNED),
    LENGTH("per_row", FIELD_PAIR, per_row, 0, GRID | TURNED),
    LENGTH("extent", FIELD_NUMBERS, extent_span, 0, GRID | FROM_STORE),
    LENGTH("xy_unit", FIELD_NUMBER, xy_unit, IN_JSON, FROM_RASTER),
    LENGTH("xy_unit", FIELD_NUMBER, xy_unit, 0, GRID | FROM_STORE),
    LENGTH("z_unit", FIELD_NUMBER, z_unit, IN_JSON, GRID),
    LENGTH("z_unit", FIELD_NUMBER, z_unit, IN_TEXT, Z_UNIT),
    FACT("z_unit", FIELD_TEXT, z_unit_name, IN_TEXT, NO_Z_UNIT),
    FACT("z_unit_known", FIELD_TRUTH, z_unit_known, IN_JSON, FROM_RASTER),
    FACT("masked", FIELD_TRUTH, masked, IN_JSON, FROM_RASTER),
    FACT("nodata", FIELD_NUMBER, nodata, 0, NODATA),
    FACT("nodata", FIELD_TEXT, nodata_name, 0, NO_NODATA),
    FACT("holes", FIELD_INTEGER, holes, 0, GRID),
    {"box", FIELD_GROUP, .when = BOX, .fields = box_fields},
    LENGTH("precision", FIELD_NUMBER, precision, 0, FROM_MESH),
    {"name", FIELD_LIST, offsetof(about, names), NULL, IN_TEXT, FROM_MESH, .fields = name_line,
     .size = sizeof(name_count)},
    {"names", FIELD_LIST, offsetof(about, names), NULL, IN_JSON, FROM_MESH, .fields = name_members,
     .size = sizeof(name_count)},
    FACT("surface", FIELD_TEXT, surface, 0, GRID),
    FACT("extend", FIELD_TRUTH, extend, IN_JSON, FROM_RASTER),
    FACT("codec", FIELD_TEXT, codec, 0, GRID | FROM_STORE),
    FACT("leaf", FIELD_INTEGER, leaf, 0, GRID),
    FACT("levels", FIELD_INTEGER, levels, 0, GRID | FROM_STORE),
    {"per_sample", FIELD_NUMBER, offsetof(about, per_sample), "bytes", 0, GRID | FROM_STORE},
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_RASTER),
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_MESH),
    FACT("tree_bytes", FIELD_INTEGER, tree_bytes, 0, FROM_MESH),
    FACT("bound_bytes", FIELD_INTEGER, bound_bytes, 0, GRID),
    LENGTH("max_error", FIELD_NUMBER, max_error, 0, GRID | FROM_STORE),
    LENGTH("worst_error", FIELD_NUMBER, worst_error, 0, GRID | FROM_STORE),
    LENGTH("mean_square_error", FIELD_NUMBER, mean_square_error, IN_JSON, GRID | FROM_STORE),
    FACT("levels", FIELD_INTEGER, levels, 0, GLOBE),
    FACT("roots", FIELD_NUMBERS, roots_span, 0, GLOBE),
    LENGTH("radius", FIELD_NUMBER, radius, 0, GLOBE),
    FACT("flattening", FIELD_NUMBER, flattening, 0, GLOBE),
    LENGTH("low", FIELD_NUMBER, lowest, 0, HEIGHTS),
    LENGTH("high", FIELD_NUMBER, highest, 0, HEIGHTS),
    FACT("holes", FIELD_INTEGER, holes, 0, VOIDS),
    FACT("holes", FIELD_TEXT, voids_name, 0, NO_VOIDS),
    FACT("vertices", FIELD_INTEGER, vertices, 0, FROM_STORE | POLYGONS),
    FACT("polygons", FIELD_INTEGER, polygons, 0, FROM_STORE | POLYGONS),
    FACT("parts", FIELD_INTEGER, parts, 0, GROUP),
    {"box", FIELD_GROUP, .when = OUTER_BOX, .fields = box_fields},
    {NULL}};

// ---------------------------------------------------------------------------------------------------
// Facts
// ---------------------------------------------------------------------------------------------------

static void take_box(about *about, lf_box box, unsigned bit) {
    about->low = box.low;
    about->high = box.high;
    about->has |= bit;
}

/// What a raster has, and a grid in a .lf file.
static void take_grid(about *a, const lf_grid *held, const lf_raster_info *raster, bool stored) {
    lf_grid_info grid = lf_grid_describe(held);
    const lf_placing *p = &grid.placing;
    bool straight = p->per_column.y == 0 && p->per_row.x == 0;
    a->has |= GRID | (straight ? STRAIGHT : TURNED) | (raster->z_unit_known || stored ? Z_UNIT : NO_Z_UNIT);
    a->columns = grid.columns;
    a->rows = grid.rows;
    a->wraps = lf_grid_round(held);
    a->has |= a->wraps > 0 ? WRAPS : 0;
    a->pixels = raster->point ? "point" : "area";
    a->placed = raster->placed;
    a->kind = lf_crs_kind_word(raster->kind);
    a->crs = raster->crs_name;
    a->wkt = raster->crs;
    a->unit = raster->kind == LF_CRS_DEGREES ? "degrees" : "metres";
    a->origin = p->origin;
    a->spacing = (lf_vec2){p->per_column.x, p->per_row.y};
    a->per_column = p->per_column;
    a->per_row = p->per_row;
    a->xy_unit = raster->xy_unit;
    a->z_unit = raster->z_unit;
    a->z_unit_known = raster->z_unit_known;
    a->z_unit_name = "unknown";
    a->masked = raster->masked;
    a->holes = grid.hole_count;
    if (grid.low <= grid.high)
        take_box(a, grid.box, BOX);
    a->surface = lf_surface_word(grid.surface);
    a->extend = grid.extend;
    a->leaf = grid.leaf;
    a->bound_bytes = (int64_t)grid.pyramid_bytes;
    a->codec = lf_codec_word(grid.codec);
    a->levels = lf_grid_pyramid_size(grid.columns, grid.rows, grid.leaf).levels;
    a->per_sample = (double)grid.sample_bytes / ((double)grid.columns * (double)grid.rows);
    a->max_error = grid.max_error;
    a->worst_error = grid.largest_error;
    a->mean_square_error = grid.mean_square_error;
    // The outer corners of the pixels, west, south, east and north.
    a->extent[0] = a->extent[1] = LF_INFINITY;
    a->extent[2] = a->extent[3] = -LF_INFINITY;
    for (int k = 0; k < 4; k++) {
        lf_vec2 at = lf_placing_at(p, k % 2 ? (double)grid.columns - 0.5 : -0.5,
                                   k / 2 ? (double)grid.rows - 0.5 : -0.5);
        a->extent[0] = fmin(a->extent[0], at.x);
        a->extent[1] = fmin(a->extent[1], at.y);
        a->extent[2] = fmax(a->extent[2], at.x);
        a->extent[3] = fmax(a->extent[3], at.y);
    }
    a->extent_span = (number_span){a->extent, 4};
}

static void take_globe(about *a, const lf_store *store) {
    lf_globe_info globe = lf_globe_describe(lf_store_globe(store));
    int64_t voids = lf_store_voids(store);
    a->has |= GLOBE | (globe.low <= globe.high ? HEIGHTS : 0) | (voids >= 0 ? VOIDS : NO_VOIDS);
    a->levels = globe.level_count;
    a->roots[0] = globe.root_columns;
    a->roots[1] = globe.root_rows;
    a->roots_span = (number_span){a->roots, 2};
    a->radius = globe.ellipsoid.radius;
    a->flattening = globe.ellipsoid.flattening;
    a->lowest = globe.low;
    a->highest = globe.high;
    a->holes = voids;
    a->voids_name = "unknown";
}

/// The same table, with the unit that x and y have.
static void write_about(cli *run, const about *about) {
    field fields[sizeof info_fields / sizeof *info_fields];
    for (size_t i = 0; i < sizeof info_fields / sizeof *info_fields; i++) {
        fields[i] = info_fields[i];
        bool plane = fields[i].type == FIELD_PAIR || (fields[i].type == FIELD_NUMBERS && fields[i].unit);
        fields[i].unit = plane ? about->unit : fields[i].unit;
    }
    answer_write_facts(run, fields, about);
}

int info_store(cli *run, const char *path, const lf_store *store) {
    lf_store_info info = lf_store_describe(store);
    char hash[17], version[32];
    about about = {.has = FROM_STORE | (info.parameters[0] ? PARAMETERS : 0),
                   .file = path,
                   .version = version,
                   .holds = lf_store_kind_word(info.kind),
                   .producer = info.producer,
                   .parameters = info.parameters,
                   .hash = hash,
                   .bytes = (int64_t)info.bytes};
    lf_raster *source = NULL;
    lf_error error = {0};
    snprintf(hash, sizeof hash, "%016" PRIx64, info.hash);
    snprintf(version, sizeof version, "%d.%d", info.major, info.minor);
    if (lf_store_grid(store)) {
        if (!succeeded(lf_raster_from_store(store, &run->host, &source, &error), &error))
            return CLI_ERROR;
        lf_raster_info raster = lf_raster_describe(source);
        lf_pixels pixels = lf_raster_pixels(source);
        bool number = pixels.nodata_given && !isnan(pixels.nodata);
        take_grid(&about, lf_store_grid(store), &raster, true);
        about.has |= number ? NODATA : NO_NODATA;
        about.nodata = pixels.nodata;
        about.nodata_name = pixels.nodata_given ? "nan" : NULL;
    }
    if (lf_store_globe(store))
        take_globe(&about, store);
    about.vertices = lf_store_polygons(store).vertex_count;
    about.polygons = lf_store_polygons(store).polygon_count;
    about.has |= about.polygons > 0 ? POLYGONS : 0;
    if (lf_store_group(store)) {
        about.parts = lf_group_count(lf_store_group(store));
        about.has |= GROUP;
    }
    if (lf_store_mesh(store) || lf_store_group(store))
        take_box(&about, lf_ground_box(lf_store_ground(store)), OUTER_BOX);
    write_about(run, &about);
    lf_raster_close(source);
    return CLI_YES;
}

static int info_stored(cli *run) {
    const char *path = run->given.arguments[0];
    lf_error error = {0};
    lf_store *store = NULL;
    if (!succeeded(lf_store_open(path, &run->host, false, &store, &error), &error))
        return CLI_ERROR;
    int status = info_store(run, path, store);
    lf_store_close(store);
    return status;
}

static int info_mesh(cli *run) {
    const loaded *ground = &run->ground;
    lf_polygon_file_info file = lf_polygon_file_describe(ground->file);
    lf_mesh_info mesh = lf_mesh_describe(ground->mesh);
    lf_polygons polygons = lf_polygon_file_polygons(ground->file);
    name_count *names = allocate((size_t)file.name_count + 1, sizeof *names);
    for (int64_t i = 0; i < file.name_count; i++)
        names[i].name = lf_polygon_file_name(ground->file, i);
    for (int64_t i = 0; polygons.users && i < polygons.polygon_count; i++)
        if (polygons.users[i] < (uint64_t)file.name_count)
            names[polygons.users[i]].polygons++;
    about about = {.has = FROM_MESH,
                   .file = run->given.arguments[0],
                   .format = file.format,
                   .vertices = mesh.vertex_count,
                   .polygons = mesh.polygon_count,
                   .triangles = mesh.triangle_count,
                   .walls = mesh.wall_count,
                   .flat = mesh.flat_count,
                   .cut = file.cut_count,
                   .dropped = file.dropped_count,
                   .precision = file.precision,
                   .names = {names, file.name_count},
                   .bytes = (int64_t)mesh.bytes,
                   .tree_bytes = (int64_t)mesh.tree_bytes};
    take_box(&about, mesh.box, BOX);
    write_about(run, &about);
    return CLI_YES;
}

// ---------------------------------------------------------------------------------------------------
// Rasters
// ---------------------------------------------------------------------------------------------------

typedef struct pyramid {
    int64_t leaf, levels, nodes, bytes;
    double per_sample;
} pyramid;

const field pyramid_fields[] = {
    {"leaf", FIELD_INTEGER, offsetof(pyramid, leaf), .width = 4},
    {"levels", FIELD_INTEGER, offsetof(pyramid, levels), .width = 8},
    {"nodes", FIELD_INTEGER, offsetof(pyramid, nodes), .width = 12},
    {"bytes", FIELD_INTEGER, offsetof(pyramid, bytes), .width = 12},
    {"per_sample", FIELD_NUMBER, offsetof(pyramid, per_sample), "bytes", .width = 12, .decimals = 4},
    {NULL}};

typedef struct pyramids {
    const char *file;
    int64_t columns, rows;
    field_span pyramids;
} pyramids;

static const field pyramids_fields[] = {
    {"file", FIELD_TEXT, offsetof(pyramids, file)},
    {"columns", FIELD_INTEGER, offsetof(pyramids, columns)},
    {"rows", FIELD_INTEGER, offsetof(pyramids, rows)},
    {"pyramids", FIELD_LIST, offsetof(pyramids, pyramids), .fields = pyramid_fields, .size = sizeof(pyramid)},
    {NULL}};

static void write_pyramids(cli *run, const lf_grid_info *grid) {
    pyramid list[LEAVES];
    pyramids all = {run->given.arguments[0], grid->columns, grid->rows, {list, LEAVES}};
    for (int i = 0; i < LEAVES; i++) {
        lf_pyramid_size size = lf_grid_pyramid_size(grid->columns, grid->rows, 1 << i);
        list[i] = (pyramid){1 << i, size.levels, size.nodes, size.bytes,
                            (double)size.bytes / ((double)grid->columns * (double)grid->rows)};
    }
    if (run->json)
        answer_json(&run->out, pyramids_fields, &all, true);
    else
        answer_table(&run->out, pyramid_fields, list, LEAVES, sizeof *list);
}

static bool draw_map(cli *run, const lf_grid_info *grid, const char *path) {
    map_def def = {.box = grid->box, .width = options_integer(&run->given, "width", 960), .path = path};
    lf_error error = {0};
    if (grid->low > grid->high) {
        message_error("-o %s: the raster is void: there is nothing to draw", path);
        return false;
    }
    return succeeded(map_draw(run, &run->ground, &def, &error), &error);
}

static int info_raster(cli *run) {
    const loaded *ground = &run->ground;
    const char *picture = options_value(&run->given, "output");
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (picture && !draw_map(run, &grid, picture))
        return CLI_ERROR;
    if (options_has(&run->given, "pyramid")) {
        write_pyramids(run, &grid);
        return CLI_YES;
    }
    about about = {.has = FROM_RASTER,
                   .file = run->given.arguments[0],
                   .format = ground->about.format,
                   .samples = ground->about.stored,
                   .band = ground->about.band,
                   .bands = ground->about.band_count,
                   .bytes = (int64_t)(grid.bytes + ground->about.bytes)};
    take_grid(&about, ground->grid, &ground->about, false);
    if (run->json)
        about.has |= WRAPS;
    write_about(run, &about);
    return CLI_YES;
}

int command_info(cli *run) {
    if (options_has(&run->given, "as"))
        return info_model(run);
    if (path_kind(run->given.arguments[0]) == GROUND_STORED)
        return info_stored(run);
    if (!ground_open(run, 0))
        return CLI_ERROR;
    return run->ground.grid                       ? info_raster(run)
           : options_has(&run->given, "quadtree") ? info_quadtree(run)
                                                  : info_mesh(run);
}
