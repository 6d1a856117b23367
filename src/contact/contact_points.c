/// A moving point and a moving triangle, or two moving edges: four points, each moving along a line.
///
/// At a moment they touch exactly when none of the following is true:
///   - the four points are not in one plane;
///   - seen along x, y or z, two points of one are strictly on one side of a line through the other (for a
///     triangle: the point is strictly left of one edge and strictly right of another);
///   - along x, y or z, all of the one is strictly before all of the other.
/// Each of these is a sign of a polynomial in time, of degree 3, 2 and 1. Over an interval of time such a
/// polynomial keeps its sign when all its Bernstein coefficients have it. Intervals in which a contact is
/// excluded are skipped; others are halved, the earlier half first.
///
/// Doubles with a bound of their error nearly always decide. The rest is decided by exact arithmetic: a
/// linear motion restricted to an interval is a linear motion again, with ends that are exact sums of
/// doubles.
#include "contact/contact.h"

/// Sides of lines per view, and differences per axis.
enum { POINT_SIDES = 3, EDGE_SIDES = 4, MOST_SIDES = 4 };

/// The time is halved at most this often in doubles, and this often in exact arithmetic.
#define DEEP 40
#define POINTS_DEEPEST 96

/// A contact within an interval of 2^-POINTS_ENOUGH is known precisely enough: the header promises 1e-9.
#define POINTS_ENOUGH 32

/// At most this many intervals are tested by exact arithmetic; after that the shapes count as touching.
#define EXACT_STRETCHES 20000

/// Errors of coefficients, as shares of the powers of the largest difference: all roundings, including those
/// of 40 halvings.
#define DOUBT_PLANE 0x1p-40
#define DOUBT_SIDE 0x1p-42
#define DOUBT_APART 0x1p-46

/// Signs over an interval of time: 1 or -1 when a polynomial has that sign throughout, else 0.
typedef struct signs {
    int plane;
    int plane_start, plane_end;
    int side[3][MOST_SIDES];
    int apart[3][MOST_SIDES];
} signs;

typedef enum points_verdict { APART, POINTS_UNDECIDED, TOGETHER } points_verdict;

/// The point is strictly left of one edge and right of another, or the ends of one edge strictly on one side
/// of the other.
static bool is_separated_in_view(const int *side, bool edges) {
    if (edges)
        return side[0] * side[1] > 0 || side[2] * side[3] > 0;
    return side[0] * side[1] < 0 || side[1] * side[2] < 0 || side[0] * side[2] < 0;
}

/// The opposite, certainly: within all edges, or each edge strictly across the other.
static bool is_crossed_in_view(const int *side, bool edges) {
    if (edges)
        return side[0] * side[1] < 0 && side[2] * side[3] < 0;
    return side[0] * side[1] > 0 && side[1] * side[2] > 0;
}

static points_verdict points_verdict_of(const signs *all, bool edges) {
    bool crossed = false;
    if (all->plane != 0)
        return APART;
    for (int k = 0; k < 3; k++) {
        const int *apart = all->apart[k];
        int sum = apart[0] + apart[1] + apart[2] + (edges ? apart[3] : 0);
        if (sum == (edges ? 4 : 3) || sum == -(edges ? 4 : 3) || is_separated_in_view(all->side[k], edges))
            return APART;
        crossed |= is_crossed_in_view(all->side[k], edges);
    }
    return crossed && all->plane_start * all->plane_end < 0 ? TOGETHER : POINTS_UNDECIDED;
}

// ---------------------------------------------------------------------------------------------------
// In doubles
// ---------------------------------------------------------------------------------------------------

/// All polynomials over an interval of time, by Bernstein coefficients, with a bound for the error of each
/// kind.
typedef struct polynomials {
    double plane[4];
    double side[3][MOST_SIDES][3];
    double apart[3][MOST_SIDES][2];
} polynomials;

typedef struct doubts {
    double plane, side, apart;
} doubts;

/// Which two points a line of view goes through, and which one is compared with it. The point against the
/// triangle's edges; the ends of each edge against the other.
static const int point_lines[POINT_SIDES][3] = {{1, 2, 0}, {2, 3, 0}, {3, 1, 0}};
static const int edge_lines[EDGE_SIDES][3] = {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}};

/// Which points are compared along an axis.
static const int point_orders[POINT_SIDES][2] = {{0, 1}, {0, 2}, {0, 3}};
static const int edge_orders[EDGE_SIDES][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};

