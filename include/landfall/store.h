/// landfall/store.h: ground and models in a file, `.lf`, that is mapped into memory and queried in place.
///
/// docs/formats/lf.md describes the format, in enough detail to read it in another language.
#ifndef LANDFALL_STORE_H
#define LANDFALL_STORE_H

#include <landfall/globe.h>
#include <landfall/grid.h>
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <landfall/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Contents of a file: identifier, value, name.
#define LF_STORE_KIND_LIST(X)     \
    X(LF_STORE_GRID, 1, "grid")   \
    X(LF_STORE_MESH, 2, "mesh")   \
    X(LF_STORE_GROUP, 3, "group") \
    X(LF_STORE_MODEL, 4, "model") \
    X(LF_STORE_GLOBE, 5, "globe")

typedef enum lf_store_kind {
#define LF_STORE_KIND_ENUM(name, value, word) name = value,
    LF_STORE_KIND_LIST(LF_STORE_KIND_ENUM)
#undef LF_STORE_KIND_ENUM
} lf_store_kind;

/// The name of the kind of a file, such as "grid"; "?" for any other value. Static text. Threads: any.
static inline const char *lf_store_kind_name(lf_store_kind kind) {
    LF_NAME_OF(kind, LF_STORE_KIND_LIST, LF_NAME_CASE_3);
}

/// What to write; start from lf_store_def_default() and set one of grid, mesh, group, model and globe.
typedef struct lf_store_def {
    size_t size;             ///< stamped by the default function
    lf_host host;            ///< hooks of the caller
    const lf_grid *grid;     ///< a grid to store, or NULL
    const lf_mesh *mesh;     ///< without removed polygons: see lf_mesh_compact
    const lf_group *group;   ///< models in it become meshes, scenes groups of what is there now
    const lf_model *model;   ///< the model
    const char *crs;         ///< WKT2 of x, y and heights, or NULL
    const char *parameters;  ///< one line that describes how it was made, or NULL
    double xy_unit;          ///< metres per unit of x and y in the source; 1 by default. Information only
    double z_unit;           ///< likewise of its heights
    bool point;              ///< the pixels of the source were points. Information only
    bool degrees;            ///< x and y are longitude and latitude
    lf_ellipsoid ellipsoid;  ///< of these; WGS84 by default
    const lf_globe *globe;   ///< all tiles of its provider are written, with the ellipsoid of the globe
    const lf_pixels *pixels; ///< of a grid: the pixels that its samples came from, or NULL. Information only
} lf_store_def;

static inline lf_store_def lf_store_def_default(void) {
    lf_store_def def = {sizeof(lf_store_def),
                        {NULL, NULL, NULL, NULL},
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        NULL,
                        1,
                        1,
                        false,
                        false,
                        {6378137.0, 1 / 298.257223563},
                        NULL,
                        NULL};
    return def;
}

/// Write a file. It is written beside its target and renamed at the end: whatever happens, the target is the old file or the
/// complete new one.
/// path   of the target
/// def    exactly one of grid, mesh, group, model and globe; texts without control characters
/// error  optional; names the path and what failed
/// Errors: LF_BAD_ARGUMENT, LF_UNSUPPORTED (a machine that is not little-endian), LF_NO_MEMORY, LF_IO_FAILED, LF_CANCELLED.
/// Allocates a row of samples, or the polygons of a mesh. Threads: any; no other thread may edit the object.
LF_API lf_status lf_store_write(const char *path, const lf_store_def *def, lf_error *error);

/// An open file and its contents.
typedef struct lf_store lf_store;

/// Description of a file. Texts are valid until the file is closed.
typedef struct lf_store_info {
    lf_store_kind kind;     ///< which kind
    int major, minor;       ///< version of the format
    uint64_t bytes;         ///< of the file
    uint64_t hash;          ///< of the content: equal for equal ground
    const char *producer;   ///< such as "landfall 0.1.0"
    const char *parameters; ///< "" when there are none
    const char *crs;        ///< NULL when there is none
    double xy_unit, z_unit; ///< metres per unit of x and y, and of heights
    bool point, degrees;    ///< do pixels stand for points? is the CRS in degrees?
    lf_ellipsoid ellipsoid; ///< the reference ellipsoid
    const lf_grid *
        terrain; ///< of a group: the first grid in its own place, whose samples are targets of viewsheds; or NULL
    lf_globe
        *globe; ///< of a globe, or of a group that has one: its coordinates are earth-centred then; or NULL
} lf_store_info;

