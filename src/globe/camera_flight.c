/// The path of a camera and its least height above the ground, and positions to longitude and latitude.
#include "geom/geometry.h"
#include "globe/camera.h"
#include "ground/group.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// The path
// ---------------------------------------------------------------------------------------------------

// A stretch of the path lies in an area of longitude and latitude, and does not come below a height. Where
// the ground in that area is lower, the stretch is clear; where not, it is cut in two. Both follow from the
// ends of the stretch and from a bound of the second derivative in between, so the path is not sampled and no
// ground can be missed between two samples.
//
// Cutting ends where a stretch is a share GRAIN of the time that leads to it: what the camera rises until
// then is wrong by no more than that share of the slope. So the number of stretches grows with the logarithm
// of the time, not with the length of the path.
//
// The clearance is kept exactly, but a camera is moved to a skin above it, which grows with the time: at the
// start of the path it is 0, so a camera that was left at its skin can continue.

#define GRAIN 0x1p-5
#define SHORTEST 0x1p-14            // of the frame: no stretch is cut shorter
#define FINE 0x1p-8                 // of the frame, in the search for the deepest place
#define MOST_BOUNDS 20000           // stretches of one query; the rest counts as ground
#define ROUND_HEIGHT 1e-6           // metres: what rounding makes of a place's height,
#define ROUND_ANGLE LF__PLACE_ANGLE // and degrees, of its longitude and latitude
#define DEEPEST 60

lf_vec3 lf__flight_turned(lf_vec3 v, lf_vec3 angle) {
    double a = lf_vec3_length(angle);
    if (!(a > 0))
        return v;
    lf_vec3 axis = lf_vec3_scale(angle, 1 / a);
    // v cos a + (axis x v) sin a + axis (axis . v)(1 - cos a), with 1 - cos a where nothing cancels
    double s = sin(a), half = sin(0.5 * a), versed = 2 * half * half;
    lf_vec3 turned = lf_vec3_along(v, s, lf_vec3_cross(axis, v));
    turned = lf_vec3_along(turned, -versed, v);
    return lf_vec3_along(turned, versed * lf_vec3_dot(axis, v), axis);
}

static const lf_camera_piece *piece_at(const lf__flight *flight, double time) {
    int i = flight->piece_count - 1;
    while (i > 0 && time < flight->pieces[i].start)
        i--;
    return &flight->pieces[i];
}

/// A position moved by the turn of a piece: about the centre, or level where down is the same everywhere.
static lf_vec3 turned_by(const lf_frame *frame, const lf_camera_piece *piece, double t) {
    lf_vec3 from = piece->from, turn = piece->turn, origin = frame->origin;
    if (frame->kind == LF_FRAME_GRAVITY) {
        lf_vec3 down = lf_vec3_unit(frame->down);
        double across = lf_vec3_dot(turn, down);
        return turn.x == 0 && turn.y == 0 && turn.z == 0
                   ? from
                   : lf_vec3_along(from, t, lf_vec3_along(turn, -across, down));
    }
    if (origin.x == 0 && origin.y == 0 && origin.z == 0)
        return lf__flight_turned(from, lf_vec3_scale(turn, t));
    return lf_vec3_add(lf__flight_turned(lf_vec3_sub(from, origin), lf_vec3_scale(turn, t)), origin);
}

static lf_vec3 position(const lf__camera_land *land, const lf_camera_piece *piece, double time) {
    double t = time - piece->start;
    return lf_vec3_along(turned_by(land->frame, piece, t), t, piece->velocity);
}

lf_vec3 lf__flight_at(const lf__flight *flight, double time) {
    return position(flight->land, piece_at(flight, time), time);
}

lf_vec3 lf__land_up(const lf__camera_land *land, lf_vec3 position) {
    if (!land->face)
        return lf_vec3_scale(lf_frame_down(land->frame, position), -1);
    lf_geodetic place = lf__place_of(&land->ellipsoid, position);
    lf__sincos lat = lf__sincos_deg(place.lat_deg), lon = lf__sincos_deg(place.lon_deg);
    return (lf_vec3){lat.cos * lon.cos, lat.cos * lon.sin, lat.sin};
}

