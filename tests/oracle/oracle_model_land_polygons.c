/// Models on polygons and groups: how deep the deepest point is, against points in every place where the depth could be
/// greatest, each asked of lf_ground_height.
#include "model/model.h"
#include "nasty_grid.h"
#include "shapes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3, FACES_MOST = 240 };

/// A ground of one mesh, or a group of meshes and grids.
typedef struct world {
    const char *name;
    lf_frame frame;
    lf_mesh *meshes[PARTS];
    lf_grid *grid;
    nasty_grid nasty;
    bool has_grid;
    const lf_ground *grounds[PARTS + 1];
    lf_group *group;
    const lf_ground *ground; ///< what is asked
    lf_model *model;
    lf_vec3 faces[FACES_MOST][3]; ///< all triangles of the ground, as they stand
    int face_count;
} world;

typedef struct tally {
    int64_t asked, under, beyond_corners, wrong;
} tally;

// ---------------------------------------------------------------------------------------------------
// Grounds
// ---------------------------------------------------------------------------------------------------

static void add_face(world *w, lf_vec3 a, lf_vec3 b, lf_vec3 c, const lf_pose *pose) {
    assert_true(w->face_count < FACES_MOST);
    lf_vec3 *face = w->faces[w->face_count++];
    face[0] = lf_pose_to_world(pose, a), face[1] = lf_pose_to_world(pose, b);
    face[2] = lf_pose_to_world(pose, c);
}

/// A triangle of a grid exists where its corners have heights.
static void add_triangle(world *w, lf_vec3 a, lf_vec3 b, lf_vec3 c, const lf_pose *pose) {
    if (!isnan(a.z) && !isnan(b.z) && !isnan(c.z))
        add_face(w, a, b, c, pose);
}

/// Rolling ground of 4 x 4 squares, whole numbers, its front up.
static void make_rolling(shape *shape, test_random *random) {
    enum { SIDE = 5 };
    shape->vertices = test_space(SIDE * SIDE, sizeof *shape->vertices);
    shape->corners = test_space(6 * (SIDE - 1) * (SIDE - 1), sizeof *shape->corners);
    shape->vertex_count = SIDE * SIDE;
    shape->triangle_count = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        shape->vertices[i] =
            (lf_vec3){i % SIDE - 2.0, i / SIDE - 2.0, (double)test_random_below(random, 4) / 2};
    for (int64_t i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
        int64_t a = i % (SIDE - 1) + i / (SIDE - 1) * SIDE, *corner = shape->corners + 6 * i;
        corner[0] = a, corner[1] = a + 1, corner[2] = a + SIDE + 1;
        corner[3] = a, corner[4] = a + SIDE + 1, corner[5] = a + SIDE;
        shape->triangle_count += 2;
    }
}

static void add_mesh(world *w, int index, const lf_pose *pose, const lf_frame *frame, test_random *random) {
    static const shape_kind kinds[] = {SHAPE_SOUP, SHAPE_BOXES, SHAPE_NESTED, SHAPE_SHEETS, SHAPE_DOUBLED};
    shape shape = {0};
    int64_t which = test_random_below(random, 7);
    if (which >= 5)
        make_rolling(&shape, random);
    else
        shape_make(&shape, kinds[which], 14, random);
    for (int64_t i = 0; i < shape.vertex_count && which < 5; i++)
        shape.vertices[i] = lf_vec3_scale(shape.vertices[i], 2);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = shape_polygons(&shape);
    def.frame = *frame;
    assert_int_equal(lf_mesh_create(&def, &w->meshes[index], NULL), LF_OK);
    w->grounds[index] = lf_mesh_ground(w->meshes[index]);
    for (int64_t i = 0; i < shape.triangle_count; i++)
        add_face(w, shape.vertices[shape.corners[3 * i]], shape.vertices[shape.corners[3 * i + 1]],
                 shape.vertices[shape.corners[3 * i + 2]], pose);
    w->name = shape.name ? shape.name : "rolling ground";
    shape_free(&shape);
}

