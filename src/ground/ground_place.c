/// Standing: a plane through the ground under three or four contacts.
#include "ground/ground.h"
#include <landfall/ground.h>

#define MOST_PASSES 16

/// State of a query. Level coordinates: forward, left and up at the queried point.
typedef struct standing {
    const lf_ground *ground;
    const lf_footprint *footprint;
    lf_frame frame;
    lf_cursor *cursor;
    lf_vec3 point, base; ///< base: the point, with a finite z
    lf_vec3 forward, left, up;
    lf_stance *stance;
} standing;

static bool footprint_valid(const lf_footprint *footprint) {
    if (!footprint || (footprint->count != 3 && footprint->count != 4) || !(footprint->reach >= 0) ||
        footprint->passes < 1 || footprint->passes > MOST_PASSES ||
        (footprint->rule != LF_STAND_FIT && footprint->rule != LF_STAND_REST))
        return false;
    const lf_vec2 *c = footprint->contacts;
    for (int i = 0; i < footprint->count; i++)
        if (!isfinite(c[i].x) || !isfinite(c[i].y))
            return false;
    for (int i = 2; i < footprint->count; i++)
        for (int k = 1; k < i; k++)
            for (int j = 0; j < k; j++)
                if (lf_orient2d(c[j], c[k], c[i]) == 0)
                    return false;
    return true;
}

/// Forward, left and up at the point; false: undefined.
static bool stand_axes(standing *s, lf_vec3 heading) {
    lf_vec3 down = lf_frame_down(&s->frame, s->base);
    if (lf_vec3_length(down) == 0 || !lf_vec3_finite(heading))
        return false;
    s->up = lf_vec3_scale(down, -1);
    lf_vec3 unit = lf_vec3_unit(heading);
    lf_vec3 level = lf_vec3_along(unit, -lf_vec3_dot(unit, s->up), s->up);
    if (lf_vec3_length(level) < 1e-9)
        return false;
    s->forward = lf_vec3_unit(level);
    s->left = lf_vec3_cross(s->up, s->forward);
    return true;
}

/// The ground under one contact, which is at `place`.
static lf_hit stand_find_contact(const standing *s, lf_vec3 place) {
    double reach = s->footprint->reach;
    if (isinf(s->point.z) || isinf(reach))
        place.z = LF_INFINITY;
    else if (reach > 0)
        place = lf_vec3_along(place, -reach, lf_frame_down(&s->frame, place));
    lf_hit hit;
    s->ground->kind->height(s->ground->object, &place, true, &hit, s->cursor);
    return hit;
}

/// The ground under all contacts, with these axes of the object.
static void stand_find_contacts(standing *s, lf_vec3 origin, lf_vec3 forward, lf_vec3 left) {
    lf_stance *stance = s->stance;
    stance->grounded = 0;
    for (int i = 0; i < s->footprint->count; i++) {
        lf_vec2 at = s->footprint->contacts[i];
        lf_vec3 place = lf_vec3_along(lf_vec3_along(origin, at.x, forward), at.y, left);
        // Along gravity the place is level with the point, so that the height from which ground is searched
        // does not change.
        place = lf_vec3_along(place, lf_vec3_dot(lf_vec3_sub(s->base, place), s->up), s->up);
        stance->contacts[i] = stand_find_contact(s, place);
        stance->grounded += stance->contacts[i].kind != LF_HIT_NONE;
    }
}

/// Ground points in level coordinates around the base.
static int grounded_points(const standing *s, lf_vec3 points[LF_FOOTPRINT_CONTACTS],
                           int which[LF_FOOTPRINT_CONTACTS]) {
    int count = 0;
    for (int i = 0; i < s->footprint->count; i++) {
        if (s->stance->contacts[i].kind == LF_HIT_NONE)
            continue;
        lf_vec3 p = lf_vec3_sub(s->stance->contacts[i].point, s->base);
        which[count] = i;
        points[count++] =
            (lf_vec3){lf_vec3_dot(p, s->forward), lf_vec3_dot(p, s->left), lf_vec3_dot(p, s->up)};
    }
    return count;
}

/// A plane as height over level ground: z = height + x * along + y * across.
typedef struct stand_plane {
    double height, along, across;
} stand_plane;

/// The plane of least squares; for three points the one through them. false: they are on a line.
static bool stand_fit(const lf_vec3 *points, int count, stand_plane *fitted) {
    lf_vec3 mean = {0, 0, 0};
    for (int i = 0; i < count; i++)
        mean = lf_vec3_along(mean, 1.0 / count, points[i]);
    double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
    for (int i = 0; i < count; i++) {
        lf_vec3 p = lf_vec3_sub(points[i], mean);
        xx += p.x * p.x;
        xy += p.x * p.y;
        yy += p.y * p.y;
        xz += p.x * p.z;
        yz += p.y * p.z;
    }
    double det = xx * yy - xy * xy;
    if (!(det > 1e-24 * (xx + yy) * (xx + yy)))
        return false;
    fitted->along = (xz * yy - yz * xy) / det;
    fitted->across = (yz * xx - xz * xy) / det;
    fitted->height = mean.z - fitted->along * mean.x - fitted->across * mean.y;
    return isfinite(fitted->height);
}

