/// Getting two trees ready for each other.
#include "bvh/bvh.h"
#include "geom/geometry.h"

/// Times the sizes of both trees: floats of boxes carried from one frame to the other lose less than 40 units
/// of 2^-24.
#define FLOAT_PAD 0x1p-18

/// Times the largest coordinates: vertices carried in doubles, and leaves' own origins.
#define DOUBLE_PAD 0x1p-48

/// The instruction set that a tree was made for.
static lf_isa isa_of(const lf__bvh *tree) {
    return tree->kernels == lf__bvh_kernels_for(LF_ISA_SCALAR) ? LF_ISA_SCALAR : LF_ISA_AVX2;
}

bool lf__pair_touch(lf__pair_walk *walk, const lf__bvh_leaf *a, unsigned lane_a, const lf__bvh_leaf *b,
                    unsigned lane_b) {
    lf_vec3 p[3], q[3];
    walk->cost.exact++;
    for (int c = 0; c < 3; c++) {
        p[c] = walk->a->vertices[a->vertex[lane_a][c]];
        q[c] = lf_pose_to_world(walk->pose, walk->b->vertices[b->vertex[lane_b][c]]);
    }
    return lf__triangles_touch(p, q);
}

/// Where two trees are, as arrays.
typedef struct roots {
    double a[3], b[3];    ///< half extents of the boxes from the origins
    double shift[3];      ///< of b's origin from a's, in a's frame
    double shift_back[3]; ///< of a's origin from b's, in b's frame
} roots;

static void bvh_pairs_put(double to[3], lf_vec3 v) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

/// The extent of a tree from its origin along each axis; edits may have grown it to one side.
static void put_reach(double to[3], const lf__bvh *tree) {
    lf_vec3 up = lf_vec3_sub(tree->box.high, tree->origin), down = lf_vec3_sub(tree->origin, tree->box.low);
    to[0] = up.x > down.x ? up.x : down.x;
    to[1] = up.y > down.y ? up.y : down.y;
    to[2] = up.z > down.z ? up.z : down.z;
}

static void place_roots(lf__pair_walk *walk, roots *roots) {
    const lf__bvh *a = walk->a, *b = walk->b;
    double origin_a[3], origin_b[3];
    for (int i = 0; i < 3; i++)
        bvh_pairs_put(walk->turn[i], walk->pose->rows[i]);
    bvh_pairs_put(walk->shift, walk->pose->translation);
    bvh_pairs_put(origin_a, a->origin);
    bvh_pairs_put(origin_b, b->origin);
    put_reach(roots->a, a);
    put_reach(roots->b, b);
    for (int i = 0; i < 3; i++) {
        const double *row = walk->turn[i];
        double at = row[0] * origin_b[0] + row[1] * origin_b[1] + row[2] * origin_b[2];
        roots->shift[i] = at + walk->shift[i] - origin_a[i];
    }
    for (int i = 0; i < 3; i++)
        roots->shift_back[i] = -(walk->turn[0][i] * roots->shift[0] + walk->turn[1][i] * roots->shift[1] +
                                 walk->turn[2][i] * roots->shift[2]);
}

static void set_frames(lf__pair_walk *walk, const roots *roots) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            float half = (float)(0.5 * walk->turn[i][k]);
            walk->into_a.turn[i][k] = walk->into_b.turn[k][i] = half;
            walk->into_a.spread[i][k] = walk->into_b.spread[k][i] = fabsf(half);
        }
        walk->into_a.shift[i] = (float)roots->shift[i];
        walk->into_b.shift[i] = (float)roots->shift_back[i];
    }
}

/// Are the boxes of both trees apart along an axis of either? With a margin for rounding.
static bool roots_apart(const lf__pair_walk *walk, const roots *roots) {
    double pad = (double)walk->pad;
    for (int i = 0; i < 3; i++) {
        const double *row = walk->turn[i];
        double of_b = fabs(row[0]) * roots->b[0] + fabs(row[1]) * roots->b[1] + fabs(row[2]) * roots->b[2];
        if (fabs(roots->shift[i]) > roots->a[i] + of_b + pad)
            return true;
    }
    for (int i = 0; i < 3; i++) {
        double of_a = fabs(walk->turn[0][i]) * roots->a[0] + fabs(walk->turn[1][i]) * roots->a[1] +
                      fabs(walk->turn[2][i]) * roots->a[2];
        if (fabs(roots->shift_back[i]) > roots->b[i] + of_a + pad)
            return true;
    }
    return false;
}

static double bvh_pairs_largest(const double v[3]) {
    double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]), xy = x > y ? x : y;
    return xy > z ? xy : z;
}

bool lf__bvh_pairs(const lf__bvh *a, const lf__bvh *b, const lf_pose *pose, const lf__pair_finder *finder,
                   lf_cursor *cursor) {
    lf__pair_walk walk;
    roots roots;
    walk.a = a;
    walk.b = b;
    walk.pose = pose;
    walk.finder = finder;
    walk.hurry = finder->hurry;
    walk.cost = (lf_counters){.questions = 1};
    if (a->root == LF__BVH_NOWHERE || b->root == LF__BVH_NOWHERE)
        return false; // edits have removed all triangles
    place_roots(&walk, &roots);
    walk.blur = DOUBLE_PAD * (a->scale + 2 * b->scale + bvh_pairs_largest(walk.shift));
    walk.pad = (float)(FLOAT_PAD * (bvh_pairs_largest(roots.a) + bvh_pairs_largest(roots.b) +
                                    bvh_pairs_largest(roots.shift)) +
                       2 * walk.blur);
    bool stopped = false;
    if (!roots_apart(&walk, &roots)) {
        set_frames(&walk, &roots);
        stopped = lf__pair_kernel_for(isa_of(a))(&walk);
    }
    lf__cursor_count(cursor, &walk.cost);
    return stopped;
}
