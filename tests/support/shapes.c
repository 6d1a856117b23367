#include "shapes.h"
#include "nasty.h"
#include <landfall/io.h>
#include <math.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define SHAPE_NAME(name, text) text,
    SHAPE_LIST(SHAPE_NAME)
#undef SHAPE_NAME
};

static const char *const pose_names[] = {
#define SHAPE_NAME(name, text) text,
    SHAPE_POSE_LIST(SHAPE_NAME)
#undef SHAPE_NAME
};

const char *shape_pose_name(shape_pose_kind kind) {
    return pose_names[kind];
}

// ---------------------------------------------------------------------------------------------------
// Building blocks
// ---------------------------------------------------------------------------------------------------

static int64_t add_vertex(shape *shape, lf_vec3 v) {
    if (shape->vertex_count == shape->vertex_space) {
        shape->vertex_space = 2 * shape->vertex_space + 64;
        shape->vertices = realloc(shape->vertices, (size_t)shape->vertex_space * sizeof *shape->vertices);
        assert_non_null(shape->vertices);
    }
    shape->vertices[shape->vertex_count] = v;
    return shape->vertex_count++;
}

static void add_corners(shape *shape, int64_t a, int64_t b, int64_t c) {
    if (shape->triangle_count == shape->triangle_space) {
        shape->triangle_space = 2 * shape->triangle_space + 64;
        shape->corners =
            realloc(shape->corners, (size_t)(3 * shape->triangle_space) * sizeof *shape->corners);
        assert_non_null(shape->corners);
    }
    int64_t *corner = shape->corners + 3 * shape->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static void add_triangle(shape *shape, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    int64_t first = add_vertex(shape, a);
    add_vertex(shape, b);
    add_vertex(shape, c);
    add_corners(shape, first, first + 1, first + 2);
}

/// A box of twelve triangles, faces outwards.
static void add_box(shape *shape, lf_vec3 low, lf_vec3 high) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int64_t first = shape->vertex_count;
    for (int i = 0; i < 8; i++)
        add_vertex(shape, (lf_vec3){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
    for (int f = 0; f < 6; f++) {
        const int *c = faces[f];
        add_corners(shape, first + c[0], first + c[1], first + c[2]);
        add_corners(shape, first + c[0], first + c[2], first + c[3]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Kinds
// ---------------------------------------------------------------------------------------------------

static void make_soup(shape *shape, int64_t count, double size, lf_vec3 at, double reach,
                      test_random *random) {
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 middle = lf_vec3_add(at, nasty_real_vec(reach, random)), t[3];
        for (int c = 0; c < 3; c++)
            t[c] = lf_vec3_add(middle, nasty_real_vec(size, random));
        add_triangle(shape, t[0], t[1], t[2]);
    }
}

/// A trunk and leaves that hang in the air.
static void make_tree(shape *shape, int64_t count, test_random *random) {
    for (int i = 0; i < 6; i++) {
        double a = i, b = i + 1, r = 0.08;
        lf_vec3 p = {r * cos(a), r * sin(a), -1}, q = {r * cos(b), r * sin(b), -1};
        lf_vec3 up = {0, 0, 1.2};
        add_triangle(shape, p, q, lf_vec3_add(q, up));
        add_triangle(shape, p, lf_vec3_add(q, up), lf_vec3_add(p, up));
    }
    while (shape->triangle_count < count) {
        lf_vec3 at = nasty_real_vec(0.8, random);
        at.z = fabs(at.z);
        add_triangle(shape, at, lf_vec3_add(at, nasty_real_vec(0.15, random)),
                     lf_vec3_add(at, nasty_real_vec(0.15, random)));
    }
}

static void make_made(shape *shape, lf_made_kind kind, int64_t count) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    lf_made_polygons *made;
    def.kind = kind;
    def.polygon_count = count;
    assert_int_equal(lf_make_polygons(&def, &made, NULL), LF_OK);
    lf_polygons view = lf_made_polygons_view(made);
    for (int64_t i = 0; i < view.vertex_count; i++)
        add_vertex(shape, view.vertices[i]);
    for (int64_t i = 0; i < view.polygon_count; i++) {
        const int64_t *ring = view.corners + (view.starts ? view.starts[i] : 3 * i);
        int64_t size = view.starts ? view.starts[i + 1] - view.starts[i] : 3;
        for (int64_t k = 1; k + 1 < size; k++)
            add_corners(shape, ring[0], ring[k], ring[k + 1]);
    }
    lf_made_polygons_destroy(made);
}

static void make_boxes(shape *shape, int64_t count, test_random *random) {
    while (shape->triangle_count < count) {
        lf_vec3 low = nasty_whole_vec(2, random), size = nasty_whole_vec(1, random);
        lf_vec3 high = {low.x + 1 + fabs(size.x), low.y + 1 + fabs(size.y), low.z + 1 + fabs(size.z)};
        add_box(shape, low, high);
    }
}

static void make_nested(shape *shape, int64_t count) {
    for (int i = 1; shape->triangle_count < count; i++) {
        lf_vec3 high = {i, i, i};
        add_box(shape, lf_vec3_scale(high, -1), high);
    }
}

static void make_sheets(shape *shape, int64_t count, test_random *random) {
    while (shape->triangle_count < count) {
        int64_t axis = test_random_below(random, 3);
        double level = (double)test_random_below(random, 3) - 1;
        lf_vec3 t[3];
        for (int c = 0; c < 3; c++) {
            t[c] = nasty_whole_vec(2, random);
            *(axis == 0 ? &t[c].x : axis == 1 ? &t[c].y : &t[c].z) = level;
        }
        add_triangle(shape, t[0], t[1], t[2]);
    }
}

static void make_doubled(shape *shape, int64_t count, test_random *random) {
    while (shape->triangle_count < count) {
        lf_vec3 a = nasty_whole_vec(3, random), b = nasty_whole_vec(3, random),
                c = nasty_whole_vec(3, random);
        add_triangle(shape, a, b, c);
        add_triangle(shape, b, c, a);
        add_triangle(shape, a, c, b);
    }
}

static void make_flat(shape *shape, int64_t count, test_random *random) {
    while (shape->triangle_count < count) {
        lf_vec3 a = nasty_whole_vec(2, random), b = nasty_whole_vec(2, random);
        switch (test_random_below(random, 4)) {
        case 0:
            add_triangle(shape, a, a, a);
            break;
        case 1:
            add_triangle(shape, a, b, a);
            break;
        case 2:
            add_triangle(shape, a, lf_vec3_scale(lf_vec3_add(a, b), 0.5), b);
            break;
        default:
            add_triangle(shape, a, b, nasty_whole_vec(2, random));
        }
    }
}

static void make_needles(shape *shape, int64_t count, test_random *random) {
    while (shape->triangle_count < count) {
        lf_vec3 a = nasty_real_vec(1, random), b = nasty_real_vec(1, random);
        add_triangle(shape, a, b, lf_vec3_add(b, nasty_real_vec(1e-5, random)));
    }
}

static void make_mixed(shape *shape, int64_t count, test_random *random) {
    make_soup(shape, count / 2, 10, (lf_vec3){0, 0, 0}, 1, random);
    make_soup(shape, count - count / 2, 1e-5, (lf_vec3){0, 0, 0}, 1, random);
}

void shape_make(shape *shape, shape_kind kind, int64_t triangles, test_random *random) {
    memset(shape, 0, sizeof *shape);
    shape->name = names[kind];
    lf_vec3 here = {0, 0, 0};
    switch (kind) {
    case SHAPE_SOUP:
        make_soup(shape, triangles, 0.3, here, 1, random);
        break;
    case SHAPE_TREE:
        make_tree(shape, triangles, random);
        break;
    case SHAPE_KNOT:
        make_made(shape, LF_MADE_KNOT, triangles);
        break;
    case SHAPE_BALL:
        make_made(shape, LF_MADE_SPHERE, triangles);
        break;
    case SHAPE_BOXES:
        make_boxes(shape, triangles, random);
        break;
    case SHAPE_NESTED:
        make_nested(shape, triangles);
        break;
    case SHAPE_SHEETS:
        make_sheets(shape, triangles, random);
        break;
    case SHAPE_DOUBLED:
        make_doubled(shape, triangles, random);
        break;
    case SHAPE_FLAT:
        make_flat(shape, triangles, random);
        break;
    case SHAPE_NEEDLES:
        make_needles(shape, triangles, random);
        break;
    case SHAPE_MIXED:
        make_mixed(shape, triangles, random);
        break;
    case SHAPE_FAR:
        make_soup(shape, triangles, 30, (lf_vec3){1e8, -1e8, 1e8}, 100, random);
        break;
    case SHAPE_ONE:
    case SHAPE_KINDS:
        make_soup(shape, 1, 1, here, 0, random);
        break;
    }
}

bool shape_read(shape *shape, const char *relative) {
    memset(shape, 0, sizeof *shape);
    shape->name = relative;
    const char *path = test_data(relative);
    if (!path)
        return false;
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    lf_error error = {0};
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        fail_msg("%s: %s", path, error.text);
    lf_polygons view = lf_polygon_file_polygons(file);
    for (int64_t i = 0; i < view.vertex_count; i++)
        add_vertex(shape, view.vertices[i]);
    for (int64_t i = 0; i < view.polygon_count; i++) {
        const int64_t *ring = view.corners + (view.starts ? view.starts[i] : 3 * i);
        int64_t size = view.starts ? view.starts[i + 1] - view.starts[i] : 3;
        for (int64_t k = 1; k + 1 < size; k++)
            add_corners(shape, ring[0], ring[k], ring[k + 1]);
    }
    lf_polygon_file_close(file);
    return true;
}

void shape_free(shape *shape) {
    free(shape->corners);
    free(shape->vertices);
}

lf_polygons shape_polygons(const shape *shape) {
    return (lf_polygons){.vertices = shape->vertices,
                         .vertex_count = shape->vertex_count,
                         .corners = shape->corners,
                         .polygon_count = shape->triangle_count};
}

lf_vec3 shape_middle(const shape *shape, double *reach) {
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < 3 * shape->triangle_count; i++)
        box = lf_box_with(box, shape->vertices[shape->corners[i]]);
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    *reach = 0.5 * fmax(size.x, fmax(size.y, size.z));
    return lf_box_centre(box);
}

// ---------------------------------------------------------------------------------------------------
// Poses
// ---------------------------------------------------------------------------------------------------

lf_pose shape_random_pose(double reach, test_random *random) {
    lf_pose pose;
    lf_vec3 axis = nasty_real_vec(1, random);
    if (lf_vec3_length(axis) < 1e-3)
        axis = (lf_vec3){0, 0, 1};
    double angle = test_random_between(random, -4, 4);
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, axis, angle, &pose), LF_OK);
    pose.translation = nasty_real_vec(reach, random);
    return pose;
}

