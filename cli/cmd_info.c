/// `landfall info`: what a mesh, a raster or a .lf file is made of.
#include "commands.h"
#include "ground.h"
#include "map.h"
#include "reach.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    OUTER_BOX = 524288, ///< of a mesh or group in a .lf file, or of a world
    WORLD = 1048576,
    FOLDER = 2097152 ///< of terrain tiles
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
    const char *file, *version, *hash, *pixels, *kind, *surface, *codec, *nodata_name, *unknown, *unit,
        *vertical;
    lf_store_info store;
    lf_raster_info raster;
    lf_grid_info grid;
    lf_globe_info globe;
    lf_polygon_file_info mesh_file;
    lf_mesh_info mesh;
    lf_box box;
    const char *holds;
    int64_t bytes, wraps, levels, vertices, polygons, parts, buildings, voids;
    lf_vec2 spacing;
    double extent[4], roots[2], nodata, per_sample;
    number_span extent_span, roots_span;
    field_span names;
} about;

#define FACT(name, type, member, forms, when) \
    { name, type, offsetof(about, member), NULL, forms, when }
#define LENGTH(name, type, member, forms, when) \
    { name, type, offsetof(about, member), "m", forms, when }

static const field box_fields[] = {
    LENGTH("low", FIELD_VECTOR, box.low, 0, 0), LENGTH("high", FIELD_VECTOR, box.high, 0, 0), {NULL}};

