/// Eight triangles against eight, compiled once per instruction set: k_pairs.c says what lanes are and includes this.
///
/// Everything happens in units of a's leaf around its origin. The corners there are whole numbers, off by half a unit; those
/// of b are carried over and off by a little more. A determinant of three differences, each at most S along every axis and off by
/// at most N, is then off by less than 16 N (S + 2 N)^2 (Hadamard, higher orders included), and by less than
/// (1/4 + S / 2^17) S^2 for floats. Whatever is within that doubt goes to the exact test.

/// Eight triangles with everything that the test wants to know of them.
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

/// All that follows from the corners and the boxes.
TARGET static inline void NAME(find_edges)(NAME(faces) * f) {
    V size = NAME(sub)(f->high[0], f->low[0]);
    for (int k = 1; k < 3; k++)
        size = NAME(most)(size, NAME(sub)(f->high[k], f->low[k]));
    f->size = size;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++)
            f->edge[c][k] = NAME(sub)(f->corner[(c + 1) % 3][k], f->corner[c][k]);
        NAME(cross)(f->corner[c], f->edge[c], f->moment[c]);
    }
    NAME(cross)(f->edge[0], f->edge[1], f->normal);
    f->offset = NAME(dot)(f->normal, f->corner[0]);
}

/// One lane of some faces in every lane.
TARGET static inline void NAME(pick3)(const V from[3], unsigned lane, V to[3]) {
    for (int k = 0; k < 3; k++)
        to[k] = NAME(pick)(&from[k], lane);
}

/// Bits of the lanes whose value is above the doubt, and below its negative.
typedef struct NAME(signs) {
    unsigned above, below;
} NAME(signs);

TARGET static inline NAME(signs) NAME(sign_of)(V value, V doubt, V minus) {
    return (NAME(signs)){NAME(bits)(NAME(le)(doubt, value)), NAME(bits)(NAME(le)(value, minus))};
}

/// Which lanes of `edge`, from one side to the other, surely cross, or may, a face whose three edges they pass with these signs.
TARGET static inline void NAME(judge_edge)(const NAME(signs) * from, const NAME(signs) * to,
                                           const NAME(signs) pass[3], unsigned *sure, unsigned *maybe) {
    unsigned above = pass[0].above | pass[1].above | pass[2].above;
    unsigned below = pass[0].below | pass[1].below | pass[2].below;
    unsigned inside =
        (pass[0].above & pass[1].above & pass[2].above) | (pass[0].below & pass[1].below & pass[2].below);
    *sure |= inside & ((from->above & to->below) | (from->below & to->above));
    *maybe |= ~(above & below) & ~((from->above & to->above) | (from->below & to->below));
}

/// Triangle j of b against the lanes of a: bits that surely touch, and that may.
TARGET static inline void NAME(judge_face)(const NAME(faces) * a, const NAME(faces) * b, unsigned j,
                                           float blur, unsigned lanes, unsigned *sure, unsigned *maybe) {
    V normal[3], corner[3], edge[3], moment[3];
    V reach = NAME(add)(NAME(add)(a->size, NAME(pick)(&b->size, j)), NAME(set)(2 * blur));
    V doubt = NAME(madd)(reach, NAME(set)(0x1p-17f), NAME(set)(16 * blur + 0.25f));
    doubt = NAME(mul)(doubt, NAME(mul)(reach, reach));
    V minus = NAME(sub)(NAME(set)(0), doubt);
    NAME(signs) a_side[3], b_side[3], pass[3][3];
    *sure = *maybe = 0;
    NAME(pick3)(b->normal, j, normal);
    V offset = NAME(pick)(&b->offset, j);
    for (int c = 0; c < 3; c++)
        a_side[c] = NAME(sign_of)(NAME(sub)(NAME(dot)(normal, a->corner[c]), offset), doubt, minus);
    lanes &= ~((a_side[0].above & a_side[1].above & a_side[2].above) |
               (a_side[0].below & a_side[1].below & a_side[2].below));
    if (!lanes)
        return;
    for (int c = 0; c < 3; c++) {
        NAME(pick3)(b->corner[c], j, corner);
        b_side[c] = NAME(sign_of)(NAME(sub)(NAME(dot)(a->normal, corner), a->offset), doubt, minus);
    }
    lanes &= ~((b_side[0].above & b_side[1].above & b_side[2].above) |
               (b_side[0].below & b_side[1].below & b_side[2].below));
    if (!lanes)
        return;
    for (int d = 0; d < 3; d++) {
        NAME(pick3)(b->edge[d], j, edge);
        NAME(pick3)(b->moment[d], j, moment);
        for (int c = 0; c < 3; c++) {
            V volume = NAME(add)(NAME(dot)(a->edge[c], moment), NAME(dot)(a->moment[c], edge));
            pass[c][d] = NAME(sign_of)(volume, doubt, minus);
        }
    }
    for (int c = 0; c < 3; c++) {
        const NAME(signs) column[3] = {pass[0][c], pass[1][c], pass[2][c]};
        NAME(judge_edge)(&a_side[c], &a_side[(c + 1) % 3], pass[c], sure, maybe);
        NAME(judge_edge)(&b_side[c], &b_side[(c + 1) % 3], column, sure, maybe);
    }
    *sure &= lanes;
    *maybe &= lanes;
}