static void add_grid(world *w, const lf_pose *pose, test_random *random) {
    lf_surface surfaces[] = {LF_SURFACE_RISING, LF_SURFACE_FALLING, LF_SURFACE_ALTERNATING};
    nasty_grid_make(&w->nasty, NASTY_RELIEF_EIGHTHS, surfaces[test_random_below(random, 3)], 4, random);
    w->nasty.def.extend = false;
    nasty_grid_place_plainly(&w->nasty);
    assert_int_equal(lf_grid_create(&w->nasty.def, &w->grid, NULL), LF_OK);
    w->grounds[PARTS] = lf_grid_ground(w->grid);
    w->has_grid = true;
    lf_grid_info info = lf_grid_describe(w->grid);
    for (int64_t j = 0; j + 1 < info.rows; j++)
        for (int64_t i = 0; i + 1 < info.columns; i++) {
            lf_vec3 p[4];
            for (int k = 0; k < 4; k++)
                p[k] = (lf_vec3){(double)(i + (k & 1)), (double)(j + k / 2),
                                 lf_grid_sample(w->grid, i + (k & 1), j + k / 2)};
            bool falls = info.surface == LF_SURFACE_FALLING ||
                         (info.surface == LF_SURFACE_ALTERNATING && (i + j) % 2 == 0);
            if (w->face_count + 2 > FACES_MOST) // the others' edges are missed, their heights are not
                continue;
            add_triangle(w, p[0], p[1], falls ? p[2] : p[3], pose);
            add_triangle(w, falls ? p[1] : p[0], p[3], p[2], pose);
        }
}

static lf_pose some_part_pose(test_random *random) {
    lf_pose pose = lf_pose_identity();
    if (test_random_below(random, 2))
        pose = shape_random_pose(1, random);
    else
        pose.translation =
            (lf_vec3){(double)test_random_below(random, 3) - 1, (double)test_random_below(random, 3) - 1,
                      (double)test_random_below(random, 3) - 1};
    return pose;
}

static void make_group(world *w, test_random *random) {
    lf_group_part parts[PARTS + 1];
    lf_group_def def = lf_group_def_default();
    lf_frame plain = lf_frame_default();
    def.parts = parts;
    def.part_count = 1 + test_random_below(random, PARTS);
    for (int i = 0; i < def.part_count; i++) {
        parts[i].pose = some_part_pose(random);
        add_mesh(w, i, &parts[i].pose, &plain, random);
        parts[i].ground = w->grounds[i];
    }
    if (test_random_below(random, 2)) {
        lf_group_part *part = &parts[def.part_count++];
        part->pose = some_part_pose(random);
        add_grid(w, &part->pose, random);
        part->ground = w->grounds[PARTS];
    }
    assert_int_equal(lf_group_create(&def, &w->group, NULL), LF_OK);
    w->ground = lf_group_ground(w->group);
}

static void open_world(world *w, bool group, test_random *random) {
    shape_kind kinds[] = {SHAPE_SOUP, SHAPE_BOXES, SHAPE_NESTED, SHAPE_SHEETS, SHAPE_DOUBLED, SHAPE_ONE};
    lf_pose still = lf_pose_identity();
    memset(w, 0, sizeof *w);
    w->frame = lf_frame_default();
    if (group) {
        make_group(w, random);
    } else {
        if (test_random_below(random, 3) == 0)
            assert_int_equal(lf_frame_gravity((lf_vec3){0.5, -0.25, -1}, &w->frame), LF_OK);
        add_mesh(w, 0, &still, &w->frame, random);
        w->ground = w->grounds[0];
    }
    shape shape;
    shape_make(&shape, kinds[test_random_below(random, 6)], 8, random);
    lf_model_def def = lf_model_def_default();
    def.polygons = shape_polygons(&shape);
    assert_int_equal(lf_model_create(&def, &w->model, NULL), LF_OK);
    shape_free(&shape);
}

static void close_world(world *w) {
    lf_model_destroy(w->model);
    if (w->group) {
        lf_group_destroy(w->group);
    }
    for (int i = 0; i < PARTS; i++)
        lf_mesh_destroy(w->meshes[i]);
    if (w->has_grid) {
        lf_grid_destroy(w->grid);
        nasty_grid_free(&w->nasty);
    }
}

// ---------------------------------------------------------------------------------------------------
// Points
// ---------------------------------------------------------------------------------------------------

