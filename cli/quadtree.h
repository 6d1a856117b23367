/// `landfall info --quadtree`: the published statistics of a mesh's quadtree, and its picture.
#ifndef CLI_QUADTREE_H
#define CLI_QUADTREE_H

#include "ground.h"
#include <landfall/published.h>

/// Are options given that only mean something with others? Says so and returns true.
bool quadtree_stray_options(const options *given);

/// Print the table, and draw the picture that -o asks for; returns the exit status.
int quadtree_report(cli *run, const loaded *ground);

/// What to draw of a quadtree.
typedef struct quadtree_picture {
    const lf_mesh *mesh;
    int64_t most;  ///< polygons that a leaf should have: white
    int64_t width; ///< pixels
    const char *title, *subtitle;
    lf_host host;
} quadtree_picture;

/// Draw the leaves of a mesh's quadtree, the lighter the more polygons, to a PNG file.
lf_status quadtree_draw(const quadtree_picture *picture, const char *path, lf_error *error);

#endif