static double points_axis_of(lf_vec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double determinant(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    return lf_vec3_dot(a, lf_vec3_cross(b, c));
}

/// Points at the start and the end of an interval.
typedef struct motion {
    lf_vec3 start[4], end[4];
} motion;

static void points_plane_of(const motion *m, double plane[4]) {
    lf_vec3 s[3], e[3];
    for (int i = 0; i < 3; i++) {
        s[i] = lf_vec3_sub(m->start[i + 1], m->start[0]);
        e[i] = lf_vec3_sub(m->end[i + 1], m->end[0]);
    }
    plane[0] = 3 * determinant(s[0], s[1], s[2]);
    plane[1] = determinant(e[0], s[1], s[2]) + determinant(s[0], e[1], s[2]) + determinant(s[0], s[1], e[2]);
    plane[2] = determinant(s[0], e[1], e[2]) + determinant(e[0], s[1], e[2]) + determinant(e[0], e[1], s[2]);
    plane[3] = 3 * determinant(e[0], e[1], e[2]);
}

/// All sides of one line, seen along the three axes: components of a cross product of two differences.
static void points_sides_of(const motion *m, const int line[3], double side[3][3]) {
    lf_vec3 u0 = lf_vec3_sub(m->start[line[1]], m->start[line[0]]),
            u1 = lf_vec3_sub(m->end[line[1]], m->end[line[0]]);
    lf_vec3 v0 = lf_vec3_sub(m->start[line[2]], m->start[line[0]]),
            v1 = lf_vec3_sub(m->end[line[2]], m->end[line[0]]);
    lf_vec3 first = lf_vec3_scale(lf_vec3_cross(u0, v0), 2), last = lf_vec3_scale(lf_vec3_cross(u1, v1), 2);
    lf_vec3 middle = lf_vec3_add(lf_vec3_cross(u0, v1), lf_vec3_cross(u1, v0));
    for (int k = 0; k < 3; k++) {
        side[k][0] = points_axis_of(first, k);
        side[k][1] = points_axis_of(middle, k);
        side[k][2] = points_axis_of(last, k);
    }
}

static void make_polynomials(const motion *m, bool edges, polynomials *all) {
    points_plane_of(m, all->plane);
    for (int i = 0; i < (edges ? EDGE_SIDES : POINT_SIDES); i++) {
        const int *order = edges ? edge_orders[i] : point_orders[i];
        lf_vec3 first = lf_vec3_sub(m->start[order[0]], m->start[order[1]]);
        lf_vec3 last = lf_vec3_sub(m->end[order[0]], m->end[order[1]]);
        double side[3][3];
        points_sides_of(m, edges ? edge_lines[i] : point_lines[i], side);
        for (int k = 0; k < 3; k++) {
            all->apart[k][i][0] = points_axis_of(first, k);
            all->apart[k][i][1] = points_axis_of(last, k);
            for (int j = 0; j < 3; j++)
                all->side[k][i][j] = side[k][j];
        }
    }
}

static doubts doubts_of(const motion *m) {
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < 3; k++) {
                most = fmax(most, fabs(points_axis_of(m->start[i], k) - points_axis_of(m->start[j], k)));
                most = fmax(most, fabs(points_axis_of(m->end[i], k) - points_axis_of(m->end[j], k)));
            }
    return (doubts){DOUBT_PLANE * most * most * most, DOUBT_SIDE * most * most, DOUBT_APART * most};
}

static int points_sign_of(double value, double doubt) {
    return (value > doubt) - (value < -doubt);
}

static int sign_of_all(const double *coefficients, int count, double doubt) {
    int sign = points_sign_of(coefficients[0], doubt);
    for (int i = 1; i < count; i++)
        if (points_sign_of(coefficients[i], doubt) != sign)
            return 0;
    return sign;
}

static void make_signs(const polynomials *all, const doubts *doubt, signs *out) {
    out->plane = sign_of_all(all->plane, 4, doubt->plane);
    out->plane_start = points_sign_of(all->plane[0], doubt->plane);
    out->plane_end = points_sign_of(all->plane[3], doubt->plane);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < MOST_SIDES; i++) {
            out->side[k][i] = sign_of_all(all->side[k][i], 3, doubt->side);
            out->apart[k][i] = sign_of_all(all->apart[k][i], 2, doubt->apart);
        }
}

/// One half of an interval: the coefficients there are means of the others.
static void points_halve(double *c, int degree, bool second) {
    for (int round = 0; round < degree; round++)
        if (second)
            for (int i = 0; i < degree - round; i++)
                c[i] = 0.5 * (c[i] + c[i + 1]);
        else
            for (int i = degree; i > round; i--)
                c[i] = 0.5 * (c[i] + c[i - 1]);
}