/// Quarter turns: rows are whole, so nothing is rounded.
static lf_pose quarter_turns(test_random *random) {
    lf_pose pose = lf_pose_identity();
    static const lf_pose turns[3] = {{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {0, 0, 0}},
                                     {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {0, 0, 0}},
                                     {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {0, 0, 0}}};
    for (int64_t n = test_random_below(random, 4); n > 0; n--)
        pose = lf_pose_then(&pose, &turns[test_random_below(random, 3)]);
    return pose;
}

/// Turned anyhow about b's middle, which comes to lie so far from a's middle.
static lf_pose around(const shape *a, const lf_pose *a_pose, const shape *b, double distance,
                      test_random *random) {
    double reach_a, reach_b;
    lf_vec3 there = lf_pose_to_world(a_pose, shape_middle(a, &reach_a)), middle = shape_middle(b, &reach_b);
    lf_pose pose = shape_random_pose(0, random);
    lf_vec3 way = lf_vec3_unit(nasty_real_vec(1, random));
    lf_vec3 target = lf_vec3_along(there, distance * (reach_a + reach_b), way);
    pose.translation = lf_vec3_sub(target, lf_pose_turn_to_world(&pose, middle));
    return pose;
}

lf_pose shape_pose(shape_pose_kind kind, const shape *a, const lf_pose *a_pose, const shape *b,
                   test_random *random) {
    lf_pose pose = *a_pose, turn;
    switch (kind) {
    case POSE_RANDOM:
        return around(a, a_pose, b, test_random_between(random, 0, 0.8), random);
    case POSE_NEAR:
        return around(a, a_pose, b, test_random_between(random, 0.6, 1.5), random);
    case POSE_WHOLE:
        pose = quarter_turns(random);
        pose.translation = lf_vec3_scale(nasty_whole_vec(6, random), 0.5);
        return pose;
    case POSE_SAME:
    case SHAPE_POSES:
        return pose;
    case POSE_NUDGED:
        if (test_random_below(random, 2))
            pose.translation = nasty_nudge(pose.translation, random);
        else
            pose.translation = lf_vec3_along(pose.translation, 1e-6, nasty_real_vec(1, random));
        return pose;
    case POSE_SLIGHT:
        break;
    }
    double reach;
    lf_vec3 middle = lf_pose_to_world(a_pose, shape_middle(a, &reach));
    double angle = test_random_between(random, -1e-7, 1e-7);
    assert_int_equal(lf_pose_turn(middle, (lf_vec3){1, 2, 3}, angle, &turn), LF_OK);
    return lf_pose_then(&pose, &turn);
}