const field info_fields[] = {
    FACT("file", FIELD_TEXT, file, 0, 0),
    FACT("format", FIELD_TEXT, raster.format, 0, FROM_RASTER),
    FACT("format", FIELD_TEXT, mesh_file.format, 0, FROM_MESH),
    FACT("format", FIELD_TEXT, raster.format, 0, WORLD),
    FACT("format", FIELD_TEXT, raster.format, 0, FOLDER),
    FACT("samples", FIELD_TEXT, raster.stored, 0, FROM_RASTER),
    FACT("version", FIELD_TEXT, version, 0, FROM_STORE),
    FACT("holds", FIELD_TEXT, holds, 0, FROM_STORE),
    FACT("producer", FIELD_TEXT, store.producer, 0, FROM_STORE),
    FACT("parameters", FIELD_TEXT, store.parameters, 0, PARAMETERS),
    FACT("hash", FIELD_TEXT, hash, 0, FROM_STORE),
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_STORE),
    FACT("vertices", FIELD_INTEGER, mesh.vertex_count, 0, FROM_MESH),
    FACT("polygons", FIELD_INTEGER, mesh.polygon_count, 0, FROM_MESH),
    FACT("triangles", FIELD_INTEGER, mesh.triangle_count, 0, FROM_MESH),
    FACT("walls", FIELD_INTEGER, mesh.wall_count, 0, FROM_MESH),
    FACT("flat", FIELD_INTEGER, mesh.flat_count, 0, FROM_MESH),
    FACT("cut", FIELD_INTEGER, mesh_file.cut_count, 0, FROM_MESH),
    FACT("dropped", FIELD_INTEGER, mesh_file.dropped_count, 0, FROM_MESH),
    FACT("band", FIELD_INT, raster.band, IN_JSON, FROM_RASTER),
    FACT("bands", FIELD_INT, raster.band_count, IN_JSON, FROM_RASTER),
    FACT("columns", FIELD_INTEGER, grid.columns, 0, GRID),
    FACT("rows", FIELD_INTEGER, grid.rows, 0, GRID),
    FACT("wraps", FIELD_INTEGER, wraps, 0, WRAPS),
    FACT("pixels", FIELD_TEXT, pixels, 0, GRID),
    FACT("placed", FIELD_TRUTH, raster.georeferenced, IN_JSON, GRID),
    FACT("kind", FIELD_TEXT, kind, 0, GRID),
    FACT("crs", FIELD_TEXT, raster.crs_name, 0, GRID),
    FACT("wkt", FIELD_TEXT, raster.crs, IN_JSON, GRID),
    LENGTH("origin", FIELD_PAIR, grid.geotransform.origin, 0, GRID),
    LENGTH("spacing", FIELD_PAIR, spacing, 0, GRID | STRAIGHT),
    LENGTH("per_column", FIELD_PAIR, grid.geotransform.per_column, IN_JSON, GRID | STRAIGHT),
    LENGTH("per_row", FIELD_PAIR, grid.geotransform.per_row, IN_JSON, GRID | STRAIGHT),
    LENGTH("per_column", FIELD_PAIR, grid.geotransform.per_column, 0, GRID | TURNED),
    LENGTH("per_row", FIELD_PAIR, grid.geotransform.per_row, 0, GRID | TURNED),
    LENGTH("extent", FIELD_NUMBERS, extent_span, 0, GRID | FROM_STORE),
    LENGTH("xy_unit", FIELD_NUMBER, raster.xy_unit, IN_JSON, FROM_RASTER),
    LENGTH("xy_unit", FIELD_NUMBER, raster.xy_unit, 0, GRID | FROM_STORE),
    LENGTH("z_unit", FIELD_NUMBER, raster.z_unit, IN_JSON, GRID),
    LENGTH("z_unit", FIELD_NUMBER, raster.z_unit, IN_TEXT, Z_UNIT),
    FACT("z_unit", FIELD_TEXT, unknown, IN_TEXT, NO_Z_UNIT),
    FACT("z_unit_known", FIELD_TRUTH, raster.z_unit_known, IN_JSON, FROM_RASTER),
    FACT("masked", FIELD_TRUTH, raster.masked, IN_JSON, FROM_RASTER),
    FACT("nodata", FIELD_NUMBER, nodata, 0, NODATA),
    FACT("nodata", FIELD_TEXT, nodata_name, 0, NO_NODATA),
    FACT("holes", FIELD_INTEGER, grid.hole_count, 0, GRID),
    {"box", FIELD_GROUP, .when = BOX, .fields = box_fields},
    LENGTH("precision", FIELD_NUMBER, mesh_file.precision, 0, FROM_MESH),
    {"name", FIELD_LIST, offsetof(about, names), NULL, IN_TEXT, FROM_MESH, .fields = name_line,
     .size = sizeof(name_count)},
    {"names", FIELD_LIST, offsetof(about, names), NULL, IN_JSON, FROM_MESH, .fields = name_members,
     .size = sizeof(name_count)},
    FACT("surface", FIELD_TEXT, surface, 0, GRID),
    FACT("extend", FIELD_TRUTH, grid.extend, IN_JSON, FROM_RASTER),
    FACT("codec", FIELD_TEXT, codec, 0, GRID | FROM_STORE),
    FACT("leaf", FIELD_INT, grid.leaf, 0, GRID),
    FACT("levels", FIELD_INTEGER, levels, 0, GRID | FROM_STORE),
    {"per_sample", FIELD_NUMBER, offsetof(about, per_sample), "bytes", 0, GRID | FROM_STORE},
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_RASTER),
    FACT("bytes", FIELD_INTEGER, bytes, 0, FROM_MESH),
    FACT("tree_bytes", FIELD_INTEGER, mesh.tree_bytes, 0, FROM_MESH),
    FACT("bound_bytes", FIELD_INTEGER, grid.pyramid_bytes, 0, GRID),
    LENGTH("max_error", FIELD_NUMBER, grid.max_error, 0, GRID | FROM_STORE),
    LENGTH("worst_error", FIELD_NUMBER, grid.largest_error, 0, GRID | FROM_STORE),
    LENGTH("mean_square_error", FIELD_NUMBER, grid.mean_square_error, IN_JSON, GRID | FROM_STORE),
    FACT("levels", FIELD_INT, globe.level_count, 0, GLOBE),
    FACT("roots", FIELD_NUMBERS, roots_span, 0, GLOBE),
    LENGTH("radius", FIELD_NUMBER, globe.ellipsoid.radius, 0, GLOBE),
    FACT("flattening", FIELD_NUMBER, globe.ellipsoid.flattening, 0, GLOBE),
    LENGTH("low", FIELD_NUMBER, globe.low, 0, HEIGHTS),
    LENGTH("high", FIELD_NUMBER, globe.high, 0, HEIGHTS),
    FACT("holes", FIELD_INTEGER, voids, 0, VOIDS),
    FACT("holes", FIELD_TEXT, unknown, 0, NO_VOIDS),
    FACT("vertices", FIELD_INTEGER, vertices, 0, FROM_STORE | POLYGONS),
    FACT("polygons", FIELD_INTEGER, polygons, 0, FROM_STORE | POLYGONS),
    FACT("parts", FIELD_INTEGER, parts, 0, GROUP),
    FACT("buildings", FIELD_INTEGER, buildings, 0, WORLD),
    FACT("crs", FIELD_TEXT, raster.crs, 0, WORLD),
    FACT("vertical", FIELD_TEXT, vertical, 0, WORLD),
    {"box", FIELD_GROUP, .when = OUTER_BOX, .fields = box_fields},
    {NULL}};

// ---- Facts --------------------------------------------------------------------------------------

static void take_box(about *about, lf_box box, unsigned bit) {
    about->box = box;
    about->has |= bit;
}