static void halve_all(polynomials *all, bool second) {
    points_halve(all->plane, 3, second);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < MOST_SIDES; i++) {
            points_halve(all->side[k][i], 2, second);
            points_halve(all->apart[k][i], 1, second);
        }
}

// ---------------------------------------------------------------------------------------------------
// Exactly
// ---------------------------------------------------------------------------------------------------

typedef struct exact_motion {
    lf__exact3 start[4], end[4];
} exact_motion;

static const lf__exact *exact_axis(const lf__exact3 *a, int axis) {
    return axis == 0 ? &a->x : axis == 1 ? &a->y : &a->z;
}

static void exact_minus3(const lf__exact3 *a, const lf__exact3 *b, lf__exact3 *difference) {
    lf__exact_minus(&a->x, &b->x, &difference->x);
    lf__exact_minus(&a->y, &b->y, &difference->y);
    lf__exact_minus(&a->z, &b->z, &difference->z);
}

static void exact_sum3(const lf__exact3 *a, const lf__exact3 *b, lf__exact3 *sum) {
    lf__exact_sum(&a->x, &b->x, &sum->x);
    lf__exact_sum(&a->y, &b->y, &sum->y);
    lf__exact_sum(&a->z, &b->z, &sum->z);
}

/// start + (end - start) * time, with time a double.
static void exact_place(const lf_vec3 *start, const lf_vec3 *end, const lf__exact *time, lf__exact3 *place) {
    lf__exact3 way, from;
    lf__exact3_difference(*end, *start, &way);
    lf__exact3_of(*start, &from);
    lf__exact_product(&way.x, time, &way.x);
    lf__exact_product(&way.y, time, &way.y);
    lf__exact_product(&way.z, time, &way.z);
    exact_sum3(&way, &from, place);
}

static int common_sign(const int *sign, int count) {
    for (int i = 1; i < count; i++)
        if (sign[i] != sign[0])
            return 0;
    return sign[0];
}

static void exact_apart(const exact_motion *m, bool edges, signs *out) {
    for (int i = 0; i < (edges ? EDGE_SIDES : POINT_SIDES); i++) {
        const int *order = edges ? edge_orders[i] : point_orders[i];
        lf__exact3 first, last;
        exact_minus3(&m->start[order[0]], &m->start[order[1]], &first);
        exact_minus3(&m->end[order[0]], &m->end[order[1]], &last);
        for (int k = 0; k < 3; k++) {
            int sign[2] = {lf__exact_sign(exact_axis(&first, k)), lf__exact_sign(exact_axis(&last, k))};
            out->apart[k][i] = common_sign(sign, 2);
        }
    }
}

/// a . (b x c), added to a sum.
static void add_determinant(const lf__exact3 *a, const lf__exact3 *b, const lf__exact3 *c, lf__exact *sum) {
    lf__exact3 cross;
    lf__exact value;
    lf__exact3_cross(b, c, &cross);
    lf__exact3_dot(a, &cross, &value);
    lf__exact_sum(sum, &value, sum);
}

