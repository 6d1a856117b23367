/// The filter of a cell's triangles (grid_kernels.h) in lanes of doubles: a triangle and a line each.
///
/// Every operation is that of the filter for one line, in the same order, so roots have the same bits. Kernels include this file
/// after k_doubles.h; it defines each width once.
#if (DOUBLES == 4 && !defined(LF__FILTER_4)) || (DOUBLES == 8 && !defined(LF__FILTER_8))
#if DOUBLES == 4
#define LF__FILTER_4
#else
#define LF__FILTER_8
#endif

/// Heights of lines, and their intervals.
typedef struct DS(lf__cells_lines) {
    VD z, dz, t_min, t_max;
} DS(lf__cells_lines);

/// Triangles, and lines relative to their right-angled corners, as lf__filter_case.
typedef struct DS(lf__cells_triangle) {
    VD x, y, x_rest, y_rest, dx, dy, corner, side_x, side_y;
    VD size0, size1;
    VM inside, outside; ///< certainly
} DS(lf__cells_triangle);

DS_INLINE VD DS(lf__cells_sum)(VD a, VD b, VD *rest) {
    VD sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

/// `fused`: by one operation. It gives the same bits unless the rest is below the smallest doubles.
DS_INLINE VD DS(lf__cells_product)(VD a, VD b, bool fused, VD *rest) {
#if LF__X86 && DOUBLES == 4
    if (fused) {
        VD whole = a * b;
        *rest = _mm256_fmsub_pd(a, b, whole);
        return whole;
    }
#endif
    (void)fused;
    VD splitter = D_SET(134217729.0), product = a * b, a_big = splitter * a, b_big = splitter * b;
    VD a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high, b_low = b - b_high;
    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

/// lf__filter_decide.
DS_INLINE void DS(lf__cells_decide)(const DS(lf__cells_lines) * c, DS(lf__cells_triangle) * t) {
    VD one = D_SET(1);
    VD rise_x = t->side_x - t->corner, rise_y = t->side_y - t->corner;
    VD x = rise_x * t->x, y = rise_y * t->y, dx = rise_x * t->dx, dy = rise_y * t->dy;
    VD e0 = c->z - t->corner - x - y, e1 = c->dz - dx - dy;
    t->size0 = D_ABS(c->z) + D_ABS(t->corner) + D_ABS(x) + D_ABS(y);
    t->size1 = D_ABS(c->dz) + D_ABS(dx) + D_ABS(dy);
    VD error0 = D_SET(8 * LF__HALF_ULP) * t->size0 + D_SET(LF__UNDERFLOW);
    VD error1 = D_SET(6 * LF__HALF_ULP) * t->size1 + D_SET(LF__UNDERFLOW);
    e0 = D_FLIP(e0, e1);
    e1 = D_ABS(e1);
    VD in_x = t->x * e1 - t->dx * e0, in_y = t->y * e1 - t->dy * e0;
    VD rest = ((one - t->x) - t->y) * e1 + (t->dx + t->dy) * e0;
    VD eight = D_SET(8 * LF__HALF_ULP);
    VD far = eight * D_ABS(e0) + error0, steep = eight * e1 + error1;
    VD doubt = (one + D_ABS(t->x) + D_ABS(t->y)) * steep + (D_ABS(t->dx) + D_ABS(t->dy)) * far;
    VD begin = e0 + e1 * c->t_min, begin_doubt = far + steep * D_ABS(c->t_min);
    VD end = e0 + e1 * c->t_max, end_doubt = far + steep * D_ABS(c->t_max);
    VD least = D_MIN(D_MIN(in_x, in_y), rest), below = D_NEG(doubt);
    VM endless = D_NOT_LE(c->t_max, D_SET(DBL_MAX)), clear = D_GT(e1, error1);
    VM before = D_GT(begin, begin_doubt), after = D_LT(end, D_NEG(end_doubt));
    t->outside = M_OR(D_LT(least, below), M_OR(before, M_WITHOUT(after, endless)));
    t->outside = M_AND(t->outside, clear);
    before = D_LT(begin, D_NEG(begin_doubt));
    after = M_OR(endless, D_GT(end, end_doubt));
    t->inside = M_AND(M_AND(D_GT(least, doubt), clear), M_AND(before, after));
}

/// One coefficient of lf__filter_root: of the line's position, or of its direction.
DS_INLINE VD DS(lf__cells_coefficient)(VD z, VD corner, const VD rise[2], const VD rests[2], const VD at[2],
                                       const VD at_rest[2], bool fused) {
    VD rest[5];
    VD over = DS(lf__cells_sum)(z, corner, &rest[0]);
    VD along_x = DS(lf__cells_product)(rise[0], at[0], fused, &rest[1]),
       along_y = DS(lf__cells_product)(rise[1], at[1], fused, &rest[2]);
    over = DS(lf__cells_sum)(over, D_NEG(along_x), &rest[3]);
    over = DS(lf__cells_sum)(over, D_NEG(along_y), &rest[4]);
    VD lost = rise[0] * at_rest[0] + rests[0] * at[0] + rise[1] * at_rest[1] + rests[1] * at[1];
    return over + (((rest[0] + rest[3]) + rest[4]) - ((rest[1] + rest[2]) + lost));
}

/// lf__filter_root; *precise is the mask of lanes that have enough digits.
DS_INLINE VD DS(lf__cells_root)(const DS(lf__cells_lines) * c, const DS(lf__cells_triangle) * t, bool fused,
                                VM *precise) {
    VD zero = D_SET(0), down = D_NEG(t->corner), rests[2];
    const VD rise[2] = {DS(lf__cells_sum)(t->side_x, down, &rests[0]),
                        DS(lf__cells_sum)(t->side_y, down, &rests[1])};
    const VD at[2] = {t->x, t->y}, at_rest[2] = {t->x_rest, t->y_rest}, to[2] = {t->dx, t->dy},
             none[2] = {zero, zero};
    VD e0 = DS(lf__cells_coefficient)(c->z, down, rise, rests, at, at_rest, fused);
    VD e1 = DS(lf__cells_coefficient)(c->dz, zero, rise, rests, to, none, fused);
    VD tiny = D_SET(0x1p-97), least = D_SET(LF__UNDERFLOW), part = D_SET(0x1p-55);
    *precise = M_AND(D_LE(t->size0 * tiny + least, part * D_ABS(e0)),
                     D_LE(t->size1 * tiny + least, part * D_ABS(e1)));
    return D_NEG(e0) / e1;
}

#endif
