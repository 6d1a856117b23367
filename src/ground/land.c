/// The ground around a point as flat faces, whatever kind it is.
#include "ground/land.h"
#include <math.h>

/// Faces are walls when they are steeper than this, as the z of a unit normal.
#define FACE_WALL 1e-9

/// An edge's distance from a point, within positive, seen from above.
static lf__face_limit face_edge(lf_vec3 p, lf_vec3 q, double turn) {
    double x = turn * (p.y - q.y), y = turn * (q.x - p.x), length = sqrt(x * x + y * y);
    if (!(length > 0))
        return (lf__face_limit){0, 0, 0, 0};
    return (lf__face_limit){x / length, y / length, 0, -(x * p.x + y * p.y) / length};
}

bool lf__face_make(const lf__face_view *view, const lf_vec3 *corners, int count, lf__face *face) {
    lf_vec3 far = corners[count - 1]; // of four corners in a plane the two diagonals give the better normal
    lf_vec3 across = lf_vec3_sub(corners[2], corners[0]);
    lf_vec3 n = count == 4 ? lf_vec3_cross(across, lf_vec3_sub(far, corners[1]))
                           : lf_vec3_cross(lf_vec3_sub(corners[1], corners[0]), across);
    double length = lf_vec3_length(n), longest = 0;
    for (int k = 0; k < count; k++)
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(corners[(k + 1) % count], corners[k])));
    if (!(fabs(n.z) > FACE_WALL * length) || !(length > view->blur * longest))
        return false;
    double gx = -n.x / n.z, gy = -n.y / n.z;
    face->edge_count = count;
    for (int k = 0; k < count; k++)
        face->edges[k] = face_edge(corners[k], corners[(k + 1) % count], n.z > 0 ? 1 : -1);
    face->above = (lf__face_limit){gx, gy, -1, corners[0].z - gx * corners[0].x - gy * corners[0].y};
    face->doubt = view->blur * (1 + fabs(gx) + fabs(gy));
    face->front_up = n.z > 0;
    return true;
}

bool lf__face_search_enters(void *user, const lf_box *box) {
    const lf__face_search *search = user;
    return !search->done && lf_box_overlap(*box, search->box);
}

bool lf__face_search_beside(const lf__face_search *search, const lf_vec3 *corners, int count) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_with(box, corners[i]);
    return !lf_box_overlap(box, search->wide);
}

lf_box lf__face_box_in_part(const lf__face_search *search) {
    const lf_box *wide = &search->wide;
    lf_box box = lf_box_empty();
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? wide->low.x : wide->high.x, i & 2 ? wide->low.y : wide->high.y,
                          i & 4 ? wide->low.z : wide->high.z};
        box = lf_box_with(box, lf_pose_to_local(search->pose, lf__face_to_world(search->view, corner)));
    }
    lf_vec3 blur = {search->view->blur, search->view->blur, search->view->blur};
    return (lf_box){lf_vec3_sub(box.low, blur), lf_vec3_add(box.high, blur)};
}

void lf__faces_in(const lf__face_view *view, const lf_box *box, const lf__face_finder *finder) {
    lf__face_search search = {.view = view, .finder = finder, .layers = lf__cursor_layers(view->cursor)};
    const lf_ground *ground = view->ground;
    lf_vec3 blur = {view->blur, view->blur, view->blur};
    lf_pose here = lf_pose_identity();
    search.wide = (lf_box){lf_vec3_sub(box->low, blur), lf_vec3_add(box->high, blur)};
    search.pose = &here;
    search.object = ground->object;
    search.box = lf__face_box_in_part(&search);
    if (ground->kind->faces && lf_box_overlap(search.box, lf_ground_box(ground)))
        ground->kind->faces(&search);
}
