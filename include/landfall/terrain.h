/// landfall/terrain.h: folders of Cesium's terrain tiles as a globe's source (library landfall-io).
///
/// A folder holds layer.json and tiles LEVEL/COLUMN/ROW.terrain of the format quantized-mesh-1.0, plain or compressed by gzip, as servers of such
/// tiles keep them. Nothing is fetched over a network.
#ifndef LANDFALL_TERRAIN_H
#define LANDFALL_TERRAIN_H

#include <landfall/globe.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An open folder.
typedef struct lf_terrain lf_terrain;

/// Open a folder: its layer.json is read, its tiles when they are asked for.
/// path     of the folder, or of its layer.json
/// host     hooks (allocator, log) or NULL
/// terrain  written only on success; give it back with lf_terrain_close
/// error    optional; names the path and what does not fit
/// Errors: LF_IO_FAILED, LF_BAD_FORMAT (layer.json cannot be understood, or says it is of another format), LF_UNSUPPORTED (a projection other than
/// EPSG:4326), LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_terrain_open(const char *path, const lf_host *host, lf_terrain **terrain,
                                 lf_error *error);

/// Close a folder; NULL is fine. Globes made of it have to be gone. Threads: nobody else may be using it.
LF_API void lf_terrain_close(lf_terrain *terrain);

/// The provider of its tiles, for lf_globe_def with 2 x 1 roots, valid until the folder is closed. Tiles are read at once and never late. They have no
/// bounds of finer ones, because the format knows none. A tile that cannot be read is told to the globe with its path and the offending value.
/// Threads: one at a time.
LF_API lf_globe_provider lf_terrain_provider(lf_terrain *terrain);

/// How many levels it has: those that layer.json lists as available, or else those that are there as folders, from 0 on. Allocates nothing. Threads: any.
LF_API int lf_terrain_level_count(const lf_terrain *terrain);

#ifdef __cplusplus
}
#endif
#endif
