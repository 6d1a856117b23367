/// One question to a mesh on its way through the tree.
#ifndef LF_MESH_QUESTION_H
#define LF_MESH_QUESTION_H

#include "bvh/bvh_collect.h"
#include "mesh/mesh.h"

typedef struct lf__mesh_question {
    const lf_mesh *mesh;
    const lf_ray *ray;
    uint32_t layers;
    bool gravity;    ///< a gravity line: meets no walls
    bool both_sides; ///< meets one-sided polygons from behind too
    lf__nearest nearest;
} lf__mesh_question;

lf__mesh_question lf__mesh_ask(const lf_mesh *mesh, const lf_ray *ray, bool gravity, const lf_cursor *cursor);

/// For lf__tree_filter, with a question as user: layers, sides, walls.
bool lf__mesh_accepts(const void *question, uint32_t triangle, lf__side side);

/// Where a question's line meets a polygon: the least exact t, then the lowest triangle, of those of its fan that the question accepts. t in lengths of
/// the question's ray.
bool lf__mesh_meet_polygon(const lf__mesh_question *question, int64_t polygon, lf__tree_meeting *best,
                           uint64_t *exact);

/// Is one meeting before another: at a lower exact t, or at the same and with a lower number? t in lengths of the question's ray.
bool lf__mesh_before(const lf__mesh_question *question, const lf__tree_meeting *a, const lf__tree_meeting *b,
                     uint64_t *exact);

/// The hit for a meeting, with the polygon's own values.
void lf__mesh_hit(const lf__mesh_question *question, const lf__tree_meeting *meeting, lf_hit *hit);

/// The hit of a gravity line: t is the distance from the line's start to the hit's point.
void lf__mesh_hit_on_line(const lf__mesh_question *question, const lf__tree_meeting *meeting, double length,
                          lf_hit *hit);

/// Every polygon met, in order; returns how many there are.
int64_t lf__mesh_all(lf__mesh_question *question, lf_hit *hits, int64_t capacity, lf_cursor *cursor);

/// Every polygon met, as it is found, in no particular order.
void lf__mesh_each(const lf__mesh_question *question, const lf__finder *finder, lf_cursor *cursor);

#endif
