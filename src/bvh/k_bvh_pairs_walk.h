/// The traversal of two trees, and eight triangles against eight, compiled once per instruction set: k_bvh_pairs.c
/// says what lanes are and includes this.

// ---------------------------------------------------------------------------------------------------
// Eight triangles against eight
// ---------------------------------------------------------------------------------------------------

// Everything happens in units of a's leaf around its origin. The corners there are whole numbers, off by
// half a unit; those of b are carried over and off by a little more. A determinant of three differences,
// each at most S along every axis and off by at most N, is then off by less than 16 N (S + 2 N)^2 (Hadamard,
// higher orders included), and by less than (1/4 + S / 2^17) S^2 for floats. Whatever is within that doubt
// goes to the exact test.
//
// One triangle of b is tested against all of a: first boxes, then planes, then edges. A pair touches when an
// edge of one crosses the other: when its ends are on different sides of the other's plane and it passes the
// other's three edges on the same side. How clearly that is so is a number, least or largest of several
// determinants, so that two comparisons at the end tell what is sure.

/// Eight triangles.
typedef struct NAME(faces) {
    V corner[3][3]; ///< [corner][axis]
    V low[3], high[3];
    V size;         ///< no difference of corners is larger along any axis
    V edge[3][3];   ///< from each corner to the next
    V moment[3][3]; ///< corner x edge
    V normal[3];    ///< edge 0 x edge 1
    V offset;       ///< of the plane
} NAME(faces);

TARGET static inline void NAME(find_boxes)(NAME(faces) * f) {
    for (int k = 0; k < 3; k++) {
        f->low[k] = NAME(least)(f->corner[0][k], NAME(least)(f->corner[1][k], f->corner[2][k]));
        f->high[k] = NAME(most)(f->corner[0][k], NAME(most)(f->corner[1][k], f->corner[2][k]));
    }
    V x = NAME(sub)(f->high[0], f->low[0]), y = NAME(sub)(f->high[1], f->low[1]);
    f->size = NAME(most)(NAME(most)(x, y), NAME(sub)(f->high[2], f->low[2]));
}

TARGET static inline void NAME(cross)(const V a[3], const V b[3], V product[3]) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        product[k] = NAME(sub)(NAME(mul)(a[i], b[j]), NAME(mul)(a[j], b[i]));
    }
}

TARGET static inline V NAME(dot)(const V a[3], const V b[3]) {
    return NAME(madd)(a[0], b[0], NAME(madd)(a[1], b[1], NAME(mul)(a[2], b[2])));
}

TARGET static inline void NAME(find_planes)(NAME(faces) * f) {
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            f->edge[c][k] = NAME(sub)(f->corner[(c + 1) % 3][k], f->corner[c][k]);
    NAME(cross)(f->edge[0], f->edge[1], f->normal);
    f->offset = NAME(dot)(f->normal, f->corner[0]);
}

TARGET static inline void NAME(find_moments)(NAME(faces) * f) {
    for (int c = 0; c < 3; c++)
        NAME(cross)(f->corner[c], f->edge[c], f->moment[c]);
}

/// One lane of three numbers in every lane.
TARGET static inline void NAME(pick3)(const V from[3], unsigned lane, V to[3]) {
    for (int k = 0; k < 3; k++)
        to[k] = NAME(pick)(&from[k], lane);
}

/// The doubt of determinants between triangles of these sizes.
TARGET static inline V NAME(doubt_of)(V size, V other_size, float blur) {
    V reach = NAME(add)(NAME(add)(size, other_size), NAME(set)(2 * blur));
    V doubt = NAME(madd)(reach, NAME(set)(0x1p-17f), NAME(set)(16 * blur + 0.25f));
    return NAME(mul)(doubt, NAME(mul)(reach, reach));
}

TARGET static inline V NAME(negative)(V a) {
    return NAME(sub)(NAME(set)(0), a);
}

/// One triangle of b in every lane, and the distances of it and the triangles of a from each other's planes.
typedef struct NAME(rival) {
    V corner[3][3];
    V doubt;
    V height_a[3]; ///< of a's corners over its plane
    V height_b[3]; ///< of its corners over a's planes
} NAME(rival);

