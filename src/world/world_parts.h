/// Private header of the world module: world files, what they are made of, and buildings from footprints.
#ifndef LF_WORLD_PARTS_H
#define LF_WORLD_PARTS_H

#include "base/containers.h"
#include <jansson.h>
#include <landfall/io.h>

// ---------------------------------------------------------------------------------------------------
// Footprints: polygons with holes that become closed bodies
// ---------------------------------------------------------------------------------------------------

#define LF__FOOTPRINT_CORNERS 20000 // most of all rings: the checks are quadratic

/// Rings of distinct corners, each without its first corner again at the end: the outline, then the holes.
typedef struct lf__footprint {
    lf__array points; ///< lf_vec2
    lf__array ends;   ///< int64_t: for each ring, the index behind its last point
} lf__footprint;

/// Remove all rings.
void lf__footprint_reset(lf__footprint *footprint);
void lf__footprint_free(lf__footprint *footprint, const lf_allocator *allocator);

/// Add a point to the ring that is open; a repetition of the last one is left out.
lf_status lf__footprint_point(lf__footprint *footprint, const lf_allocator *allocator, lf_vec2 point);

/// Close the ring; its first point at the end is left out. The outline becomes counter-clockwise and holes clockwise.
lf_status lf__footprint_close(lf__footprint *footprint, const lf_allocator *allocator);

/// What is wrong with the rings, or NULL: fewer than three corners, edges that meet, a hole outside. `at` is
/// a point nearby. Exact.
const char *lf__footprint_fault(const lf__footprint *footprint, lf_vec2 *at);

/// Cut the footprint into triangles, counter-clockwise.
/// corners  numbers of points are appended (int64_t), three for each triangle
/// Errors: LF_NO_MEMORY, LF_TOO_LARGE, LF_BAD_GEOMETRY (rings with a fault).
lf_status lf__footprint_cut(const lf__footprint *footprint, const lf_allocator *allocator,
                            lf__array *corners);

/// Triangles of many bodies, with a user value each.
typedef struct lf__bodies {
    lf__array vertices; ///< lf_vec3
    lf__array corners;  ///< int64_t
    lf__array users;    ///< uint64_t, one per triangle
} lf__bodies;

/// Append a closed body: the footprint between two heights, with a floor, walls and a flat roof.
lf_status lf__bodies_extrude(lf__bodies *bodies, const lf_allocator *allocator,
                             const lf__footprint *footprint, double low, double high, uint64_t user);
void lf__bodies_free(lf__bodies *bodies, const lf_allocator *allocator);

// ---------------------------------------------------------------------------------------------------
// World files
// ---------------------------------------------------------------------------------------------------

/// A ground that parts are made of, with everything that it needs.
typedef struct lf__world_source {
    char *key;          ///< kind, path and CRS, to share it between parts; or NULL
    bool terrain;       ///< others can stand on it
    bool georeferenced; ///< it has coordinates of a CRS, or those of the earth: no place is needed
    lf_store *store;
    lf_raster *raster;
    lf_grid *grid;
    lf_mesh *mesh;
    lf_tile_folder *folder;
    lf_globe *globe;
    lf_world_file *world;
    void *scene;  ///< of lf_world_scenes, or NULL
    lf_pose pose; ///< of what is in coordinates of its own beside the ground's: on a globe
    const lf_ground *ground;
} lf__world_source;

struct lf_world_file {
    lf_host host;
    const lf_world_scenes *scenes; ///< or NULL
    lf_allocator allocator;
    lf__array sources; ///< lf__world_source
    lf__array parts;   ///< lf_group_part
    lf__array terrain; ///< lf_group_part: those that others stand on
    lf__array files;   ///< char *: all files that it and the worlds within it name
    lf_group *group;
    lf_group *standing;        ///< of the terrain; NULL: not made since the last one was added
    lf_globe *globe;           ///< in this file or in one within it
    const lf_grid *grid;       ///< of a world that is one grid in its place
    const lf_grid *first_grid; ///< that is in its place
    lf_ellipsoid ellipsoid;
    char *crs, *vertical; ///< or NULL
    int64_t building_count;
};