lf_vec3 lf__land_raised(const lf__camera_land *land, lf_vec3 position, double height) {
    if (!land->face)
        return lf_vec3_along(position, height, lf__land_up(land, position));
    lf_geodetic place = lf__place_of(&land->ellipsoid, position);
    place.height += height;
    return lf_ellipsoid_to_centred(&land->ellipsoid, place);
}

double lf__land_height(const lf__camera_land *land, lf_vec3 position) {
    return land->face ? lf_ellipsoid_to_geodetic(&land->ellipsoid, position).height
                      : lf_frame_to_local(land->frame, position).z;
}

double lf__flight_bend(const lf__flight *flight, const lf_camera_piece *piece, double rate, double time) {
    const lf__camera_land *land = flight->land;
    if (land->frame->kind == LF_FRAME_GRAVITY)
        return 0;
    double turn = lf_vec3_length(piece->turn),
           arm = lf_vec3_length(lf_vec3_sub(piece->from, land->frame->origin));
    double speed = lf_vec3_length(piece->velocity) + turn * arm, bend = turn * turn * arm;
    if (!(rate > 0))
        return bend;
    // The direction of raising turns with the position: by its own curvature, and that of the path.
    double squeeze = 1 - land->ellipsoid.flattening, warp = 0, round;
    if (land->face) {
        round = 0.25 * land->ellipsoid.radius * squeeze * squeeze; // deeper than any camera
        warp = 1.5 * land->ellipsoid.radius / squeeze * (1 / (squeeze * squeeze) - 1);
    } else {
        lf_vec3 from = lf_vec3_sub(piece->from, land->frame->origin);
        if (land->frame->kind != LF_FRAME_CENTRE) {
            lf_vec3 axis = lf_vec3_unit(land->frame->down);
            from = lf_vec3_along(from, -lf_vec3_dot(from, axis), axis);
        }
        round = fmax(lf_vec3_length(from) - speed * (time - piece->start), 1e-3 * arm);
    }
    double around = speed / round;
    return bend + 2 * rate * around + rate * time * ((2 + warp / round) * around * around + bend / round);
}

/// One piece, with what is the same for all its stretches.
typedef struct course {
    lf__flight *flight;
    const lf_camera_piece *piece;
    double speed;  // no point of the piece is faster,
    double bend;   // nor is its acceleration larger
    double radius; // least radius of curvature of the ellipsoid,
    double warp;   // and how fast that of a meridian changes at most, per radian
    double size;   // of the ellipsoid
    bool by_time;  // scores are rates: what is missing divided by the time
    bool first;    // find the earliest, not the worst
    double rate;   // that the camera rises meanwhile
    double best;   // score; stretches that do not exceed it are skipped
    lf__moment where;
    bool found, stuck;
} course;

static course course_of(lf__flight *flight, const lf_camera_piece *piece) {
    const lf_ellipsoid *e = &flight->land->ellipsoid;
    double b = 1 - e->flattening, turn = lf_vec3_length(piece->turn), arm = lf_vec3_length(piece->from);
    course c = {.flight = flight, .piece = piece, .size = e->radius};
    c.speed = lf_vec3_length(piece->velocity) + turn * arm;
    c.bend = turn * turn * arm;
    c.radius = e->radius * b * b;
    c.warp = 1.5 * e->radius / b * (1 / (b * b) - 1);
    return c;
}

static lf__moment flight_moment(const course *c, double time) {
    return (lf__moment){time,
                        lf__place_of(&c->flight->land->ellipsoid, position(c->flight->land, c->piece, time))};
}