/// How deep a point is, as lf_model_land has it. Several faces in one place may look up and down: then it is as deep as `ties` says,
/// or not; and so where ground is so close to the point that rounding decides on which side it is.
static double depth_at(const world *w, lf_vec3 point, double reach, bool ties) {
    enum { SPACE = 64 };
    static const double close = 1e-7;
    lf_hit hits[SPACE];
    int64_t count, fronts = 0, backs = 0;
    double nearest = INFINITY;
    lf_vec3 down = lf_frame_down(&w->frame, point);
    assert_true(lf_ground_height_all(w->ground, point, hits, SPACE, &count, NULL) >= LF_OK);
    count = count < SPACE ? count : SPACE;
    for (int64_t i = 0; i < count; i++) {
        if (fabs(hits[i].t) < close && !ties)
            return -1;
        if (hits[i].t < -close)
            nearest = fmin(nearest, -hits[i].t);
    }
    if (nearest > reach)
        return 0;
    for (int64_t i = 0; i < count; i++)
        if (fabs(-hits[i].t - nearest) < close)
            *(lf_vec3_dot(hits[i].normal, down) < 0 ? &fronts : &backs) += 1;
    return fronts > 0 && (ties || backs == 0) ? nearest : 0;
}

/// A triangle of the model as it stands, and the deepest of the points that were tried.
typedef struct trial {
    const world *w;
    lf_vec3
        corners[3]; ///< drawn in a little, so that points on them are in the triangle whatever rounding does
    lf_vec3 local[3]; ///< the same where down is -z
    double reach, deepest;
    bool ties;
} trial;

static lf_vec3 point_in(const trial *t, double u, double v) {
    lf_vec3 p = lf_vec3_along(t->corners[0], u, lf_vec3_sub(t->corners[1], t->corners[0]));
    return lf_vec3_along(p, v, lf_vec3_sub(t->corners[2], t->corners[0]));
}

static double depth_in(const trial *t, double u, double v) {
    return depth_at(t->w, point_in(t, u, v), t->reach, t->ties);
}

/// An upright triangle may be exactly below the border of the ground: then rounding decides for all of its points. Do those on both of
/// its sides see the same?
static bool seen_beside(const trial *t, lf_vec3 p, double depth) {
    lf_vec3 n =
        lf_vec3_cross(lf_vec3_sub(t->corners[1], t->corners[0]), lf_vec3_sub(t->corners[2], t->corners[0]));
    n = lf_vec3_scale(n, 1 / lf_vec3_length(n));
    if (fabs(lf_vec3_dot(n, lf_frame_down(&t->w->frame, p))) > 1e-6)
        return true;
    return depth_at(t->w, lf_vec3_along(p, 1e-8, n), t->reach, false) >= depth - 1e-3 &&
           depth_at(t->w, lf_vec3_along(p, -1e-8, n), t->reach, false) >= depth - 1e-3;
}

/// What only one point sees is seen because that point is rounded, unless ties count.
static void try_point(trial *t, double u, double v) {
    static const double near = 1e-8;
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return;
    double depth = depth_in(t, u, v);
    if (!(depth > t->deepest))
        return;
    for (int k = 0; k < 4 && !t->ties; k++) {
        double du = k < 2 ? near * (2 * k - 1) : 0, dv = k < 2 ? 0 : near * (2 * k - 5);
        if (depth_in(t, u + du, v + dv) < depth - fmin(1e-3, 0.5 * depth))
            return;
    }
    if (t->ties || seen_beside(t, point_in(t, u, v), depth))
        t->deepest = depth;
}

/// A place of the triangle, and next to it in all directions.
static void try_around(trial *t, double u, double v) {
    static const double near = 1e-6;
    if (!(u > -near && v > -near && u + v < 1 + near))
        return;
    for (int k = 0; k < 9; k++)
        try_point(t, u + near * (k % 3 - 1), v + near * (k / 3 - 1));
}

/// Where the upright plane through an edge of the ground crosses the triangle's edges, and the ends of the edge the triangle; seen
/// from above.
static bool place_in_triangle(const trial *t, lf_vec3 p, double *u, double *v) {
    lf_vec3 a = t->local[0], b = lf_vec3_sub(t->local[1], a), c = lf_vec3_sub(t->local[2], a);
    double area = b.x * c.y - b.y * c.x;
    if (fabs(area) < 1e-9)
        return false;
    *u = ((p.x - a.x) * c.y - (p.y - a.y) * c.x) / area;
    *v = (b.x * (p.y - a.y) - b.y * (p.x - a.x)) / area;
    return true;
}

/// The crossing of two segments seen from above, as a share of the first; NAN without any.
static double crossing(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d) {
    double dx = b.x - a.x, dy = b.y - a.y, ex = d.x - c.x, ey = d.y - c.y, turn = dx * ey - dy * ex;
    if (fabs(turn) < 1e-12)
        return NAN;
    double s = ((c.x - a.x) * ey - (c.y - a.y) * ex) / turn;
    double r = ((c.x - a.x) * dy - (c.y - a.y) * dx) / turn;
    return s > -1e-9 && s < 1 + 1e-9 && r > -1e-9 && r < 1 + 1e-9 ? s : NAN;
}

