/// Where to stand.
#include "grid/guard.h"
#include "grid/grid_question.h"
#include "sight/pair.h"

/// Of a height's rounding, and of the sum that comes after it.
#define ROUNDINGS (16 * 0x1p-53)

/// The height of a grid at a place that is set on posts, rounded up; false where there is none.
static lf_reason grid_top(const lf_grid *grid, lf_vec2 at, double *height) {
    lf_vec2 place = lf__sight_place(grid, at);
    double last = (double)grid->round;
    if (last > 0 && ((place.x < 0 && place.x > -0.5) || (place.x >= last && place.x < last + 0.5)))
        place.x = 0; // the same column, or only rounding takes it beyond
    lf__grid_spot spot;
    lf__grid_touch_place(grid, place);
    lf_reason reason = lf__grid_at_round(grid, &place, &spot);
    if (reason != LF_REASON_ANSWERED)
        return reason;
    *height = spot.height;
    bool at_post = place.x == floor(place.x) && place.y == floor(place.y);
    if (at_post || grid->surface == LF_SURFACE_POINT)
        return reason; // these are not computed
    lf__piece piece;
    if (lf__piece_of(grid, spot.i, spot.j, spot.triangle, &piece) &&
        lf__piece_side(&piece, (lf_vec3){place.x, place.y, spot.height}) < 0) {
        double size = 0; // of the piece's own corners: another one of the cell may be a void
        for (int k = 0; k < (piece.kind == LF__PIECE_PATCH ? 4 : 5); k++)
            size = fmax(size, fabs(piece.h[k]));
        *height += ROUNDINGS * size;
    }
    return reason;
}

/// a + b, rounded up.
static double sum_up(double a, double b) {
    double rest, sum = lf__two_sum(a, b, &rest);
    return rest > 0 ? nextafter(sum, LF_INFINITY) : sum;
}

static lf_reason ground_top(const lf_ground *ground, lf_vec2 at, double *height) {
    lf_box box = ground->kind->box(ground->thing);
    lf_hit hit;
    lf_vec3 above = {at.x, at.y, LF_INFINITY};
    ground->kind->height(ground->thing, &above, true, &hit, NULL);
    if (hit.kind == LF_HIT_NONE)
        return hit.reason;
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    // As lf_ground_height promises.
    *height = hit.point.z + fmax(1e-10, 1e-14 * (size.x + size.y + size.z));
    return LF_REASON_ANSWERED;
}

lf_status lf_sight_observer(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point,
                         lf_reason *reason) {
    if (!ground || !point || !reason || !ground->kind->takes_infinity(ground->thing) ||
        !(fabs(at.x) <= LF__FARTHEST) || !(fabs(at.y) <= LF__FARTHEST) || !(fabs(above) <= LF__FARTHEST))
        return LF_BAD_ARGUMENT;
    double height = 0;
    const lf_grid *grid = lf__ground_grid(ground);
    *reason = grid ? grid_top(grid, at, &height) : ground_top(ground, at, &height);
    if (*reason == LF_REASON_ANSWERED)
        *point = (lf_vec3){at.x, at.y, sum_up(height, above)};
    return lf__ground_told(ground, LF_OK);
}