/// The area of a stretch: its ends, and the distance of the path from the line between them.
/// deep: not more than the height of any of its points; sag: the share of a second derivative that counts.
static lf_geodetic_box flight_area_of(const course *c, const lf__moment *a, const lf__moment *b,
                                      double length, double deep) {
    double round = c->radius + deep; // least distance to a centre of curvature
    double gap = b->time - a->time, sag = gap * gap / 8;
    double high = fmax(fabs(a->place.lat_deg), fabs(b->place.lat_deg)) + length / round / LF__DEGREE;
    double axis =
        high < 90 ? (c->size + deep) * lf__sincos_deg(high).cos : 0; // not more than the distance from it
    lf_geodetic_box area = {-180, fmin(a->place.lat_deg, b->place.lat_deg), 180,
                            fmax(a->place.lat_deg, b->place.lat_deg)};
    double speed = c->speed, north;
    if (axis <= length) { // a pole is near
        north = length / round;
    } else {
        double turn = remainder(b->place.lon_deg - a->place.lon_deg, 360);
        double east = sag * (c->bend / axis + speed * speed / (axis * axis)) / LF__DEGREE + ROUND_ANGLE;
        area.west = a->place.lon_deg + fmin(turn, 0) - east;
        area.east = a->place.lon_deg + fmax(turn, 0) + east;
        if (area.east - area.west > 360)
            area.east = area.west + 360;
        north = sag * (c->bend / round + speed * speed / round * ((2 + c->warp / round) / round + 1 / axis));
    }
    area.south = fmax(area.south - north / LF__DEGREE - ROUND_ANGLE, -90);
    area.north = fmin(area.north + north / LF__DEGREE + ROUND_ANGLE, 90);
    return area;
}

static double skin_at(const course *c, double time) {
    return LF__FLIGHT_SKIN * fmin(1, time / c->flight->skin_time);
}

/// By how much a stretch may be below ground, clearance and skin; not more than 0: it is clear.
static double missing(course *c, const lf__moment *a, const lf__moment *b, lf__ceiling *ceiling) {
    double gap = b->time - a->time, length = c->speed * gap, low = fmin(a->place.height, b->place.height);
    double deep = low - length;
    *ceiling = (lf__ceiling){c->size, false, false};
    c->flight->bounds++;
    if (!(length <= 0.2 * c->radius) || !(deep > -0.75 * c->radius) || c->flight->bounds > MOST_BOUNDS)
        return c->size; // more than any depth of a camera, but finite
    double height = low - gap * gap / 8 * (c->bend + c->speed * c->speed / (c->radius + deep)) - ROUND_HEIGHT;
    *ceiling = lf__globe_upper(c->flight->land->face->globe, flight_area_of(c, a, b, length, deep));
    return ceiling->high + c->flight->clearance + skin_at(c, a->time) - height - c->rate * a->time;
}

static void flight_note(course *c, const lf__moment *at, double score, const lf__ceiling *ceiling) {
    c->best = score;
    c->where = *at;
    c->found = true;
    c->flight->coarser = c->flight->coarser || ceiling->coarser;
    c->flight->unproven = c->flight->unproven || ceiling->unproven;
}

/// Is a stretch short enough to be decided?
static bool short_enough(const course *c, const lf__moment *a, const lf__moment *b, int depth) {
    double gap = b->time - a->time, frame = c->flight->skin_time;
    if (depth >= DEEPEST || gap <= SHORTEST * frame || c->flight->bounds > MOST_BOUNDS)
        return true;
    return c->by_time ? gap <= GRAIN * a->time : !c->first && gap <= FINE * frame;
}

/// Examine a stretch, and its parts where it is not clear. True: the search is over.
static bool flight_examine(course *c, const lf__moment *a, const lf__moment *b, int depth) {
    lf__ceiling ceiling;
    double lack = missing(c, a, b, &ceiling);
    double allowed = c->by_time ? c->best * a->time : c->best;
    // A tenth of the skin is left to bounds that are not quite narrow, so that a camera is not moved by
    // millionths.
    if (lack <= fmax(allowed, 0) + 0.1 * skin_at(c, a->time) + ROUND_HEIGHT) {
        // A stretch that is skipped because of an unproven bound must be reported.
        c->flight->unproven = c->flight->unproven || ceiling.unproven;
        return false;
    }
    if (!short_enough(c, a, b, depth)) {
        lf__moment middle = flight_moment(c, 0.5 * a->time + 0.5 * b->time);
        return flight_examine(c, a, &middle, depth + 1) || flight_examine(c, &middle, b, depth + 1);
    }
    c->stuck = c->by_time && !(a->time > 0);
    bool later = !c->by_time && !c->first && b->place.height < a->place.height;
    flight_note(c, later ? b : a, c->stuck ? LF_INFINITY : c->by_time ? lack / a->time : lack, &ceiling);
    return c->first || c->stuck;
}