/// A world file being read.
typedef struct lf__world_reader {
    lf_world_file *world;
    const char *path;
    const struct lf__world_reader *outer; ///< the file that names this one, or NULL
    int64_t part;                         ///< which part is read, or -1
    lf_error *error;
} lf__world_reader;

/// Refuse a value by its path in the file: "city.world.json: parts[2].buildings.height: ...".
/// key  within the part, or within the file where no part is read; "" for the whole
lf_status lf__world_refuse(const lf__world_reader *reader, lf_status status, const char *key,
                           const char *format, ...) LF_PRINTF(4, 5);

/// The same for a failure of another call.
lf_status lf__world_pass_on(const lf__world_reader *reader, lf_status status, const char *key,
                            const lf_error *inner);

/// Check that an object has only these keys, of a list that ends with NULL.
/// prefix  of the object, with its dot, or ""
lf_status lf__world_keys(const lf__world_reader *reader, const json_t *object, const char *prefix,
                         const char *const *keys);

/// Read what an object has under a key; nothing is written where it has none.
/// key  the last name of it is looked up: "place.x"
lf_status lf__world_number(const lf__world_reader *reader, const json_t *object, const char *key,
                           double *number);
lf_status lf__world_text(const lf__world_reader *reader, const json_t *object, const char *key,
                         const char **text);
lf_status lf__world_vector(const lf__world_reader *reader, const json_t *object, const char *key,
                           lf_vec3 *vector);

/// A copy of texts one after another, in the world's memory; NULL: no memory.
char *lf__world_copy(const lf_world_file *world, const char *first, size_t first_length, const char *rest);
void lf__world_forget(const lf_world_file *world, char *text);

/// The path of a file that a world file names: relative to that file. It is added to the files of the world. Free it with lf__world_forget; NULL: no memory.
char *lf__world_path(const lf__world_reader *reader, const char *name);

/// The terrain read so far as one ground; NULL in *ground where there is none yet.
lf_status lf__world_standing(const lf__world_reader *reader, const lf_ground **ground);

/// Whether coordinates of a CRS are those of the world, which takes over the CRS where it has none.
/// degrees  the CRS is longitude and latitude
lf_status lf__world_fit(const lf__world_reader *reader, const char *key, const char *crs, bool degrees);

/// The transform from a CRS to the coordinates of the world, or to longitude and latitude where it is a globe; NULL: they are
/// the same. crs: of the data, or NULL without one; "world" stands for the world's own.
lf_status lf__world_transform(const lf__world_reader *reader, const char *key, const char *crs,
                              lf_crs_transform **transform);

/// Turn points of longitude, latitude and height into east, north and up at their middle.
void lf__world_localise(const lf_ellipsoid *ellipsoid, lf_vec3 *points, int64_t count, lf_pose *pose);

/// Where a part is: its `place`. given: false without one.
lf_status lf__world_place(const lf__world_reader *reader, const json_t *part, lf_pose *pose, bool *given);

/// Make the ground of a part of a kind: "raster", "mesh" ...
lf_status lf__world_load(lf__world_reader *reader, const json_t *part, const char *kind,
                         lf__world_source *source);
void lf__world_source_free(const lf_world_file *world, lf__world_source *source);

/// Make a mesh of the buildings of a part.
lf_status lf__world_buildings(lf__world_reader *reader, const json_t *part, lf__world_source *source);

#define LF__CITY_CRS 16 ///< bytes of "EPSG:NUMBER"

/// Read the surfaces of a CityJSON file: of each city object those of its finest geometry. Bodies have the object's number in the file, from 1 on, as user value.
/// crs    that the file names, or ""
/// count  objects with surfaces are added to it
lf_status lf__world_cityjson(const lf__world_reader *reader, const char *path, lf__bodies *bodies,
                             char crs[LF__CITY_CRS], int64_t *count);

/// A mesh of triangles as the ground of a source; on a globe the vertices are longitude, latitude and height.
lf_status lf__world_mesh(const lf__world_reader *reader, const char *key, const lf_polygons *polygons,
                         lf__world_source *source);

/// lf_world_file_open within another world file.
lf_status lf__world_open(const char *path, const lf_host *host, const lf_world_scenes *scenes,
                         const lf__world_reader *outer, lf_world_file **world, lf_error *error);

#endif