static void try_over(trial *t, lf_vec3 p) {
    double u, v;
    if (place_in_triangle(t, p, &u, &v))
        try_around(t, u, v);
}

/// Where an edge of the ground passes through the plane of the triangle.
static void try_through(trial *t, lf_vec3 p, lf_vec3 q) {
    lf_vec3 a = t->local[0];
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(t->local[1], a), lf_vec3_sub(t->local[2], a));
    double at_p = lf_vec3_dot(n, lf_vec3_sub(p, a)), at_q = lf_vec3_dot(n, lf_vec3_sub(q, a));
    if (at_p * at_q < 0)
        try_over(t, lf_vec3_along(p, at_p / (at_p - at_q), lf_vec3_sub(q, p)));
}

/// One edge of the ground against all others and the triangle's own.
static void try_edge(trial *t, int face, int edge) {
    const world *w = t->w;
    lf_vec3 p = lf_frame_to_local(&w->frame, w->faces[face][edge]);
    lf_vec3 q = lf_frame_to_local(&w->frame, w->faces[face][(edge + 1) % 3]);
    try_over(t, p);
    try_through(t, p, q);
    for (int k = 0; k < 3; k++) {
        double s = crossing(t->local[k], t->local[(k + 1) % 3], p, q);
        if (isnan(s))
            continue;
        static const double u[3] = {0, 1, 0}, v[3] = {0, 0, 1};
        int next = (k + 1) % 3;
        try_around(t, u[k] + s * (u[next] - u[k]), v[k] + s * (v[next] - v[k]));
    }
    for (int other = face + 1; other < w->face_count; other++)
        for (int k = 0; k < 3; k++) {
            lf_vec3 c = lf_frame_to_local(&w->frame, w->faces[other][k]);
            lf_vec3 d = lf_frame_to_local(&w->frame, w->faces[other][(k + 1) % 3]);
            double s = crossing(p, q, c, d);
            if (!isnan(s))
                try_over(t, lf_vec3_along(p, s, lf_vec3_sub(q, p)));
        }
}

static void try_triangle(trial *t) {
    enum { SAMPLES = 8 };
    lf_vec3 middle =
        lf_vec3_scale(lf_vec3_add(t->corners[0], lf_vec3_add(t->corners[1], t->corners[2])), 1 / 3.0);
    for (int c = 0; c < 3; c++) {
        t->corners[c] = lf_vec3_along(t->corners[c], 1e-7, lf_vec3_sub(middle, t->corners[c]));
        t->local[c] = lf_frame_to_local(&t->w->frame, t->corners[c]);
    }
    for (int a = 0; a <= SAMPLES; a++)
        for (int b = 0; a + b <= SAMPLES; b++)
            try_point(t, (double)a / SAMPLES, (double)b / SAMPLES);
    for (int face = 0; face < t->w->face_count; face++)
        for (int edge = 0; edge < 3; edge++)
            try_edge(t, face, edge);
}

// ---------------------------------------------------------------------------------------------------
// Comparing
// ---------------------------------------------------------------------------------------------------

static void complain(const world *w, const lf_pose *pose, const char *what, tally *tally) {
    if (tally->wrong++ == 0)
        printf("%s: %s%s, at {%.17g, %.17g, %.17g}\n", what, w->group ? "a group with " : "", w->name,
               pose->translation.x, pose->translation.y, pose->translation.z);
}

/// Lines in the plane of a triangle that pass through its deepest point: what a look upwards meets changes only there.
typedef struct fan {
    trial t;
    double u, v;                                ///< the point
    double angles[8 * FACES_MOST * FACES_MOST]; ///< of the lines, in u and v; two for each
    int64_t count;
} fan;

/// A linear function of a place, given by its values at the corners of the triangle.
static void add_line(fan *f, double at_0, double at_1, double at_2) {
    double along_u = at_1 - at_0, along_v = at_2 - at_0;
    if (fabs(at_0 + f->u * along_u + f->v * along_v) > 1e-6)
        return;
    f->angles[f->count] = atan2(along_u, -along_v);
    f->angles[f->count + 1] = f->angles[f->count] <= 0 ? f->angles[f->count] + 3.141592653589793
                                                       : f->angles[f->count] - 3.141592653589793;
    f->count += 2;
}