/// Examine the pieces within a time. `plan` has the settings and gets the result.
static void flight_search(lf__flight *flight, double from, double to, course *plan) {
    for (int i = 0; i < flight->piece_count; i++) {
        double begin = fmax(from, flight->pieces[i].start);
        double end = i + 1 < flight->piece_count ? fmin(to, flight->pieces[i + 1].start) : to;
        if (begin > end || (begin == end && i + 1 < flight->piece_count))
            continue;
        course c = course_of(flight, &flight->pieces[i]);
        c.by_time = plan->by_time;
        c.first = plan->first;
        c.rate = plan->rate;
        c.best = plan->best;
        c.where = plan->where;
        c.found = plan->found;
        lf__moment a = flight_moment(&c, begin), b = flight_moment(&c, end);
        bool over = flight_examine(&c, &a, &b, 0);
        *plan = c;
        if (over)
            return;
    }
}

bool lf__flight_first(lf__flight *flight, double from, double to, double rate, lf__moment *first) {
    course plan = {.first = true, .rate = rate};
    flight_search(flight, from, to, &plan);
    *first = plan.where;
    return plan.found;
}

double lf__flight_rate(lf__flight *flight, double to, lf__moment *where) {
    course plan = {.by_time = true};
    flight_search(flight, 0, to, &plan);
    *where = plan.where;
    return plan.found ? plan.best : 0;
}

double lf__flight_depth(lf__flight *flight, double to, lf__moment *where) {
    course plan = {.best = -LF_INFINITY};
    flight_search(flight, 0, to, &plan);
    *where = plan.where;
    return plan.found ? plan.best : 0;
}

double lf__flight_start(lf__flight *flight) {
    course c = course_of(flight, &flight->pieces[0]);
    lf__ceiling ceiling;
    lf__moment start = flight_moment(&c, 0);
    c.speed = c.bend = 0;
    double lack = missing(&c, &start, &start, &ceiling);
    if (lack > 0) {
        flight->coarser = flight->coarser || ceiling.coarser;
        flight->unproven = flight->unproven || ceiling.unproven;
    }
    return lack;
}

bool lf__flight_clear(const lf__camera_land *land, lf_geodetic place, double clearance, double *depth) {
    lf_geodetic_box area = {place.lon_deg - ROUND_ANGLE, fmax(place.lat_deg - ROUND_ANGLE, -90),
                            place.lon_deg + ROUND_ANGLE, fmin(place.lat_deg + ROUND_ANGLE, 90)};
    *depth = lf__globe_upper(land->face->globe, area).high + clearance - place.height;
    return !(*depth > ROUND_HEIGHT);
}

// ---------------------------------------------------------------------------------------------------
// Positions to longitude, latitude and height
// ---------------------------------------------------------------------------------------------------

// The latitude by Bowring's formula, which is a step of Newton's method from a good start, and one more such
// step. What is left after it is known: the step itself says how far off the start was, and the next error is
// about its square. Where that is too much (very flat ellipsoids, deep inside, next to the axis) the exact
// fallback is used.
//
// The two angles are found by a table of arc tangents and a short series, without the cases that a library
// has to deal with.

#define STEPS 64

/// Arc tangents of 0, 1/64 .. 1 in degrees.
static const double table[STEPS + 1] = {
    0.0,
    0.8951737102110744,
    1.7899106082460694,
    2.6837751594689845,
    3.576334374997351,
    4.467159061389273,
    5.35582504285519,
    6.241914347415048,
    7.125016348901798,
    8.004728857292855,
    8.880659150520245,
    9.752424941653784,
    10.619655276155134,
    11.481991354748095,
    12.339087278326195,
    13.19061071220685,
    14.036243467926479,
    14.875682001638797,
    15.708637829015744,
    16.534837857345156,
    17.35402463626132,
    18.165956529225532,
    18.970407808486545,
    19.767168676791652,
    20.556045219583467,
    21.336859291805652,
    22.109448343751673,
    22.873665190626713,
    23.629377730656817,
    24.37646861667477,
    25.114834886144564,
    25.844387554560335,
    26.56505117707799,
    27.276763383113682,
    27.979474388480146,
    28.673146489434995,
    29.357753542791276,
    30.033280435995138,
    30.699722550814414,
    31.35708522400993,
    32.005383208083494,
    32.64464013491648,
    33.274887984834926,
    33.89616656336391,
    34.5085229876684,
    35.1120111844222,
    35.706691400602885,
    36.2926297284796,
    36.86989764584402,
    37.43857157233304,
    37.99873244250467,
    38.550465296157725,
    39.0938588862295,
    39.62900530446429,
    40.155999624919325,
    40.674939565261546,
    41.18592516570965,
    41.68905848538856,
    42.18444331578877,
    42.67218491095885,
    43.15238973400541,
    43.6251652194306,
    44.09061955080086,
    44.54886145321272,
    45.0,
};

