/// Bodies of triangles on a mesh.
#include "bvh/bvh.h"
#include "ground/land.h"
#include "mesh/mesh.h"

typedef struct mesh_land_finder {
    const lf_mesh *mesh;
    uint32_t layers;
} mesh_land_finder;

/// Go on past triangles of the mesh whose layers are not searched.
static bool mesh_land_found(void *user, uint32_t ground, uint32_t own) {
    const mesh_land_finder *finder = user;
    const lf_mesh *mesh = finder->mesh;
    (void)own;
    return (finder->layers & (mesh->layers ? mesh->layers[lf__mesh_owner(mesh, ground)] : 1u)) == 0;
}

bool lf__mesh_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor) {
    const lf_mesh *mesh = object;
    mesh_land_finder user = {mesh, lf__cursor_layers(cursor)};
    lf__pair_finder finder = {mesh_land_found, &user, true};
    return lf__bvh_pairs(mesh->tree, body->tree, pose, &finder, cursor);
}

/// A one-sided face is not met from below where its front is up.
static bool mesh_face_met_from_below(const lf__face_search *s, uint32_t triangle, bool front_up) {
    const lf_mesh *mesh = s->object;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    if (front_up && mesh->sides && mesh->sides[polygon] == 1)
        return false;
    return (s->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

static void mesh_face(void *user, uint32_t triangle) {
    lf__face_search *s = user;
    lf_vec3 corners[3];
    lf__face face;
    if (s->done || lf__mesh_gone(s->object, triangle))
        return;
    lf__mesh_triangle(s->object, triangle, corners);
    for (int c = 0; c < 3; c++)
        corners[c] = lf__face_to_view(s->view, lf_pose_to_world(s->pose, corners[c]));
    face.part = s->part, face.triangle = triangle;
    if (!lf__face_search_beside(s, corners, 3) && lf__face_make(s->view, corners, 3, &face) &&
        mesh_face_met_from_below(s, triangle, face.front_up))
        s->done = !s->finder->found(s->finder->user, &face);
}

void lf__mesh_faces(lf__face_search *search) {
    const lf_mesh *mesh = search->object;
    lf__bvh_visitor visitor = {lf__face_search_enters, mesh_face, search};
    lf__bvh_visit(mesh->tree, &visitor, search->view->cursor);
}
