/// The GROUND argument: a file made into ground that can be queried.
#ifndef CLI_GROUND_H
#define CLI_GROUND_H

#include "cli.h"

/// RASTER, MESH, STORED, TERRAIN or WORLD, by the ending of a path and by what is in a folder.
unsigned path_kind(const char *path);

/// Do the options ask for a gravity that is not simply -z? Points need a Z then.
bool ground_framed(const options *given);

/// Load the first argument as the run's ground, and start its coordinates. `needs` is added to what the command asks of ground.
/// Prints what is wrong and returns false. main frees it.
bool ground_open(cli *run, unsigned needs);

/// Load a file as ground. Prints what is wrong and returns false; ground_free always.
bool ground_load(cli *run, const char *path, unsigned needs, loaded *loaded);
void ground_free(loaded *loaded);

/// What --band and so on say about a raster. Prints what is wrong and returns false.
bool raster_options_read(const cli *run, lf_raster_def *def);

/// Load a raster with --band, --nodata and so on, and make the grid of --surface.
bool raster_load(cli *run, const char *path, loaded *loaded);

/// Load a folder of terrain tiles.
bool terrain_load(cli *run, const char *path, loaded *loaded);

/// The ground of a world on a globe along the plumb line at a place: the topmost, or from the place's height downwards or upwards.
lf_status ground_plumb(const cli *run, lf_geodetic place, bool topmost, lf_vertical look, lf_hit *hit);

/// The samples that results of every sample have: those of the raster or of the world's, or of --lattice, or some over the box of a mesh.
/// run->ground.grid is then a grid on them, with the topmost heights. Prints what is wrong and returns false.
bool ground_lattice(cli *run);

/// Is it a world file, or a .lf file that holds a world?
bool ground_is_world(const loaded *loaded);

/// The grid that it is, or the first one of a world that is in its own place; or NULL.
const lf_grid *ground_terrain(const loaded *loaded);

/// For defs of viewsheds and maps: none where the ground is a raster itself.
lf_lattice ground_lattice_of(const loaded *loaded);

/// Places of the ground on the map that results are on: in the system of --lattice-crs, or as they are.
const lf_vec2 *ground_marks(const loaded *loaded, const lf_vec2 *places, int64_t count);

/// Are x and y of that map degrees?
bool ground_map_in_degrees(const loaded *loaded);

/// Are x and y degrees, and heights metres?
bool ground_in_degrees(const loaded *loaded);

/// Metres of a unit of x and of y about the middle of a box: 1, or the length of degrees there.
lf_vec2 ground_metres(const loaded *loaded, lf_box box);

/// Write a result onto the pixels of a ground that has a grid: those of its file, or those that a .lf file was built from.
lf_status ground_write_result(const loaded *ground, const char *path, const lf_result_def *def,
                              lf_error *error);

/// Load a file as a model. Prints what is wrong and returns false.
bool model_load(cli *run, const char *path, const lf_field_def *field, lf_model **model);

/// The field that --sectors, --layers and --centre ask for.
lf_field_def model_field(const options *given);

// ---- Coordinates: points as given and those of the ground ---------------------------------------

/// Start those of the run's ground with --crs. Prints what is wrong and returns false.
bool coordinates_start(cli *run);
void coordinates_end(coordinates *coordinates);

/// Are points as given not those of the ground?
bool coordinates_differ(const coordinates *coordinates);

/// Points as given into the ground's, in place. Longitudes are moved by whole turns to where they are nearest to the ground's middle; of `together` of
/// them that follow one another those after the first go to where the way from that is shorter. Those that have no position there become NaN.
void coordinates_in(const coordinates *coordinates, lf_vec3 *points, int64_t count, int together);

/// Move the end of a way over longitudes to where the way is the shorter one around the globe. Both are points of the ground.
void coordinates_shorten(const coordinates *coordinates, lf_vec3 from, lf_vec3 *to);

/// A point that stands for X,Y (count 2: above all ground there) or X,Y,Z. NaN where it has no position.
lf_vec3 coordinates_point(const cli *run, const double *numbers, int count);

/// One point of the ground back into the system of the points; `first` is the first of those it belongs to, as given.
lf_vec3 coordinates_out(const coordinates *coordinates, lf_vec3 point, double first);

/// The pose of a thing at a position of the ground, turned by --heading, --pitch and --roll; on a globe about east, north and up there.
/// False where it has none.
bool pose_at(const cli *run, lf_vec3 position, lf_pose *pose);

/// A unit normal at a point of the ground in metres east, north and up.
lf_vec3 coordinates_normal(const coordinates *coordinates, lf_vec3 point, lf_vec3 normal);

/// Metres from one point of the ground to another: straight, or along the ground (geodesic) where x and y of a raster are degrees.
double coordinates_distance(const coordinates *coordinates, lf_vec3 from, lf_vec3 to);

#endif