/// The angle of (x, y), 0 <= y <= x, x > 0, in degrees.
static double angle_in_octant(double y, double x) {
    int step = (int)(STEPS * (y / x) + 0.5);
    double t = (double)step * (1.0 / STEPS);
    double r = (y - t * x) / (x + t * y), s = r * r; // |r| <= 1/128
    double series = r * (1 + s * (-1.0 / 3 + s * (1.0 / 5 + s * (-1.0 / 7))));
    return table[step] + series * (1 / LF__DEGREE);
}

/// The angle of (x, y) in degrees; not both 0.
static double flight_angle_of(double y, double x) {
    double across = fabs(x), up = fabs(y);
    double angle = up <= across ? angle_in_octant(up, across) : 90 - angle_in_octant(across, up);
    angle = x < 0 ? 180 - angle : angle;
    return y < 0 ? -angle : angle;
}

lf_geodetic lf__place_of(const lf_ellipsoid *ellipsoid, lf_vec3 position) {
    double a = ellipsoid->radius, flat = ellipsoid->flattening, b = a * (1 - flat), e2 = flat * (2 - flat);
    double x = position.x, y = position.y, z = position.z;
    double p = sqrt(x * x + y * y);
    // The reduced latitude, as if the position were on the surface.
    double u = b * p, w = a * z, scale = 1 / sqrt(u * u + w * w), c = u * scale, s = w * scale;
    // From the centre of curvature of the meridian there.
    double up = z + e2 / (1 - flat) * a * s * s * s, across = p - e2 * a * c * c * c;
    double near = 1 / sqrt(up * up + across * across);
    s = up * near;
    c = across * near;
    double squeeze = 1 - e2 * s * s, normal = a / sqrt(squeeze);
    double height = p * c + z * s - normal * squeeze; // right but for the square of what the latitude is off
    double off = (p * s - z * c - e2 * normal * s * c) * near;
    // Also for NaN: the exact fallback.
    if (!(off * off < 1e-16) || !(p > 1e-3 * a) || !(height > -0.5 * b) || flat > 0.02)
        return lf_ellipsoid_to_geodetic(ellipsoid, position);
    return (lf_geodetic){flight_angle_of(y, x), flight_angle_of(s - off * c, c + off * s), height};
}

lf_vec3 lf__camera_at(const lf_camera_result *result, const lf__camera_land *land, double time) {
    lf__flight flight = {.land = land, .piece_count = result->piece_count};
    memcpy(flight.pieces, result->pieces, sizeof flight.pieces);
    time = fmin(fmax(time, 0), result->duration);
    if (result->share == 0 && result->raise_rate == 0)
        return result->away.x == 0 && result->away.y == 0 && result->away.z == 0
                   ? result->from
                   : lf_vec3_along(result->from, time, result->away);
    lf_vec3 position = lf__flight_at(&flight, result->share * time);
    return result->raise_rate == 0 ? position : lf__land_raised(land, position, result->raise_rate * time);
}

void lf__camera_land_find(const lf_ground *ground, uint32_t layers, lf__camera_land *land) {
    const lf_ground *itself = lf__ground_itself(ground);
    *land = (lf__camera_land){.face = lf__ground_globe(itself), .layers = layers};
    if (land->face) {
        land->frame = &land->face->globe->frame_of_ground;
    } else {
        const lf_group *group = lf__ground_group(itself);
        land->world = itself;
        land->frame = itself->kind->frame(itself->object);
        land->face = group && group->globe_there ? lf__ground_globe(group->globe) : NULL;
    }
    if (land->face)
        land->ellipsoid = land->face->globe->ellipsoid;
}

#undef DEEPEST
#undef FINE
#undef SHORTEST
#undef STEPS
