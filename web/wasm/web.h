/// What the files of the module share: grounds, threads, errors.
#ifndef LANDFALL_WEB_H
#define LANDFALL_WEB_H

#include <emscripten.h>
#include <landfall.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB EMSCRIPTEN_KEEPALIVE

/// Tiles that JavaScript has delivered, and those that the globe asked for.
typedef struct web_tiles web_tiles;

/// A ground with what it is made of; destroyed together.
typedef struct web_ground {
    const lf_ground *ground;
    lf_grid *grid;
    lf_mesh *mesh;
    lf_store *store;
    lf_group *group;
    lf_globe *globe; ///< its own, or that of the store
    web_tiles *tiles;
    const lf_grid
        *raster;        ///< of a grid, of a stored grid, or of a group's first part; NULL for other grounds
    lf_lattice lattice; ///< of a ground without raster: where its viewsheds have samples
    lf_map_units units;
    bool north_up; ///< rows of the caller are counted from the top
    void *samples; ///< of a grid: borrowed by it, freed with it
} web_ground;

/// Calls back with progress.
extern const lf_progress web_progress;

/// The threads, or NULL.
const lf_tasks *web_tasks(void);

static inline lf_host web_host(void) {
    return (lf_host){.progress = &web_progress, .tasks = web_tasks()};
}

/// Keep the reason for web_message. Returns status.
lf_status web_fail(lf_status status, const lf_error *error);

/// An empty ground; NULL without memory, with the reason kept.
web_ground *web_new(void);
void web_destroy(web_ground *g);

/// Set the lattice of a ground without raster: over its box.
void web_set_lattice(web_ground *g);

/// Free what a globe's provider keeps.
void web_tiles_destroy(web_tiles *tiles);

#define WEB_HIT 14

/// kind, reason, t, point, normal, part, element, triangle, user value, layers.
void web_put_hit(const lf_hit *hit, double *out);

#endif