/// Lanes where three values are all above the doubt, or all below its negative.
TARGET static inline unsigned NAME(one_sided)(const V value[3], V doubt) {
    V low = NAME(least)(value[0], NAME(least)(value[1], value[2]));
    V high = NAME(most)(value[0], NAME(most)(value[1], value[2]));
    return NAME(bits)(NAME(le)(doubt, NAME(most)(low, NAME(negative)(high))));
}

/// Which of these lanes of a are not surely clear of triangle j's plane, nor it of theirs.
TARGET static inline unsigned NAME(planes_cross)(const NAME(faces) * a, const NAME(faces) * b, unsigned j,
                                                 float blur, unsigned lanes, NAME(rival) * rival) {
    V normal[3];
    V offset = NAME(pick)(&b->offset, j);
    rival->doubt = NAME(doubt_of)(a->size, NAME(pick)(&b->size, j), blur);
    NAME(pick3)(b->normal, j, normal);
    for (int c = 0; c < 3; c++)
        rival->height_a[c] = NAME(sub)(NAME(dot)(normal, a->corner[c]), offset);
    lanes &= ~NAME(one_sided)(rival->height_a, rival->doubt);
    if (!lanes)
        return 0;
    for (int c = 0; c < 3; c++) {
        NAME(pick3)(b->corner[c], j, rival->corner[c]);
        rival->height_b[c] = NAME(sub)(NAME(dot)(a->normal, rival->corner[c]), a->offset);
    }
    return lanes & ~NAME(one_sided)(rival->height_b, rival->doubt);
}

/// How clearly eight edges do, and do not, cross triangles: heights of their ends, and the edges that they pass.
TARGET static inline void NAME(judge_edge)(V from, V to, const V pass[3], V *touch, V *apart) {
    V low = NAME(least)(pass[0], NAME(least)(pass[1], pass[2]));
    V high = NAME(most)(pass[0], NAME(most)(pass[1], pass[2]));
    V under = NAME(least)(from, to), over = NAME(most)(from, to);
    V inside = NAME(most)(low, NAME(negative)(high)), outside = NAME(least)(high, NAME(negative)(low));
    V through = NAME(least)(over, NAME(negative)(under)), beside = NAME(most)(under, NAME(negative)(over));
    *touch = NAME(most)(*touch, NAME(least)(inside, through));
    *apart = NAME(least)(*apart, NAME(most)(outside, beside));
}

/// Lanes of a that surely touch the triangle, and those that may.
TARGET static inline void NAME(edges_cross)(const NAME(faces) * a, const NAME(rival) * rival, unsigned *sure,
                                            unsigned *maybe) {
    V pass[3][3], touch = NAME(set)(-INFINITY), apart = NAME(set)(INFINITY);
    for (int d = 0; d < 3; d++) {
        V edge[3], moment[3];
        for (int k = 0; k < 3; k++)
            edge[k] = NAME(sub)(rival->corner[(d + 1) % 3][k], rival->corner[d][k]);
        NAME(cross)(rival->corner[d], edge, moment);
        V column[3];
        for (int c = 0; c < 3; c++)
            column[c] = pass[c][d] = NAME(add)(NAME(dot)(a->edge[c], moment), NAME(dot)(a->moment[c], edge));
        NAME(judge_edge)(rival->height_b[d], rival->height_b[(d + 1) % 3], column, &touch, &apart);
    }
    for (int c = 0; c < 3; c++)
        NAME(judge_edge)(rival->height_a[c], rival->height_a[(c + 1) % 3], pass[c], &touch, &apart);
    *sure = NAME(bits)(NAME(le)(rival->doubt, touch));
    *maybe = ~NAME(bits)(NAME(le)(rival->doubt, apart));
}

/// The corners of both leaves in units of a's.
TARGET static inline void NAME(fetch)(const lf__bvh_leaf *leaf_a, const lf__bvh_leaf *leaf_b,
                                      const leaf_frame *frame, NAME(faces) * a, NAME(faces) * b) {
    for (int c = 0; c < 3; c++) {
        V units[3];
        for (int k = 0; k < 3; k++) {
            a->corner[c][k] = NAME(units)(leaf_a->corner[c][k]);
            units[k] = NAME(units)(leaf_b->corner[c][k]);
        }
        for (int k = 0; k < 3; k++) {
            V at = NAME(madd)(NAME(set)(frame->turn[k][0]), units[0], NAME(set)(frame->shift[k]));
            at = NAME(madd)(NAME(set)(frame->turn[k][1]), units[1], at);
            b->corner[c][k] = NAME(madd)(NAME(set)(frame->turn[k][2]), units[2], at);
        }
    }
    NAME(find_boxes)(a);
    NAME(find_boxes)(b);
}