/// What a raster has, and a grid in a .lf file.
static void take_grid(about *a, const lf_grid *held, const lf_grid_info *info, const lf_raster_info *raster,
                      bool stored) {
    lf_grid_info grid = *info;
    const lf_geotransform *p = &grid.geotransform;
    bool straight = p->per_column.y == 0 && p->per_row.x == 0;
    a->grid = grid;
    a->raster = *raster;
    a->wraps = lf_grid_round(held);
    a->has |= GRID | (straight ? STRAIGHT : TURNED) | (raster->z_unit_known || stored ? Z_UNIT : NO_Z_UNIT) |
              (a->wraps > 0 ? WRAPS : 0);
    a->pixels = raster->point ? "point" : "area";
    a->kind = lf_crs_kind_name(raster->kind);
    a->unit = raster->kind == LF_CRS_DEGREES ? "degrees" : "metres";
    a->spacing = (lf_vec2){p->per_column.x, p->per_row.y};
    if (grid.low <= grid.high)
        take_box(a, grid.box, BOX);
    a->surface = lf_surface_name(grid.surface);
    a->codec = lf_codec_name(grid.codec);
    a->levels = lf_grid_pyramid_size(grid.columns, grid.rows, grid.leaf).levels;
    a->per_sample = (double)grid.sample_bytes / ((double)grid.columns * (double)grid.rows);
    // The outer corners of the pixels, west, south, east and north.
    lf_box outer = lf_box_empty();
    for (int k = 0; k < 4; k++) {
        lf_vec2 at = lf_geotransform_at(p, k % 2 ? (double)grid.columns - 0.5 : -0.5,
                                        k / 2 ? (double)grid.rows - 0.5 : -0.5);
        outer = lf_box_with(outer, (lf_vec3){at.x, at.y, 0});
    }
    memcpy(a->extent, (double[4]){outer.low.x, outer.low.y, outer.high.x, outer.high.y}, sizeof a->extent);
    a->extent_span = (number_span){a->extent, 4};
}