/// Which triangles of two leaves touch: for each triangle of b, bits of those of a that surely do, and that may. Returns
/// a bit for each triangle of b with any; the others' entries are not written.
TARGET static inline unsigned NAME(leaf_masks)(const lf__pair_walk *walk, const lf__tree_leaf *leaf_a,
                                               const lf__tree_leaf *leaf_b, unsigned sure[LF__TREE_WIDTH],
                                               unsigned maybe[LF__TREE_WIDTH]) {
    leaf_frame frame;
    if (!place_leaf(walk, leaf_a, leaf_b, &frame)) {
        for (unsigned j = 0; j < LF__TREE_WIDTH; j++)
            sure[j] = 0, maybe[j] = leaf_a->lanes;
        return leaf_b->lanes;
    }
    NAME(faces) a, b;
    for (int c = 0; c < 3; c++) {
        V units[3];
        for (int k = 0; k < 3; k++) {
            a.corner[c][k] = NAME(units)(leaf_a->corner[c][k]);
            units[k] = NAME(units)(leaf_b->corner[c][k]);
        }
        for (int k = 0; k < 3; k++) {
            V at = NAME(madd)(NAME(set)(frame.turn[k][0]), units[0], NAME(set)(frame.shift[k]));
            at = NAME(madd)(NAME(set)(frame.turn[k][1]), units[1], at);
            b.corner[c][k] = NAME(madd)(NAME(set)(frame.turn[k][2]), units[2], at);
        }
    }
    NAME(find_boxes)(&a);
    NAME(find_boxes)(&b);
    V low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = NAME(sub)(a.low[k], NAME(set)(frame.blur));
        high[k] = NAME(add)(a.high[k], NAME(set)(frame.blur));
    }
    unsigned candidates[LF__TREE_WIDTH], any = 0;
    for (unsigned left = leaf_b->lanes; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        MASK mask = NAME(le)(low[0], NAME(pick)(&b.high[0], j));
        mask = NAME(both)(mask, NAME(le)(NAME(pick)(&b.low[0], j), high[0]));
        for (int k = 1; k < 3; k++) {
            mask = NAME(both)(mask, NAME(le)(low[k], NAME(pick)(&b.high[k], j)));
            mask = NAME(both)(mask, NAME(le)(NAME(pick)(&b.low[k], j), high[k]));
        }
        candidates[j] = NAME(bits)(mask) & leaf_a->lanes;
        any |= (unsigned)(candidates[j] != 0) << j;
    }
    if (!any)
        return 0;
    NAME(find_edges)(&a);
    NAME(find_edges)(&b);
    unsigned found = 0;
    for (unsigned left = any; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        NAME(judge_face)(&a, &b, j, frame.blur, candidates[j], &sure[j], &maybe[j]);
        found |= (unsigned)((sure[j] | maybe[j]) != 0) << j;
    }
    return found;
}