/// Height of a plane above a point, in metres.
static double stand_above(const stand_plane *plane, lf_vec3 p) {
    return plane->height + plane->along * p.x + plane->across * p.y - p.z;
}

/// Does the origin lie over the closed triangle of three contacts? Tested in the footprint, where it is
/// exact.
static bool origin_over(const lf_vec2 *contacts, int left_out) {
    lf_vec2 corner[3], origin = {0, 0};
    int count = 0, sign[3];
    for (int i = 0; i < 4; i++)
        if (i != left_out)
            corner[count++] = contacts[i];
    for (int i = 0; i < 3; i++)
        sign[i] = lf_orient2d(corner[i], corner[(i + 1) % 3], origin);
    return (sign[0] >= 0 && sign[1] >= 0 && sign[2] >= 0) || (sign[0] <= 0 && sign[1] <= 0 && sign[2] <= 0);
}

/// Rest on three of four contacts: no ground may be above their plane, and the origin should lie over them.
/// If it lies over none (an object that would tip over), the triple without ground above it is used, with the
/// later contact in the air.
static bool stand_rest(const lf_vec2 *contacts, const lf_vec3 points[4], stand_plane *found) {
    bool any = false;
    for (int left_out = 3; left_out >= 0; left_out--) {
        lf_vec3 three[3];
        stand_plane plane;
        for (int i = 0, count = 0; i < 4; i++)
            if (i != left_out)
                three[count++] = points[i];
        if (!stand_fit(three, 3, &plane) || stand_above(&plane, points[left_out]) < 0)
            continue;
        bool over = origin_over(contacts, left_out);
        if (!any || over)
            *found = plane;
        any = true;
        if (over)
            return true;
    }
    return any;
}

/// Find the plane and the object's position on it; false: the contacts define no plane.
static bool stand_on_plane(standing *s) {
    lf_vec3 points[LF_FOOTPRINT_CONTACTS];
    int which[LF_FOOTPRINT_CONTACTS];
    stand_plane plane;
    int count = grounded_points(s, points, which);
    bool resting = count == 4 && s->footprint->rule == LF_STAND_REST;
    // If four are in one plane up to rounding, every triple may have ground above it by a rounding error;
    // then the fit is that plane.
    if (count < 3 || !((resting && stand_rest(s->footprint->contacts, points, &plane)) ||
                       stand_fit(points, count, &plane)))
        return false;
    lf_stance *stance = s->stance;
    for (int i = 0; i < count; i++)
        stance->gaps[which[i]] = stand_above(&plane, points[i]);
    stance->position = lf_vec3_along(s->base, plane.height, s->up);
    lf_vec3 normal = lf_vec3_along(s->up, -plane.along, s->forward);
    stance->normal = lf_vec3_unit(lf_vec3_along(normal, -plane.across, s->left));
    stance->forward = lf_vec3_unit(lf_vec3_along(s->forward, plane.along, s->up));
    stance->pitch = atan(plane.along);
    // Roll about the forward axis: seen from behind, the angle of the normal to the plane of forward and
    // gravity.
    lf_vec3 upright = lf_vec3_cross(stance->forward, s->left);
    stance->roll = atan2(-lf_vec3_dot(stance->normal, s->left), lf_vec3_dot(stance->normal, upright));
    stance->stands = true;
    return true;
}

lf_status lf_ground_stand(const lf_ground *ground, const lf_footprint *footprint, lf_vec3 point,
                          lf_vec3 heading, lf_stance *stance, lf_cursor *cursor) {
    lf_stance empty = {.stands = false};
    for (int i = 0; i < LF_FOOTPRINT_CONTACTS; i++)
        empty.contacts[i] = lf__hit_none(LF_INFINITY, LF_REASON_NONE);
    if (stance)
        *stance = empty;
    if (!ground || !stance || !footprint_valid(footprint) || !lf__ground_point_valid(ground, point, true))
        return LF_BAD_ARGUMENT;
    if (isinf(footprint->reach) && !ground->kind->takes_infinity(ground->object))
        return LF_BAD_ARGUMENT;
    standing s = {ground,    footprint, lf_ground_frame(ground), cursor, point, point, {0, 0, 0}, {0, 0, 0},
                  {0, 0, 0}, stance};
    if (isinf(point.z))
        s.base.z = 0;
    if (!stand_axes(&s, heading))
        return LF_BAD_ARGUMENT;
    stand_find_contacts(&s, s.base, s.forward, s.left);
    for (int pass = 1; stand_on_plane(&s) && pass < footprint->passes; pass++) {
        lf_vec3 forward = stance->forward, origin = stance->position;
        lf_vec3 left = lf_vec3_cross(stance->normal, forward);
        *stance = empty;
        stand_find_contacts(&s, origin, forward, left);
    }
    return lf__ground_status(ground, LF_OK);
}
