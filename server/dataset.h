/// The grounds that are served, and the conversion between longitudes and latitudes and their maps.
#ifndef SERVER_DATASET_H
#define SERVER_DATASET_H

#include "settings.h"
#include <landfall/io.h>
#include <pthread.h>
#include <stdatomic.h>

#define DATASET_TRANSFORMS 16

typedef struct dataset {
    char *name, *datum;
    lf_store *store;      ///< of a .lf file: all else is its own
    lf_world_file *world; ///< of a world file: the same
    lf_raster *raster;
    lf_polygon_file *file;
    lf_tile_folder *terrain;
    lf_mesh *mesh;
    lf_grid *owned_grid;
    lf_globe *globe;     ///< queried under the lock
    const lf_grid *grid; ///< NULL: not a raster
    const lf_ground *ground;
    bool has_parts;        ///< a world, or a group: on a globe it is more than the globe
    const char *kind_name; ///< "grid", "mesh", "group", "globe" or "world"
    lf_crs_kind kind;
    char *crs; ///< NULL: none
    lf_ellipsoid ellipsoid;
    bool degrees;      ///< x and y are longitude and latitude
    bool earth;        ///< it is somewhere on the earth
    bool projected;    ///< and needs a transform for that
    lf_vec2 low, high; ///< longitudes and latitudes that it covers; x and y where it is not on the earth
    double resolution; ///< metres between samples; NAN: none
    text source;       ///< dataset, datum and resolution as JSON members: in every answer
    uint64_t hash;     ///< changes with the file
    pthread_mutex_t lock;
    lf_crs_transform *spare[DATASET_TRANSFORMS]; ///< transforms that nobody uses
    int spare_count;
} dataset;

/// All of them, in the order in which they count.
typedef struct datasets {
    atomic_int users;
    int count;
    dataset list[];
} datasets;

/// Load what the settings name. Prints notes of the readers on standard error unless quiet.
/// "serve" or "view": how messages call the program.
extern const char *server_verb;

bool datasets_open(const settings *settings, datasets **opened, complaint *why);

/// One more, and one less user; the last one frees them.
datasets *datasets_hold(datasets *datasets);
void datasets_release(datasets *datasets);

/// The index of a name, or -1.
int datasets_find(const datasets *datasets, const char *name, size_t length);

/// Longitudes and latitudes (x and y) to x and y of the ground's map, in place, or back. Places that have none become NaN.
/// False without memory. z is left as it is.
bool dataset_to_map(dataset *dataset, lf_vec3 *points, int64_t count);
bool dataset_from_map(dataset *dataset, lf_vec3 *points, int64_t count);

/// Of a globe: the height of the ground above the ellipsoid along the plumb line at a place, of a world with all that stands on it.
/// reason  LF_REASON_ANSWERED, or why there is none
/// normal  NULL, or the surface's, in earth-centred axes
lf_status dataset_globe_height(dataset *dataset, double lon, double lat, double *height, lf_reason *reason,
                               lf_vec3 *normal);

/// True east and north at a place of the map.
bool dataset_compass(dataset *dataset, lf_vec2 at, lf_compass *compass, lf_vec2 *lon_lat);

/// Metres of a step of one unit of x and of y at a place of the map.
lf_vec2 dataset_metres(const dataset *dataset, lf_vec2 at);

/// Rules of lines of sight on its map: units and ellipsoid set.
lf_sight_rules dataset_rules(const dataset *dataset);

#endif