/// Open a file: map it and check header, table and sizes. Grids and meshes are queried in place, so that this takes about a
/// millisecond for any size; models, and meshes that were written after an edit, with a quadtree or by an older version, are
/// rebuilt from their polygons, meshes always with the nested grid (see lf_mesh_index). Small sections are compared with
/// their checksums now; blocks of grids and meshes and tiles of globes when a query first needs them.
/// After a mismatch every query of that ground returns LF_BAD_FORMAT: no damaged byte is part of a result. Files of format
/// 1.0 have no such checksums and are compared as a whole here. If the file is truncated while it is open, a query beyond
/// its new end raises SIGBUS.
/// check  read everything and compare checksums too
/// store  written only on success; close it with lf_store_close
/// error  optional; names the path and what is wrong
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT, LF_UNSUPPORTED (a newer format, or a required section that is unknown),
/// LF_NO_MEMORY, and those of lf_mesh_create and lf_model_create. Threads: any.
LF_API lf_status lf_store_open(const char *path, const lf_host *host, bool check, lf_store **store,
                               lf_error *error);

/// Open a file that is read in ranges instead of mapped: header, table and small sections now, blocks of grids and tiles of
/// globes when a query first needs them; meshes and models as a whole. What was read is kept until the file is closed, so that
/// nothing is read twice; memory of the file's size is reserved, and used as far as it is read. A failure to read fails that
/// query and all later ones of that ground with the status of the source; bytes that changed since the file was opened fail
/// their checksum: LF_BAD_FORMAT. Either is logged once.
/// source  copied; bytes > 0; closed by lf_store_close, or here on failure
/// host    optional; its hooks are used as long as the file is open
/// check   read everything and compare checksums too
/// store   written only on success; close it with lf_store_close
/// error   optional; what is wrong, without a path unless the source names it
/// Errors: those of lf_store_open and of source->read. Threads: any.
LF_API lf_status lf_store_open_source(const lf_source *source, const lf_host *host, bool check,
                                      lf_store **store, lf_error *error);

/// Close a file with its grids, grounds and models; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_store_close(lf_store *store);

/// Describe a file. Allocates nothing. Threads: any number at once.
LF_API lf_store_info lf_store_describe(const lf_store *store);

/// The contents of a file, NULL if it is of another kind. Grids cannot be edited. The ground is that of a grid, mesh, group
/// or globe.
/// Allocates nothing. Threads: any number at once.
LF_API const lf_grid *lf_store_grid(const lf_store *store);
LF_API const lf_mesh *lf_store_mesh(const lf_store *store);
LF_API const lf_group *lf_store_group(const lf_store *store);
LF_API const lf_model *lf_store_model(const lf_store *store);
LF_API const lf_ground *lf_store_ground(const lf_store *store);

/// The globe of a file; NULL if it is of another kind. At first only its roots are loaded. Loading changes it: threads as
/// with any globe. Allocates nothing.
LF_API lf_globe *lf_store_globe(const lf_store *store);

/// The pixels that the samples of a grid came from. False without that information: pixels are then those of a raster with
/// north up. False, with nothing written, if the file has no grid. Allocates nothing. Threads: any number at once.
LF_API bool lf_store_pixels(const lf_store *store, lf_pixels *pixels);

/// The number of voids of a grid, or of all tiles of a globe; 0 for meshes, groups and models; -1 for a globe without that
/// information (of an old version, or damaged). Allocates nothing. Threads: any number at once.
LF_API int64_t lf_store_voids(const lf_store *store);

/// The polygons of a mesh or a model, in the mapped file; none (a count of 0) for other kinds, and where they are damaged. The
/// first call reads and checks all of a mesh. Allocates nothing. Threads: any number at once.
LF_API lf_polygons lf_store_polygons(const lf_store *store);

#ifdef __cplusplus
}
#endif
#endif