static double beside_edge(lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// How far a face's plane is above a place; false for walls.
static bool plane_over(const world *w, int face, const lf_vec3 places[3], double heights[3]) {
    lf_vec3 c[3];
    for (int k = 0; k < 3; k++)
        c[k] = lf_frame_to_local(&w->frame, w->faces[face][k]);
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0]));
    if (fabs(n.z) < 1e-9)
        return false;
    for (int k = 0; k < 3; k++)
        heights[k] = lf_vec3_dot(n, lf_vec3_sub(c[0], places[k])) / n.z;
    return true;
}

static void add_lines(fan *f) {
    const world *w = f->t.w;
    const lf_vec3 *p = f->t.local;
    add_line(f, 0, 1, 0), add_line(f, 0, 0, 1), add_line(f, 1, 0, 0); // of the triangle's own edges
    for (int i = 0; i < w->face_count; i++) {
        double h[3], other[3];
        for (int k = 0; k < 3; k++) {
            lf_vec3 a = lf_frame_to_local(&w->frame, w->faces[i][k]);
            lf_vec3 b = lf_frame_to_local(&w->frame, w->faces[i][(k + 1) % 3]);
            add_line(f, beside_edge(a, b, p[0]), beside_edge(a, b, p[1]), beside_edge(a, b, p[2]));
        }
        if (!plane_over(w, i, p, h))
            continue;
        add_line(f, h[0], h[1], h[2]);
        add_line(f, h[0] - f->t.reach, h[1] - f->t.reach, h[2] - f->t.reach);
        for (int j = 0; j < i; j++)
            if (plane_over(w, j, p, other))
                add_line(f, h[0] - other[0], h[1] - other[1], h[2] - other[2]);
    }
}

static int by_angle(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Where a point is in the triangle.
static void find_place(fan *f, lf_vec3 p) {
    lf_vec3 b = lf_vec3_sub(f->t.corners[1], f->t.corners[0]),
            c = lf_vec3_sub(f->t.corners[2], f->t.corners[0]);
    lf_vec3 d = lf_vec3_sub(p, f->t.corners[0]);
    double bb = lf_vec3_dot(b, b), bc = lf_vec3_dot(b, c), cc = lf_vec3_dot(c, c), area = bb * cc - bc * bc;
    double bd = lf_vec3_dot(b, d), cd = lf_vec3_dot(c, d);
    f->u = (cc * bd - bc * cd) / area;
    f->v = (bb * cd - bc * bd) / area;
}

static bool has_area(const lf_vec3 c[3]) {
    return lf_vec3_length(lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0]))) > 1e-6;
}

/// On a triangle without area, along which its points are: is the point, or one next to it, that deep?
static bool is_that_deep_on_line(const fan *f, lf_vec3 p, double depth) {
    lf_vec3 along = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        lf_vec3 edge = lf_vec3_sub(f->t.corners[(k + 1) % 3], f->t.corners[k]);
        along = lf_vec3_dot(edge, edge) > lf_vec3_dot(along, along) ? edge : along;
    }
    for (double far = 1e-4; far > 1e-9; far /= 4)
        if (depth_at(f->t.w, lf_vec3_along(p, far, along), f->t.reach, true) > depth - 1e-3 ||
            depth_at(f->t.w, lf_vec3_along(p, -far, along), f->t.reach, true) > depth - 1e-3)
            return true;
    return depth_at(f->t.w, p, f->t.reach, true) > depth - 1e-3;
}

/// Is the point, or one next to it, that deep? Ground may end right there, so one point between each two lines is tried.
static bool is_that_deep(const world *w, const lf_pose *pose, const lf_model_landing *landing, double reach) {
    static fan f;
    f.t = (trial){.w = w, .reach = reach * (1 + 1e-9), .ties = true};
    f.count = 0;
    assert_int_equal(lf_model_triangle(w->model, landing->triangle, f.t.corners, NULL), LF_OK);
    for (int c = 0; c < 3; c++) {
        f.t.corners[c] = lf_pose_to_world(pose, f.t.corners[c]);
        f.t.local[c] = lf_frame_to_local(&w->frame, f.t.corners[c]);
    }
    if (!has_area(f.t.corners))
        return is_that_deep_on_line(&f, landing->deepest, landing->depth);
    find_place(&f, landing->deepest);
    add_lines(&f);
    qsort(f.angles, (size_t)f.count, sizeof *f.angles, by_angle);
    f.t.deepest = depth_at(w, landing->deepest, f.t.reach, true);
    for (double far = 1e-4; far > 1e-9; far /= 4)
        for (int64_t i = 0; i < f.count; i++) {
            double next = i + 1 < f.count ? f.angles[i + 1] : f.angles[0] + 6.283185307179586;
            double angle = f.angles[i] + (next - f.angles[i]) / 2;
            try_point(&f.t, f.u + far * cos(angle), f.v + far * sin(angle));
        }
    return f.t.deepest > landing->depth - 1e-3;
}

