/// The network of points that see one another, as a list of edges.
#ifndef CLI_NETWORK_H
#define CLI_NETWORK_H

#include "sight_rules.h"

typedef struct network {
    cli *run;
    const observers *places; ///< on the map, with names or NULL
    const lf_vec3 *points;   ///< where they are, as ends of lines of sight
    lf_sight_rules rules;
    double range; ///< metres on the map; INFINITY: all pairs
    /// The verdict of a line on ground where lf_sight_verdicts does not answer; or NULL.
    lf_status (*ask)(void *user, lf_vec3 a, lf_vec3 b, uint8_t *verdict);
    void *user;
    int64_t pairs, visible, unknown; ///< afterwards: pairs in range, and their verdicts
} network;

/// Write the pairs that see one another, and those where that is unknown, to a file: .csv, .graphml, .gpkg or .geojson. Prints what is wrong and
/// returns false; then there is no file, or the old one.
bool network_write(network *network, const char *path);

#endif
