#include "ground/cone.h"

lf__cone lf__cone_start(lf_vec3 apex, lf_vec3 along) {
    return (lf__cone){.apex = apex, .along = along, .empty = true};
}

/// Seen from above, does q lie to the left (+1) or right (-1) of the line from the apex through p; 0: on it.
static int side(const lf__cone *cone, lf_vec3 p, lf_vec3 q) {
    return -lf_orient_line(cone->apex, cone->along, p, q);
}

/// Are p and q, on one line with the apex, on different sides of it?
static bool opposite(const lf__cone *cone, lf_vec3 p, lf_vec3 q) {
    lf_vec3 a = lf_vec3_sub(p, cone->apex), b = lf_vec3_sub(q, cone->apex), d = cone->along;
    double dd = lf_vec3_dot(d, d);
    a = lf_vec3_along(a, -lf_vec3_dot(a, d) / dd, d);
    b = lf_vec3_along(b, -lf_vec3_dot(b, d) / dd, d);
    return !(lf_vec3_dot(a, b) > 0);
}

bool lf__cone_holds(const lf__cone *cone, lf_vec3 p) {
    if (cone->whole)
        return true;
    if (cone->empty)
        return false;
    // The cone is narrower than half a turn: between its borders is left of the right one and right of the
    // left one.
    int right = side(cone, cone->right, p), left = side(cone, cone->left, p);
    if (right < 0 || left > 0)
        return false;
    if (right == 0 && left == 0)
        return !opposite(cone, cone->right, p);
    return true;
}

/// Does the line of gravity through p go through the apex?
static bool at_apex(const lf__cone *cone, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, cone->apex);
    lf_vec3 turn = lf_vec3_cross(from, cone->along);
    return turn.x == 0 && turn.y == 0 && turn.z == 0;
}

void lf__cone_add(lf__cone *cone, lf_vec3 p) {
    if (cone->whole)
        return;
    if (at_apex(cone, p)) {
        cone->whole = true;
        return;
    }
    if (cone->empty) {
        cone->left = cone->right = p;
        cone->empty = false;
        return;
    }
    if (lf__cone_holds(cone, p))
        return;
    // Opposite to something in the cone, or reaching round to it: the apex lies between points.
    int right = side(cone, cone->right, p), left = side(cone, cone->left, p);
    if (right >= 0 && left > 0)
        cone->whole = right == 0 && opposite(cone, cone->right, p);
    else if (right < 0 && left <= 0)
        cone->whole = left == 0 && opposite(cone, cone->left, p);
    else
        cone->whole = true; // right of the right border and left of the left one: behind
    if (cone->whole)
        return;
    if (left > 0)
        cone->left = p;
    else
        cone->right = p;
}

bool lf__spreading_enters(void *user, const lf_box *box) {
    const lf__spreading *s = user;
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? box->low.x : box->high.x, i & 2 ? box->low.y : box->high.y,
                          i & 4 ? box->low.z : box->high.z};
        if (!lf__cone_holds(s->cone, lf_pose_to_world(s->pose, corner)))
            return true;
    }
    return false;
}
