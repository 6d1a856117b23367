/// Getting two trees ready for each other.
#include "tree/pairs.h"
#include "geom/touch.h"

/// Times the sizes of both trees: floats of boxes carried from one frame to the other lose less than 40 units of 2^-24.
#define FLOAT_PAD 0x1p-18

/// Times the largest coordinates: vertices carried in doubles, and leaves' own origins.
#define DOUBLE_PAD 0x1p-48

static double parts(lf_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double most(lf_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/// The instruction set that a tree was made for.
static lf_isa isa_of(const lf_tree *tree) {
    return tree->kernels == lf__tree_kernels_for(LF_ISA_SCALAR) ? LF_ISA_SCALAR : LF_ISA_AVX2;
}

static double reach_of(const lf_tree *tree) {
    return most(lf_vec3_sub(tree->box.high, tree->origin));
}

bool lf__pair_touch(lf__pair_walk *walk, const lf__tree_leaf *a, unsigned lane_a, const lf__tree_leaf *b,
                    unsigned lane_b) {
    lf_vec3 p[3], q[3];
    walk->cost.exact++;
    for (int c = 0; c < 3; c++) {
        p[c] = walk->a->vertices[a->vertex[lane_a][c]];
        q[c] = lf_pose_to_world(walk->pose, walk->b->vertices[b->vertex[lane_b][c]]);
    }
    return lf__triangles_touch(p, q);
}

static void set_frame(lf__pair_frame *frame, lf_vec3 shift, const lf_pose *pose, bool inverse) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            frame->turn[i][k] = (float)(0.5 * (inverse ? parts(pose->rows[k], i) : parts(pose->rows[i], k)));
            frame->spread[i][k] = fabsf(frame->turn[i][k]);
        }
        frame->shift[i] = (float)parts(shift, i);
    }
}

/// Are the boxes of both trees apart along an axis of either? Decided with room for rounding.
static bool roots_apart(const lf__pair_walk *walk, lf_vec3 shift) {
    lf_vec3 a = lf_vec3_sub(walk->a->box.high, walk->a->origin);
    lf_vec3 b = lf_vec3_sub(walk->b->box.high, walk->b->origin);
    lf_vec3 back = lf_pose_turn_to_local(walk->pose, shift);
    for (int i = 0; i < 3; i++) {
        double of_a = 0, of_b = 0;
        for (int k = 0; k < 3; k++) {
            of_a += fabs(walk->turn[k][i]) * parts(a, k);
            of_b += fabs(walk->turn[i][k]) * parts(b, k);
        }
        if (fabs(parts(shift, i)) > parts(a, i) + of_b + (double)walk->pad ||
            fabs(parts(back, i)) > parts(b, i) + of_a + (double)walk->pad)
            return true;
    }
    return false;
}

bool lf__tree_pairs(const lf_tree *a, const lf_tree *b, const lf_pose *pose, const lf__pair_finder *finder,
                    lf_cursor *cursor) {
    lf__pair_walk walk;
    walk.a = a;
    walk.b = b;
    walk.pose = pose;
    walk.finder = finder;
    walk.hurry = finder->hurry;
    walk.cost = (lf_counters){.questions = 1};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            walk.turn[i][k] = parts(pose->rows[i], k);
        walk.shift[i] = parts(pose->translation, i);
    }
    lf_vec3 shift = lf_vec3_sub(lf_pose_to_world(pose, b->origin), a->origin);
    walk.blur = DOUBLE_PAD * (a->scale + 2 * b->scale + most(pose->translation));
    walk.pad = (float)(FLOAT_PAD * (reach_of(a) + reach_of(b) + most(shift)) + 2 * walk.blur);
    bool stopped = false;
    if (!roots_apart(&walk, shift)) {
        set_frame(&walk.into_a, shift, pose, false);
        set_frame(&walk.into_b, lf_vec3_scale(lf_pose_turn_to_local(pose, shift), -1), pose, true);
        stopped = lf__pair_kernel_for(isa_of(a))(&walk);
    }
    lf__cursor_count(cursor, &walk.cost);
    return stopped;
}