/// Those triangles of b whose boxes overlap the box around all of a's.
TARGET static inline unsigned NAME(meet_leaf)(const NAME(faces) * a, const NAME(faces) * b, float blur) {
    MASK mask = NAME(le)(NAME(set)(NAME(lowest)(a->low[0]) - blur), b->high[0]);
    mask = NAME(both)(mask, NAME(le)(b->low[0], NAME(set)(NAME(highest)(a->high[0]) + blur)));
    for (int k = 1; k < 3; k++) {
        mask = NAME(both)(mask, NAME(le)(NAME(set)(NAME(lowest)(a->low[k]) - blur), b->high[k]));
        mask = NAME(both)(mask, NAME(le)(b->low[k], NAME(set)(NAME(highest)(a->high[k]) + blur)));
    }
    return NAME(bits)(mask);
}

/// For each triangle of b, the triangles of a whose boxes overlap its own. Returns bits of those of b that
/// have any.
TARGET static inline unsigned NAME(boxes_cross)(const NAME(faces) * a, const NAME(faces) * b, float blur,
                                                unsigned left, unsigned lanes[LF__BVH_WIDTH]) {
    V low[3], high[3];
    unsigned any = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = NAME(sub)(a->low[k], NAME(set)(blur));
        high[k] = NAME(add)(a->high[k], NAME(set)(blur));
    }
    for (; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        MASK mask = NAME(both)(NAME(le)(low[0], NAME(pick)(&b->high[0], j)),
                               NAME(le)(NAME(pick)(&b->low[0], j), high[0]));
        for (int k = 1; k < 3; k++) {
            mask = NAME(both)(mask, NAME(le)(low[k], NAME(pick)(&b->high[k], j)));
            mask = NAME(both)(mask, NAME(le)(NAME(pick)(&b->low[k], j), high[k]));
        }
        lanes[j] = NAME(bits)(mask);
        any |= (unsigned)(lanes[j] != 0) << j;
    }
    return any;
}

/// Which triangles of two leaves touch.
TARGET static inline void NAME(ask_leaves)(const lf__pair_walk *walk, const lf__bvh_leaf *leaf_a,
                                           const lf__bvh_leaf *leaf_b, leaf_answers *answers) {
    leaf_frame frame;
    answers->found = 0;
    if (!place_leaf(walk, leaf_a, leaf_b, &frame)) {
        for (unsigned j = 0; j < LF__BVH_WIDTH; j++)
            answers->sure[j] = 0, answers->any[j] = leaf_a->lanes;
        answers->found = leaf_b->lanes;
        return;
    }
    NAME(faces) a, b;
    NAME(rival) rival;
    unsigned lanes[LF__BVH_WIDTH];
    bool moments = false;
    NAME(fetch)(leaf_a, leaf_b, &frame, &a, &b);
    unsigned left = leaf_b->lanes & NAME(meet_leaf)(&a, &b, frame.blur);
    left = NAME(boxes_cross)(&a, &b, frame.blur, left, lanes);
    if (!left)
        return;
    NAME(find_planes)(&a);
    NAME(find_planes)(&b);
    for (; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left), sure, maybe;
        unsigned crossing = NAME(planes_cross)(&a, &b, j, frame.blur, lanes[j] & leaf_a->lanes, &rival);
        if (!crossing)
            continue;
        if (!moments)
            NAME(find_moments)(&a);
        moments = true;
        NAME(edges_cross)(&a, &rival, &sure, &maybe);
        answers->sure[j] = sure & crossing;
        answers->any[j] = (sure | maybe) & crossing;
        answers->found |= (unsigned)(answers->any[j] != 0) << j;
    }
}

// ---------------------------------------------------------------------------------------------------
// The traversal
// ---------------------------------------------------------------------------------------------------

// A pair of nodes is opened as a whole: the boxes of all children of each are carried into the other's axes,
// eight at a time, and every child of b is compared with all children of a along the six face axes. Pairs of
// leaves are tested right after, unless there is a hurry: then they wait with the pairs of nodes, and the
// deepest of all comes first.