static void oracle_depth(const world *w, const lf_pose *pose, const lf_model_landing *landing, tally *tally) {
    lf_model_info info = lf_model_describe(w->model);
    double deepest = 0, corner_deepest = 0, scale = 1e-9;
    for (int64_t i = 0; i < info.triangle_count; i++) {
        trial t = {.w = w, .reach = 2 * info.radius};
        assert_int_equal(lf_model_triangle(w->model, i, t.corners, NULL), LF_OK);
        for (int c = 0; c < 3; c++) {
            t.corners[c] = lf_pose_to_world(pose, t.corners[c]);
            corner_deepest = fmax(corner_deepest, depth_at(w, t.corners[c], t.reach, true));
        }
        if (!has_area(t.corners)) // rounding moves points off it
            continue;
        try_triangle(&t);
        deepest = fmax(deepest, t.deepest);
    }
    if (landing->depth < deepest - scale)
        complain(w, pose, "a point is deeper", tally);
    tally->beyond_corners += landing->depth > corner_deepest + 1e-3;
    if (landing->depth <= 1e-6)
        return;
    if (!is_that_deep(w, pose, landing, 2 * info.radius))
        complain(w, pose, "the deepest point is not that deep", tally);
    lf_model_distance nearest;
    assert_int_equal(lf_model_nearest_to(w->model, pose, landing->deepest, &nearest, NULL), LF_OK);
    if (nearest.distance > scale)
        complain(w, pose, "the deepest point is not of the model", tally);
    lf_vec3 up = lf_vec3_sub(landing->surface, landing->deepest),
            down = lf_frame_down(&w->frame, landing->deepest);
    if (lf_vec3_length(lf_vec3_along(up, landing->depth, down)) > scale)
        complain(w, pose, "the surface is not over the deepest point", tally);
}

static void oracle(const world *w, test_random *random, tally *tally) {
    lf_model_stand stand = {w->model, lf_pose_identity(), w->ground, NULL, 0};
    lf_model_landing landing;
    if (test_random_below(random, 2))
        stand.pose = shape_random_pose(2, random);
    else
        for (int k = 0; k < 3; k++)
            (&stand.pose.translation.x)[k] = (double)test_random_below(random, 5) - 2;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    lf_model_landing any; // found by a search for any point, not for the deepest
    int64_t first = -1, count;
    stand.under = &first;
    stand.under_capacity = 1;
    lf_status status = lf__model_land(&stand, true, &any, NULL);
    count = any.under_count;
    assert_int_equal(status, count > 1 ? LF_PARTIAL : LF_OK);
    assert_true((first >= 0) == (count > 0));
    tally->asked++;
    tally->under += landing.depth > 0;
    if (count != landing.under_count || (landing.depth > 0) != (count > 0))
        complain(w, &stand.pose, "the two calls do not count the same", tally);
    oracle_depth(w, &stand.pose, &landing, tally);
}

static void run(bool group, int64_t rounds, uint64_t salt) {
    test_random random = test_random_start(salt);
    tally tally = {0};
    for (int64_t round = 0; round < test_rounds(rounds); round++) {
        static world w;
        open_world(&w, group, &random);
        for (int i = 0; i < 3; i++)
            oracle(&w, &random, &tally);
        close_world(&w);
    }
    printf("models on %s: %lld poses, %lld under, %lld deepest between corners, %lld wrong\n",
           group ? "groups" : "polygons", (long long)tally.asked, (long long)tally.under,
           (long long)tally.beyond_corners, (long long)tally.wrong);
    assert_true(tally.under > 0 && tally.beyond_corners > 0);
    assert_int_equal(tally.wrong, 0);
}

static void models_on_polygons(void **state) {
    (void)state;
    run(false, 40, 772);
}

static void models_on_groups(void **state) {
    (void)state;
    run(true, 20, 773);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_on_polygons),
                                       cmocka_unit_test(models_on_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