static void exact_plane(const exact_motion *m, signs *out) {
    lf__exact3 s[3], e[3];
    lf__exact sum[4] = {{0}, {0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        exact_minus3(&m->start[i + 1], &m->start[0], &s[i]);
        exact_minus3(&m->end[i + 1], &m->end[0], &e[i]);
    }
    add_determinant(&s[0], &s[1], &s[2], &sum[0]);
    add_determinant(&e[0], &s[1], &s[2], &sum[1]);
    add_determinant(&s[0], &e[1], &s[2], &sum[1]);
    add_determinant(&s[0], &s[1], &e[2], &sum[1]);
    add_determinant(&s[0], &e[1], &e[2], &sum[2]);
    add_determinant(&e[0], &s[1], &e[2], &sum[2]);
    add_determinant(&e[0], &e[1], &s[2], &sum[2]);
    add_determinant(&e[0], &e[1], &e[2], &sum[3]);
    int sign[4];
    for (int i = 0; i < 4; i++)
        sign[i] = lf__exact_sign(&sum[i]);
    out->plane = common_sign(sign, 4);
    out->plane_start = sign[0];
    out->plane_end = sign[3];
}

static void exact_sides(const exact_motion *m, const int line[3], int i, signs *out) {
    lf__exact3 u0, u1, v0, v1, first, last, one, two;
    exact_minus3(&m->start[line[1]], &m->start[line[0]], &u0);
    exact_minus3(&m->end[line[1]], &m->end[line[0]], &u1);
    exact_minus3(&m->start[line[2]], &m->start[line[0]], &v0);
    exact_minus3(&m->end[line[2]], &m->end[line[0]], &v1);
    lf__exact3_cross(&u0, &v0, &first);
    lf__exact3_cross(&u1, &v1, &last);
    lf__exact3_cross(&u0, &v1, &one);
    lf__exact3_cross(&u1, &v0, &two);
    exact_sum3(&one, &two, &one);
    for (int k = 0; k < 3; k++) {
        int sign[3] = {lf__exact_sign(exact_axis(&first, k)), lf__exact_sign(exact_axis(&one, k)),
                       lf__exact_sign(exact_axis(&last, k))};
        out->side[k][i] = common_sign(sign, 3);
    }
}

/// The cheap tests first: the others run only when these do not decide.
static points_verdict verdict_exactly(const motion *m, bool edges, const lf__exact *from,
                                      const lf__exact *to) {
    exact_motion exact;
    signs all = {0};
    for (int i = 0; i < 4; i++) {
        exact_place(&m->start[i], &m->end[i], from, &exact.start[i]);
        exact_place(&m->start[i], &m->end[i], to, &exact.end[i]);
    }
    exact_apart(&exact, edges, &all);
    if (points_verdict_of(&all, edges) == APART)
        return APART;
    exact_plane(&exact, &all);
    if (all.plane != 0)
        return APART;
    for (int i = 0; i < (edges ? EDGE_SIDES : POINT_SIDES); i++)
        exact_sides(&exact, edges ? edge_lines[i] : point_lines[i], i, &all);
    return points_verdict_of(&all, edges);
}

/// An interval of time from `from`, of length 2^-depth.
typedef struct points_stretch {
    lf__exact from;
    int depth;
} points_stretch;

static void end_of(const points_stretch *now, double share, lf__exact *to) {
    lf__exact width;
    lf__exact_of(ldexp(share, -now->depth), &width);
    lf__exact_sum(&now->from, &width, to);
}

/// Find the first contact in an interval by exact arithmetic; false: there is none.
static bool search_exactly(const motion *m, bool edges, double from, int depth, double *time) {
    points_stretch stack[POINTS_DEEPEST + 2];
    int waiting = 0;
    lf__exact_of(from, &stack[0].from);
    stack[waiting++].depth = depth;
    for (int stretches = 0; waiting > 0; stretches++) {
        points_stretch now = stack[--waiting];
        lf__exact to;
        end_of(&now, 1, &to);
        points_verdict verdict = verdict_exactly(m, edges, &now.from, &to);
        if (verdict == APART)
            continue;
        *time = lf__exact_estimate(&now.from);
        if (now.depth >= POINTS_DEEPEST || stretches > EXACT_STRETCHES ||
            verdict_exactly(m, edges, &now.from, &now.from) != APART)
            return true;
        if (verdict == TOGETHER && now.depth >= POINTS_ENOUGH)
            return true;
        lf__exact middle;
        end_of(&now, 0.5, &middle);
        now.depth++;
        stack[waiting] = now;
        stack[waiting++].from = middle;
        stack[waiting++] = now;
    }
    lf__exact end;
    points_stretch whole = {{0}, depth};
    lf__exact_of(from, &whole.from);
    end_of(&whole, 1, &end);
    *time = from + ldexp(1, -depth);
    return verdict_exactly(m, edges, &end, &end) != APART;
}

// ---------------------------------------------------------------------------------------------------
// Both
// ---------------------------------------------------------------------------------------------------

typedef struct points_waiting {
    polynomials all;
    double from;
    int depth;
} points_waiting;

/// The first root of the plane's polynomial in an interval with a certain contact: never after it, and less
/// than 2^-POINTS_ENOUGH before it. Doubles narrow the interval while the sign of each half is certain; the
/// rest is decided exactly.
static double points_first_root(const motion *m, bool edges, const points_waiting *now, const doubts *doubt) {
    double plane[4] = {now->all.plane[0], now->all.plane[1], now->all.plane[2], now->all.plane[3]};
    double from = now->from;
    int depth = now->depth;
    while (depth < DEEP) {
        double half[4] = {plane[0], plane[1], plane[2], plane[3]};
        points_halve(half, 3, false);
        bool second = sign_of_all(half, 4, doubt->plane) != 0;
        if (!second && points_sign_of(half[0], doubt->plane) * points_sign_of(half[3], doubt->plane) >= 0)
            break;
        depth++;
        from += second ? ldexp(1, -depth) : 0;
        points_halve(plane, 3, second);
    }
    double time = from;
    if (depth < POINTS_ENOUGH)
        search_exactly(m, edges, from, depth, &time);
    return time;
}

/// Halving does not help: the plane's polynomial is within its error bound.
static bool is_doubtful(const polynomials *all, const doubts *doubt) {
    for (int i = 0; i < 4; i++)
        if (fabs(all->plane[i]) > 8 * doubt->plane)
            return false;
    return true;
}

static bool points_search(const motion *m, bool edges, double *time) {
    points_waiting stack[DEEP + 2];
    doubts doubt = doubts_of(m);
    int count = 1;
    stack[0] = (points_waiting){.from = 0, .depth = 0};
    make_polynomials(m, edges, &stack[0].all);
    while (count > 0) {
        points_waiting *now = &stack[--count];
        signs all;
        make_signs(&now->all, &doubt, &all);
        points_verdict verdict = points_verdict_of(&all, edges);
        if (verdict == APART)
            continue;
        if (verdict == TOGETHER) {
            *time = points_first_root(m, edges, now, &doubt);
            return true;
        }
        if (now->depth >= DEEP || is_doubtful(&now->all, &doubt)) {
            if (search_exactly(m, edges, now->from, now->depth, time))
                return true;
            continue;
        }
        points_waiting *second = &stack[count++], *first = &stack[count++];
        second->depth++;
        *first = *second;
        halve_all(&first->all, false);
        halve_all(&second->all, true);
        second->from += ldexp(1, -second->depth);
    }
    return false;
}

/// Coordinates scaled by a power of two so that the largest is about 1: polynomials stay far from overflow.
static bool points_prepare(const lf_vec3 start[4], const lf_vec3 end[4], motion *m) {
    double most = 0;
    for (int i = 0; i < 4; i++) {
        if (!lf_vec3_finite(start[i]) || !lf_vec3_finite(end[i]))
            return false;
        for (int k = 0; k < 3; k++)
            most = fmax(most, fmax(fabs(points_axis_of(start[i], k)), fabs(points_axis_of(end[i], k))));
    }
    int exponent = 0;
    frexp(most, &exponent);
    double scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    for (int i = 0; i < 4; i++) {
        m->start[i] = lf_vec3_scale(start[i], scale);
        m->end[i] = lf_vec3_scale(end[i], scale);
    }
    return true;
}

static lf_status points_find(const lf_vec3 start[4], const lf_vec3 end[4], bool edges,
                             lf_contact_result *meeting) {
    motion m;
    if (!start || !end || !meeting || !points_prepare(start, end, &m))
        return LF_BAD_ARGUMENT;
    double time = 1;
    *meeting = lf__no_meeting(1);
    if (!points_search(&m, edges, &time))
        return LF_OK;
    meeting->meets = true;
    meeting->time = time;
    lf_vec3 at[4];
    for (int i = 0; i < 4; i++)
        at[i] = lf_vec3_along(lf_vec3_scale(start[i], 1 - time), time, end[i]);
    lf_vec3 normal = edges ? lf_vec3_cross(lf_vec3_sub(at[1], at[0]), lf_vec3_sub(at[3], at[2]))
                           : lf_vec3_cross(lf_vec3_sub(at[2], at[1]), lf_vec3_sub(at[3], at[1]));
    double before = lf_vec3_dot(normal, lf_vec3_sub(start[edges ? 2 : 1], start[0]));
    if (time > 0)
        meeting->normal = lf_vec3_unit(before < 0 ? lf_vec3_scale(normal, -1) : normal);
    double along =
        edges ? lf_vec3_dot(lf_vec3_cross(lf_vec3_sub(at[2], at[0]), lf_vec3_sub(at[3], at[2])), normal) : 0;
    double length = lf_vec3_dot(normal, normal);
    along = along > 0 && length > 0 ? fmin(along / length, 1) : 0;
    meeting->point = lf_vec3_along(at[0], along, lf_vec3_sub(at[1], at[0]));
    return LF_OK;
}

lf_status lf_contact_points(lf_contact_elements elements, const lf_vec3 start[4], const lf_vec3 end[4],
                            lf_contact_result *meeting) {
    if (elements != LF_CONTACT_POINT_FACE && elements != LF_CONTACT_EDGES)
        return LF_BAD_ARGUMENT;
    return points_find(start, end, elements == LF_CONTACT_EDGES, meeting);
}
