/// The GROUND argument: a file made into ground that can be asked.
#ifndef CLI_GROUND_H
#define CLI_GROUND_H

#include "cli.h"
#include <landfall/io.h>

/// Ground, and what it was made from: a mesh (file, mesh), a raster (raster, grid, about), a folder of terrain tiles (terrain, globe), or a .lf
/// file (store) that holds any of these, a group, or a model.
typedef struct loaded {
    lf_store *store; ///< then grid, mesh, globe and ground are its own
    lf_polygon_file *file;
    lf_mesh *mesh;
    lf_raster *raster;
    lf_grid *grid;        ///< NULL for a mesh
    lf_polygons polygons; ///< of a mesh
    lf_tile_folder *terrain;
    lf_globe *globe; ///< NULL for anything else; the ground is the finest there is of it
    lf_raster_info about;
    const lf_ground *ground;
} loaded;

/// Do the options ask for a gravity that is not simply -z? Points need a Z then.
bool ground_framed(const options *given);

/// Load the first argument as ground: a mesh when its ending says so, a globe where it is a folder of terrain tiles, else a raster. Says what is wrong and
/// returns false; nothing is held then.
bool ground_load(cli *run, loaded *loaded);

/// The same from another file.
bool ground_load_file(cli *run, const char *path, loaded *loaded);

void ground_free(loaded *loaded);

/// Are x and y degrees, and heights metres?
bool ground_in_degrees(const loaded *loaded);

/// Metres that a unit of x and one of y have about the middle of a box: 1, or of degrees what they have there.
lf_vec2 ground_metres(const loaded *loaded, lf_box box);

/// True where the ground is a raster; otherwise prints what it is instead.
bool ground_needs_raster(const cli *run, const loaded *loaded);

/// Says that `what` needs x and y in metres, and returns false, when they are degrees.
bool ground_needs_metres(const cli *run, const loaded *loaded, const char *what);

#endif
