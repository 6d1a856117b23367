/// The spherical distance field of Fünfzig, Ullrich, Fellner and Bachelder, as published.
///
/// Directions from the centre belong to six congruent charts, one for each side of a box. A chart is cut into
/// sectors by equal angles in both directions. A node is a rectangle of sectors: the whole chart is node 1,
/// and node n is halved into 2n and 2n + 1, alternately along the second and the third axis, down to the
/// sectors. A node's bounds are the smallest and the largest distance of any point in its directions.
#ifndef LF_PUBLISHED_FUNFZIG_FIELD_H
#define LF_PUBLISHED_FUNFZIG_FIELD_H

#include "model/model.h"
#include <landfall/published.h>

enum { LF__FIELD_CHARTS = 6 };

/// Radii are stored in steps: 0 .. LF__FIELD_STEPS of the whole radius, so that differences fit 16 bits and
/// are exact.
#define LF__FIELD_STEPS 32767

/// The part of a node that depends on its directions alone: the middle direction, and the cone around it that
/// holds all.
typedef struct lf__field_cone {
    float axis
        [3]; ///< along the chart's own axes: out of the box, and along its side; unit length up to rounding
    float cosine, sine;
} lf__field_cone;

/// Everything of one sector between two distances, with nothing on either side of it.
typedef struct lf__field_layer {
    float low, high;
    uint32_t first; ///< of its triangles; those of the next layer follow
    uint32_t group; ///< all of it as one group; its groups follow
} lf__field_layer;

/// Triangles of a layer that lie near each other, with a box and a sphere around them: where layers meet, most groups do not. The
/// published lists are compared triangle by triangle, in a time that grows with the square of their length.
enum { LF__FIELD_GROUP = 16 };

typedef struct lf__field_group {
    lf_vec3 centre, half; ///< of the box
    double radius;        ///< about its centre
} lf__field_group;

typedef struct lf__field {
    lf_vec3 centre;
    double radius; ///< of a sphere about the centre around everything
    double step;   ///< metres of one step of a stored radius
    int sectors;   ///< along each side of a chart, a power of two
    int levels;    ///< of halving: 2 log2 sectors
    int layer_most;
    int16_t *most;  ///< per chart: the root's largest distance, then how the halves of node n differ, at n
    int16_t *least; ///< the same for the least distance
    lf__field_cone *cones; ///< of the nodes of one chart, from node 1 on
    double *tangents;      ///< sectors + 1 borders, from -1 to 1
    uint32_t *firsts; ///< per sector (chart by chart, in the order of nodes) its first layer; and one more
    lf__field_layer *layers; ///< and one more, for where the last one's triangles end
    uint32_t *triangles;
    lf__field_group
        *groups; ///< of each layer: of all its triangles, then of LF__FIELD_GROUP each, the last one of fewer
    int64_t layer_count, triangle_count, group_count;
    int64_t layer_capacity, triangle_capacity, group_capacity; ///< as allocated
    int64_t filled;                                            ///< sectors with anything in them
} lf__field;

/// Nodes of one chart from 0 (unused) on: twice the sectors.
static inline int64_t lf__field_nodes(const lf__field *field) {
    return 2 * (int64_t)field->sectors * field->sectors;
}

static inline int64_t lf__field_chart_sectors(const lf__field *field) {
    return (int64_t)field->sectors * field->sectors;
}

/// A node during the descent, with its bounds in steps; empty when least > most.
typedef struct lf__field_node {
    int chart;
    int level;
    uint32_t node;
    int least, most;
} lf__field_node;

/// The root of a chart, and the two halves of a node, decoded from its bounds and one difference each.
lf__field_node lf__field_root(const lf__field *field, int chart);
void lf__field_halves(const lf__field *field, const lf__field_node *node, lf__field_node halves[2]);

/// The sector's number, 0 .. 6 sectors^2 - 1, of a node at the last level.
static inline int64_t lf__field_sector(const lf__field *field, const lf__field_node *node) {
    int64_t per_chart = lf__field_chart_sectors(field);
    return node->chart * per_chart + ((int64_t)node->node - per_chart);
}

/// The node at the last level of a column and row.
uint32_t lf__field_leaf(const lf__field *field, int column, int row);

/// Which of a chart's stored numbers is drawn at a column and row of the transform's image: the root first,
/// then, level by level, the differences along columns and those along rows around what is there already.
int64_t lf__field_transform_place(int column, int row);

/// A vector of the world along a chart's axes, and back: x points out of the box. The six charts are
/// rotations of each other.
lf_vec3 lf__field_to_chart(int chart, lf_vec3 v);
lf_vec3 lf__field_from_chart(int chart, lf_vec3 v);

/// Compute tangents and cones for field->sectors.
lf_status lf__field_directions(lf__field *field, const lf_allocator *allocator);

/// Encode the bounds of all sectors, in steps; least > most where there is nothing.
void lf__field_encode(lf__field *field, int chart, int16_t *least, int16_t *most);

/// The centre by a definition.
lf_vec3 lf__field_centre_of(const lf_model *model, const lf_field_def *def);

/// Build the field of a model. After a failure, lf__field_free frees what was allocated.
lf_status lf__field_build(lf__field *field, const lf_model *model, const lf_field_def *def,
                          const lf_host *host);
void lf__field_free(lf__field *field, const lf_allocator *allocator);

size_t lf__field_bytes(const lf__field *field);

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

/// An upper bound of the tests of cones and of shells that a query needs, in any pose.
void lf__field_bound(const lf__field *a, const lf__field *b, double *cones, double *shells);

/// Queries by fields; both models have one.
bool lf__field_touch(const lf_model_query *query, const lf_pose *between, lf_cursor *cursor);

/// Writes at most `capacity` pairs and counts all.
lf_status lf__field_pairs(const lf_model_query *query, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor);

#endif
