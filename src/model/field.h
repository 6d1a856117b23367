/// FIXHEAD model/field.h
#ifndef LF_MODEL_FIELD_H
#define LF_MODEL_FIELD_H

#include "model/model.h"

// ---------------------------------------------------------------------------------------------------
// field.h
// ---------------------------------------------------------------------------------------------------

/// The spherical distance field of Funfzig, Ullrich, Fellner and Bachelder, as published, and what its files share.
///
/// Directions from the centre belong to six congruent charts, one for each side of a box. A chart is cut into sectors by equal angles
/// both ways. A node is a rectangle of sectors: the whole chart is node 1, and node n is halved into 2n and 2n + 1, by turns along
/// the second and the third axis, down to the sectors. A node's bounds are the least and the largest distance of
/// anything in its directions.

enum { LF__FIELD_CHARTS = 6, LF__FIELD_SECTORS_MOST = 256, LF__FIELD_LAYERS_MOST = 16 };

/// Radii are stored in steps: 0 .. LF__FIELD_STEPS of the whole radius, so that differences fit 16 bits and are exact.
#define LF__FIELD_STEPS 32767

/// What of a node depends on its directions alone: the middle one, and the cone around it that holds all.
typedef struct lf__field_cone {
    float axis
        [3]; ///< along the chart's own axes: out of the box, and along its side; unit length up to rounding
    float cosine, sine;
} lf__field_cone;

/// Everything of one sector between two distances, with nothing on either side of it.
typedef struct lf__field_layer {
    float low, high;
    uint32_t first; ///< of its triangles; those of the next layer follow
} lf__field_layer;

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
    int64_t layer_count, triangle_count;
    int64_t layer_room, triangle_room; ///< as taken
    int64_t filled;                    ///< sectors with anything in them
} lf__field;

/// Nodes of one chart from 0 (unused) on: twice the sectors.
static inline int64_t lf__field_nodes(const lf__field *field) {
    return 2 * (int64_t)field->sectors * field->sectors;
}

static inline int64_t lf__field_chart_sectors(const lf__field *field) {
    return (int64_t)field->sectors * field->sectors;
}

/// A node on the way down, with its bounds in steps; empty when least > most.
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

/// Where a node of a level lies: its columns and rows of sectors, first and behind the last.
void lf__field_place(const lf__field *field, int level, uint32_t node, int columns[2], int rows[2]);

/// The node at the last level of a column and row.
uint32_t lf__field_leaf(const lf__field *field, int column, int row);

/// Which of a chart's stored numbers stands at a place when the transform is drawn: the root first, then around what is there already the
/// differences along columns, then those along rows, level by level.
int64_t lf__field_transform_place(int column, int row);

/// A vector of the world along a chart's axes, and back: x is out of the box. All six are turns of each other.
lf_vec3 lf__field_to_chart(int chart, lf_vec3 v);
lf_vec3 lf__field_from_chart(int chart, lf_vec3 v);

/// Make tangents and cones for so many sectors.
lf_status lf__field_directions(lf__field *field, const lf_allocator *allocator);

/// Encode the bounds of all sectors, in steps; least > most where there is nothing.
void lf__field_encode(lf__field *field, int chart, int16_t *least, int16_t *most);

/// Where to look from.
lf_vec3 lf__field_centre_of(const lf_model *model, const lf_field_def *def);

/// Make the field of a model. What a failure leaves behind, lf__field_free gives back.
lf_status lf__field_build(lf__field *field, const lf_model *model, const lf_field_def *def,
                          const lf_host *host);
void lf__field_free(lf__field *field, const lf_allocator *allocator);

size_t lf__field_bytes(const lf__field *field);

/// The part of a triangle (around the centre, along the chart's axes) within a range of tangents of y / x and z / x, with a
/// little around it. Returns how many corners it has, 0 .. 8.
int lf__field_clip(const lf_vec3 triangle[3], const double y[2], const double z[2], double slack,
                   lf_vec3 out[8]);

/// The least and the largest distance of a convex polygon from the origin.
void lf__field_distances(const lf_vec3 *corners, int count, double *least, double *most);

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

/// A capped cone in space: all points whose distance from the apex is within low .. high, in directions around the axis.
typedef struct lf__capped_cone {
    lf_vec3 apex, axis; ///< unit
    double cosine, sine;
    double low, high;
} lf__capped_cone;

/// false only when the two share no point: never wrong that way.
bool lf__cones_meet(const lf__capped_cone *a, const lf__capped_cone *b, double slack);

// ---------------------------------------------------------------------------------------------------
// field_walk.h
// ---------------------------------------------------------------------------------------------------

/// Asking two distance fields.

/// What to do after a pair has been found.
typedef enum lf__field_said {
    LF__FIELD_ON,
    LF__FIELD_NEXT_LAYER,  ///< enough of this pair of layers
    LF__FIELD_NEXT_SECTOR, ///< enough of this pair of sectors
    LF__FIELD_STOP
} lf__field_said;

/// The last pairs of triangles that have been tested, each in a place of its own: neighbouring sectors hold the same ones.
enum { LF__FIELD_TESTED = 512 };

typedef struct lf__field_tested {
    uint64_t pairs[LF__FIELD_TESTED]; ///< a in the upper half, b in the lower
    bool touch[LF__FIELD_TESTED];
} lf__field_tested;

typedef struct lf__field_walk {
    const lf_model *model_a, *model_b;
    const lf__field *a, *b;
    const lf_pose *pose; ///< of b, seen from a
    bool shells_only;    ///< stop at the first shells that meet
    bool once;           ///< the finder wants no pair twice: it is told less often of the same one
    lf__field_said (*found)(void *user, uint32_t a, uint32_t b);
    void *user;
    double slack;
    lf__field_tested *tested; ///< NULL until there are triangles to test
    lf_counters cost; ///< nodes: cones tested; cells: shells tested; triangles: pairs of triangles looked at;
                      ///< exact: those tested exactly
} lf__field_walk;

/// Every pair of touching triangles, at most as often as there are pairs of sectors where both are. true when stopped: by the finder,
/// or at the shells.
bool lf__field_ask(lf__field_walk *walk);

/// No question needs more tests of cones and of shells than this, in any pose.
void lf__field_bound(const lf__field *a, const lf__field *b, double *cones, double *shells);

/// Questions by fields; both models have one.
bool lf__field_touch(const lf_model_query *question, const lf_pose *between, lf_cursor *cursor);

/// Where found pairs go.
typedef struct lf__pair_list {
    lf_model_pair *pairs;
    int64_t capacity, count, limit;
} lf__pair_list;

/// Writes what there is room for and counts all.
lf_status lf__field_pairs(const lf_model_query *question, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor);

#endif