/// voids: how many samples have no height, -1 where that is not known
static void take_globe(about *a, const lf_globe *globe, int64_t voids) {
    a->globe = lf_globe_describe(globe);
    a->voids = voids;
    a->unknown = "unknown";
    a->has |= GLOBE | (a->globe.low <= a->globe.high ? HEIGHTS : 0) | (a->voids >= 0 ? VOIDS : NO_VOIDS);
    a->roots[0] = a->globe.root_columns;
    a->roots[1] = a->globe.root_rows;
    a->roots_span = (number_span){a->roots, 2};
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

static int describe_store(cli *run, const char *path, const lf_store *store) {
    char hash[17], version[32];
    about about = {.has = FROM_STORE,
                   .file = path,
                   .version = version,
                   .hash = hash,
                   .unknown = "unknown",
                   .store = lf_store_describe(store)};
    lf_raster *source = NULL;
    lf_error error = {0};
    about.has |= about.store.parameters[0] ? PARAMETERS : 0;
    about.holds = lf_store_kind_name(about.store.kind);
    about.bytes = (int64_t)about.store.bytes;
    snprintf(hash, sizeof hash, "%016" PRIx64, about.store.hash);
    snprintf(version, sizeof version, "%d.%d", about.store.major, about.store.minor);
    if (lf_store_grid(store)) {
        if (!succeeded(lf_raster_from_store(store, &run->host, &source, &error), &error))
            return CLI_ERROR;
        lf_raster_info raster = lf_raster_describe(source);
        lf_pixels pixels = lf_raster_pixels(source);
        bool number = pixels.nodata_given && !isnan(pixels.nodata);
        lf_grid_info grid = lf_grid_describe(lf_store_grid(store));
        take_grid(&about, lf_store_grid(store), &grid, &raster, true);
        about.has |= number ? NODATA : NO_NODATA;
        about.nodata = pixels.nodata;
        about.nodata_name = pixels.nodata_given ? "nan" : NULL;
    }
    if (lf_store_globe(store))
        take_globe(&about, lf_store_globe(store), lf_store_voids(store));
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

int info_store(cli *run, const char *path) {
    lf_error error = {0};
    lf_store *store = NULL;
    if (!succeeded(lf_store_open_vsi(path, &run->host, false, &store, &error), &error))
        return CLI_ERROR;
    int status = describe_store(run, path, store);
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
                   .mesh_file = file,
                   .mesh = mesh,
                   .names = {names, file.name_count},
                   .bytes = (int64_t)mesh.bytes};
    take_box(&about, mesh.box, BOX);
    write_about(run, &about);
    return CLI_YES;
}

/// A world, or a folder of terrain tiles.
static int info_world(cli *run) {
    const loaded *ground = &run->ground;
    const char *picture = options_value(&run->given, "output");
    about about = {.has = FOLDER, .file = run->given.arguments[0], .raster = ground->about};
    if (picture && !map_draw(run, picture, &(lf_figure_map_def){.box = lf_ground_box(ground->ground)}))
        return CLI_ERROR;
    if (ground->globe)
        take_globe(&about, ground->globe, -1);
    if (ground->world) {
        lf_world_file_info info = lf_world_file_describe(ground->world);
        about.has = WORLD | GROUP | (ground->globe ? GLOBE : 0);
        about.vertical = info.vertical;
        about.parts = info.part_count;
        about.buildings = info.building_count;
        take_box(&about, lf_ground_box(info.ground), OUTER_BOX);
    }
    write_about(run, &about);
    return CLI_YES;
}

// ---- Rasters ------------------------------------------------------------------------------------

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

/// A raster with more samples is read strip by strip.
#define STRIP_SAMPLES ((int64_t)1 << 25)

/// Add the heights of some rows of the file's pixels to what is known.
static bool add_strip(cli *run, const lf_raster_def *file, lf_window window, lf_grid_info *all) {
    lf_raster_def def = *file;
    lf_raster *raster = NULL;
    lf_grid *grid = NULL;
    lf_error error = {0};
    def.window = window;
    def.thin = true; // the last strip may have one row
    lf_status status = lf_raster_read(run->given.arguments[0], &def, &raster, &error);
    if (status == LF_OK) {
        lf_grid_def grid_def = lf_raster_grid_def(raster);
        grid_def.leaf = 64; // bounds are of no use
        status = lf_grid_create(&grid_def, &grid, &error);
    }
    if (status == LF_OK) {
        lf_grid_info strip = lf_grid_describe(grid);
        bool row = window.rows == 1 || window.columns == 1; // there twice
        all->low = fmin(all->low, strip.low);
        all->high = fmax(all->high, strip.high);
        all->hole_count += row ? strip.hole_count / 2 : strip.hole_count;
    }
    lf_grid_destroy(grid);
    lf_raster_close(raster);
    return succeeded(status, &error);
}

static bool strips_needed(const lf_grid_info *grid) {
    return (double)grid->columns * (double)grid->rows > (double)(4 * STRIP_SAMPLES);
}

/// Then no samples are read with the raster.
static void reach_nothing(reach *reach, void *user) {
    lf_grid_info grid = lf_grid_describe(reach->run->ground.grid);
    (void)user;
    reach->all = !strips_needed(&grid);
}

/// Fill in what the samples of a raster say, of which none have been read.
static bool read_strips(cli *run, lf_grid_info *grid) {
    lf_raster_def def = lf_raster_def_default();
    lf_pixels pixels = lf_raster_pixels(run->ground.raster);
    lf_window w = pixels.window;
    if (!raster_options_read(run, &def))
        return false;
    int64_t rows = STRIP_SAMPLES / w.columns / 512 * 512; // whole blocks of most files
    rows = rows < 512 ? 512 : rows;
    grid->low = LF_INFINITY;
    grid->high = -LF_INFINITY;
    grid->hole_count = 0;
    for (int64_t row = 0; row < w.rows; row += rows) {
        lf_window strip = {w.column, w.row + row, w.columns, w.rows - row < rows ? w.rows - row : rows};
        if (!progress_report(&run->bar, "heights", row, w.rows) || !add_strip(run, &def, strip, grid))
            return false;
    }
    grid->box.low.z = grid->low;
    grid->box.high.z = grid->high;
    return true;
}

static int info_raster(cli *run) {
    const loaded *ground = &run->ground;
    const char *picture = options_value(&run->given, "output");
    lf_grid_info grid = lf_grid_describe(ground->grid);
    if (picture && !map_draw(run, picture, &(lf_figure_map_def){.box = grid.box}))
        return CLI_ERROR;
    if (options_has(&run->given, "pyramid")) {
        write_pyramids(run, &grid);
        return CLI_YES;
    }
    if (run->reach && strips_needed(&grid) && !read_strips(run, &grid))
        return CLI_ERROR;
    about about = {.has = FROM_RASTER,
                   .file = run->given.arguments[0],
                   .unknown = "unknown",
                   .bytes = (int64_t)(grid.bytes + ground->about.bytes)};
    take_grid(&about, ground->grid, &grid, &ground->about, false);
    if (run->json)
        about.has |= WRAPS;
    write_about(run, &about);
    return CLI_YES;
}

int command_info(cli *run) {
    if (options_has(&run->given, "as"))
        return info_model(run);
    if (path_kind(run->given.arguments[0]) == GROUND_STORED)
        return info_store(run, run->given.arguments[0]);
    if (!options_has(&run->given, "output"))
        run->reach = reach_nothing;
    if (!ground_open(run, 0))
        return CLI_ERROR;
    return run->ground.world || run->ground.terrain ? info_world(run)
           : run->ground.grid                       ? info_raster(run)
           : options_has(&run->given, "quadtree")   ? info_quadtree(run)
                                                    : info_mesh(run);
}