/// The boxes around a node's children along the axes of the other tree; NaN for an absent child. Without
/// fused multiplications: these boxes decide the order in which pairs are found, and that is the same
/// everywhere.
TARGET static inline void NAME(carry)(const lf__bvh_node *node, const lf__pair_frame *frame, float pad,
                                      pair_boxes *boxes) {
    V sum[3], size[3];
    for (int k = 0; k < 3; k++) {
        V low = NAME(load)(node->plane[k]), high = NAME(load)(node->plane[3 + k]);
        sum[k] = NAME(add)(low, high);
        size[k] = NAME(sub)(high, low);
    }
    for (int i = 0; i < 3; i++) {
        V middle = NAME(set)(frame->shift[i]), half = NAME(set)(pad);
        for (int k = 0; k < 3; k++) {
            middle = NAME(add)(NAME(mul)(NAME(set)(frame->turn[i][k]), sum[k]), middle);
            half = NAME(add)(NAME(mul)(NAME(set)(frame->spread[i][k]), size[k]), half);
        }
        NAME(store)(boxes->low[i], NAME(sub)(middle, half));
        NAME(store)(boxes->high[i], NAME(add)(middle, half));
    }
}

/// How deep eight boxes and one box of eight others are in each other along these axes, or `most` where that
/// is less; below 0 they are apart. What is NaN does not count.
TARGET static inline V NAME(depth)(const float *const low[3], const float *const high[3],
                                   const float *const other_low[3], const float *const other_high[3],
                                   int other, V most) {
    for (int k = 0; k < 3; k++) {
        V up = NAME(sub)(NAME(load)(high[k]), NAME(set)(other_low[k][other]));
        V down = NAME(sub)(NAME(set)(other_high[k][other]), NAME(load)(low[k]));
        most = NAME(least)(up, NAME(least)(down, most));
    }
    return most;
}

/// Look into two leaves. false: stopped.
TARGET static inline bool NAME(open_leaves)(lf__pair_walk *walk, uint32_t a, uint32_t b) {
    const lf__bvh_leaf *leaf_a = &walk->a->leaves[a & ~LF__BVH_LEAF];
    const lf__bvh_leaf *leaf_b = &walk->b->leaves[b & ~LF__BVH_LEAF];
    leaf_answers answers;
    walk->cost.cells++;
    NAME(ask_leaves)(walk, leaf_a, leaf_b, &answers);
    for (unsigned left = answers.found; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        for (unsigned lanes = answers.any[j]; lanes; lanes &= lanes - 1) {
            unsigned i = (unsigned)__builtin_ctz(lanes);
            if (!(answers.sure[j] >> i & 1) && !lf__pair_touch(walk, leaf_a, i, leaf_b, j))
                continue;
            if (!walk->finder->found(walk->finder->user, leaf_a->item[i], leaf_b->item[j]))
                return false;
        }
    }
    return true;
}

/// A leaf of one tree against the subtree of a node of the other. false: stopped.
TARGET static bool NAME(open_leaf)(lf__pair_walk *walk, const lone_leaf *lone, uint32_t root) {
    const lf__bvh *tree = lone->is_a ? walk->b : walk->a;
    const lf__pair_frame *frame = lone->is_a ? &walk->into_a : &walk->into_b;
    uint32_t stack[LF__BVH_STACK];
    int depth = 1;
    stack[0] = root;
    while (depth > 0) {
        const lf__bvh_node *node = &tree->nodes[stack[--depth]];
        pair_boxes carried;
        NAME(carry)(node, frame, walk->pad, &carried);
        walk->cost.nodes++;
        const float *const low[3] = {node->plane[0], node->plane[1], node->plane[2]};
        const float *const high[3] = {node->plane[3], node->plane[4], node->plane[5]};
        const float *const carried_low[3] = {carried.low[0], carried.low[1], carried.low[2]};
        const float *const carried_high[3] = {carried.high[0], carried.high[1], carried.high[2]};
        V in = NAME(depth)(low, high, lone->there_low, lone->there_high, lone->lane, NAME(set)(INFINITY));
        in = NAME(depth)(carried_low, carried_high, lone->low, lone->high, lone->lane, in);
        for (unsigned lanes = NAME(bits)(NAME(le)(NAME(set)(0), in)); lanes; lanes &= lanes - 1) {
            uint32_t child = node->child[__builtin_ctz(lanes)];
            if (!(child & LF__BVH_LEAF))
                stack[depth++] = child;
            else if (!(lone->is_a ? NAME(open_leaves)(walk, lone->leaf, child)
                                  : NAME(open_leaves)(walk, child, lone->leaf)))
                return false;
        }
    }
    return true;
}

