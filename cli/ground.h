/// The GROUND argument: a file made into ground that can be queried.
#ifndef CLI_GROUND_H
#define CLI_GROUND_H

#include "cli.h"

/// RASTER, MESH, STORED or TERRAIN, by the ending of a path and by what is in a folder.
unsigned path_kind(const char *path);

/// Do the options ask for a gravity that is not simply -z? Points need a Z then.
bool ground_framed(const options *given);

/// Load the first argument as the run's ground, and start its coordinates. `needs` is added to what the command asks of ground.
/// Prints what is wrong and returns false. main frees it.
bool ground_open(cli *run, unsigned needs);

/// Load a file as ground. Prints what is wrong and returns false; ground_free always.
bool ground_load(cli *run, const char *path, unsigned needs, loaded *loaded);
void ground_free(loaded *loaded);

/// Load a raster with --band, --nodata and so on, and make the grid of --surface.
bool raster_load(cli *run, const char *path, loaded *loaded);

/// Load a folder of terrain tiles.
bool terrain_load(cli *run, const char *path, loaded *loaded);

/// Load the first argument as a globe: a .lf file that holds one, or a folder of terrain tiles.
bool globe_open(cli *run);

/// Are x and y degrees, and heights metres?
bool ground_in_degrees(const loaded *loaded);

/// Metres of a unit of x and of y about the middle of a box: 1, or the length of degrees there.
lf_vec2 ground_metres(const loaded *loaded, lf_box box);

/// Write a result onto the pixels of a ground that has a grid: those of its file, or those that a .lf file was built from.
lf_status ground_write_result(const loaded *ground, const char *path, const lf_result_def *def,
                              lf_error *error);

/// A file as a model, with memory of a host.
lf_status model_read(const char *path, const lf_host *host, const lf_field_def *field, lf_model **model,
                     lf_error *error);

/// The same; prints what is wrong and returns false.
bool model_load(cli *run, const char *path, const lf_field_def *field, lf_model **model);

/// The field that --sectors, --layers and --centre ask for.
lf_field_def model_field(const options *given);

#endif