/// Open a pair of nodes: leaves at once, pairs of nodes onto the stack. false: stopped.
TARGET static inline bool NAME(open_nodes)(lf__pair_walk *walk, const lf__bvh_node *a, const lf__bvh_node *b,
                                           bvh_node_pair *stack, int *depth) {
    pair_boxes a_there, b_there;
    NAME(carry)(a, &walk->into_b, walk->pad, &a_there);
    NAME(carry)(b, &walk->into_a, walk->pad, &b_there);
    walk->cost.nodes++;
    const float *const a_low[3] = {a->plane[0], a->plane[1], a->plane[2]};
    const float *const a_high[3] = {a->plane[3], a->plane[4], a->plane[5]};
    const float *const b_low[3] = {b->plane[0], b->plane[1], b->plane[2]};
    const float *const b_high[3] = {b->plane[3], b->plane[4], b->plane[5]};
    const float *const at_low[3] = {a_there.low[0], a_there.low[1], a_there.low[2]};
    const float *const at_high[3] = {a_there.high[0], a_there.high[1], a_there.high[2]};
    const float *const bt_low[3] = {b_there.low[0], b_there.low[1], b_there.low[2]};
    const float *const bt_high[3] = {b_there.high[0], b_there.high[1], b_there.high[2]};
    float in[LF__BVH_WIDTH];
    bvh_node_pair leaves[LF__BVH_WIDTH * LF__BVH_WIDTH];
    int first = *depth, leaf_count = 0;
    for (unsigned j = 0; b->lanes >> j; j++) {
        V deep = NAME(depth)(a_low, a_high, bt_low, bt_high, (int)j, NAME(set)(INFINITY));
        unsigned lanes = NAME(bits)(NAME(le)(NAME(set)(0), deep));
        if (!lanes)
            continue;
        deep = NAME(depth)(at_low, at_high, b_low, b_high, (int)j, deep);
        NAME(store)(in, deep);
        uint32_t child_b = b->child[j];
        for (lanes = NAME(bits)(NAME(le)(NAME(set)(0), deep)); lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            uint32_t child_a = a->child[i];
            bool on = true;
            if (!((child_a ^ child_b) & LF__BVH_LEAF)) {
                prefetch(walk->a, child_a);
                prefetch(walk->b, child_b);
                bvh_node_pair *to =
                    child_a & LF__BVH_LEAF && !walk->hurry ? &leaves[leaf_count++] : &stack[(*depth)++];
                *to = (bvh_node_pair){child_a, child_b, in[i]};
            } else if (child_a & LF__BVH_LEAF) {
                lone_leaf lone = {child_a, true, i, a_low, a_high, at_low, at_high};
                on = NAME(open_leaf)(walk, &lone, child_b);
            } else {
                lone_leaf lone = {child_b, false, (int)j, b_low, b_high, bt_low, bt_high};
                on = NAME(open_leaf)(walk, &lone, child_a);
            }
            if (!on)
                return false;
        }
    }
    for (int i = 0; i < leaf_count; i++)
        if (!NAME(open_leaves)(walk, leaves[i].a, leaves[i].b))
            return false;
    if (walk->hurry)
        sort_pairs(stack + first, *depth - first);
    return true;
}

TARGET static bool NAME(walk)(lf__pair_walk *walk) {
    bvh_node_pair stack[LF__PAIR_STACK];
    int depth = 0;
    if ((walk->a->root | walk->b->root) & LF__BVH_LEAF) {
        lf__bvh_node a = root_node(walk->a), b = root_node(walk->b);
        if (!NAME(open_nodes)(walk, &a, &b, stack, &depth))
            return true;
    } else {
        stack[depth++] = (bvh_node_pair){walk->a->root, walk->b->root, 0};
    }
    while (depth > 0) {
        bvh_node_pair pair = stack[--depth];
        if (pair.a & LF__BVH_LEAF) {
            if (!NAME(open_leaves)(walk, pair.a, pair.b))
                return true;
        } else if (!NAME(open_nodes)(walk, &walk->a->nodes[pair.a], &walk->b->nodes[pair.b], stack, &depth))
            return true;
    }
    return false;
}

#undef NAME
#undef V
#undef MASK
#undef TARGET
