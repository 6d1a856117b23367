#include "exact_touch.h"
#include "exact.h"
#include <gmp.h>
#include <math.h>

enum { POINTS = 9 };

/// The differences p[i] - q[j], all scaled by the same power of two to whole numbers.
static mpz_t point[POINTS][3];
/// Determinants of three of them, by ascending index.
static int sign[POINTS][POINTS][POINTS];
static mpz_t volume[POINTS][POINTS][POINTS];
static mpz_t cross[3], scratch[2], total;
static bool ready;

static void get_ready(void) {
    if (ready)
        return;
    ready = true;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            mpz_init(point[i][k]);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++)
            for (int k = 0; k < POINTS; k++)
                mpz_init(volume[i][j][k]);
    for (int k = 0; k < 3; k++)
        mpz_init(cross[k]);
    mpz_init(scratch[0]);
    mpz_init(scratch[1]);
    mpz_init(total);
}

static double part(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static int least_exponent(const lf_vec3 *t, int least) {
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            int exponent;
            if (part(t[c], k) != 0) {
                frexp(part(t[c], k), &exponent);
                least = exponent < least ? exponent : least;
            }
        }
    return least;
}

static void set_whole(mpz_t whole, double x, int least) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    mpz_set_d(whole, ldexp(mantissa, 53));
    if (x != 0)
        mpz_mul_2exp(whole, whole, (mp_bitcnt_t)(exponent - least));
}

static void set_points(const lf_vec3 p[3], const lf_vec3 q[3]) {
    int least = least_exponent(q, least_exponent(p, 2000));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                set_whole(point[3 * i + j][k], part(p[i], k), least);
                set_whole(scratch[0], part(q[j], k), least);
                mpz_sub(point[3 * i + j][k], point[3 * i + j][k], scratch[0]);
            }
}

/// product = a x b
static void cross_of(mpz_t *product, mpz_t *a, mpz_t *b) {
    for (int k = 0; k < 3; k++) {
        mpz_mul(scratch[0], a[(k + 1) % 3], b[(k + 2) % 3]);
        mpz_mul(scratch[1], a[(k + 2) % 3], b[(k + 1) % 3]);
        mpz_sub(product[k], scratch[0], scratch[1]);
    }
}

static void dot_of(mpz_t product, mpz_t *a, mpz_t *b) {
    mpz_mul(product, a[0], b[0]);
    mpz_addmul(product, a[1], b[1]);
    mpz_addmul(product, a[2], b[2]);
}

static bool cross_is_zero(void) {
    return mpz_sgn(cross[0]) == 0 && mpz_sgn(cross[1]) == 0 && mpz_sgn(cross[2]) == 0;
}

static bool in_a_segment(void) {
    for (int i = 0; i < POINTS; i++)
        for (int j = i + 1; j < POINTS; j++) {
            cross_of(cross, point[i], point[j]);
            dot_of(total, point[i], point[j]);
            if (cross_is_zero() && mpz_sgn(total) <= 0)
                return true;
        }
    return false;
}

static void find_volumes(void) {
    for (int i = 0; i < POINTS; i++)
        for (int j = i + 1; j < POINTS; j++) {
            cross_of(cross, point[i], point[j]);
            for (int k = j + 1; k < POINTS; k++) {
                dot_of(volume[i][j][k], cross, point[k]);
                sign[i][j][k] = mpz_sgn(volume[i][j][k]);
            }
        }
}

/// Three points in one plane with the origin: the origin's weights are the areas it spans with two of them at a time.
static bool in_triangle(int i, int j, int k) {
    mpz_t normal[3], area[3][3], weight;
    const int corner[4] = {i, j, k, i};
    bool inside = true;
    mpz_init(weight);
    for (int c = 0; c < 3; c++)
        mpz_init(normal[c]);
    for (int e = 0; e < 3; e++) {
        for (int c = 0; c < 3; c++)
            mpz_init(area[e][c]);
        cross_of(area[e], point[corner[e]], point[corner[e + 1]]);
        for (int c = 0; c < 3; c++)
            mpz_add(normal[c], normal[c], area[e][c]);
    }
    dot_of(weight, normal, normal);
    inside = mpz_sgn(weight) != 0;
    for (int e = 0; e < 3 && inside; e++) {
        dot_of(weight, area[e], normal);
        inside = mpz_sgn(weight) >= 0;
    }
    for (int e = 0; e < 3; e++)
        for (int c = 0; c < 3; c++)
            mpz_clear(area[e][c]);
    for (int c = 0; c < 3; c++)
        mpz_clear(normal[c]);
    mpz_clear(weight);
    return inside;
}

static bool in_a_triangle(void) {
    for (int i = 0; i < POINTS; i++)
        for (int j = i + 1; j < POINTS; j++)
            for (int k = j + 1; k < POINTS; k++)
                if (sign[i][j][k] == 0 && in_triangle(i, j, k))
                    return true;
    return false;
}

/// The origin's weights in a tetrahedron are the volumes it spans with three corners at a time.
static bool in_a_tetrahedron(void) {
    for (int i = 0; i < POINTS; i++)
        for (int j = i + 1; j < POINTS; j++)
            for (int k = j + 1; k < POINTS; k++)
                for (int l = k + 1; l < POINTS; l++) {
                    int a = sign[j][k][l], b = -sign[i][k][l], c = sign[i][j][l], d = -sign[i][j][k];
                    bool up = a >= 0 && b >= 0 && c >= 0 && d >= 0;
                    bool down = a <= 0 && b <= 0 && c <= 0 && d <= 0;
                    if ((up || down) && (a || b || c || d))
                        return true;
                }
    return false;
}

/// Surely apart, because one triangle is clear of the other's plane: doubles with a bound that is a thousand times the rounding.
static bool clear_of_plane(const lf_vec3 p[3], const lf_vec3 q[3]) {
    lf_vec3 u = lf_vec3_sub(p[1], p[0]), v = lf_vec3_sub(p[2], p[0]), n = lf_vec3_cross(u, v);
    int above = 0, below = 0;
    for (int c = 0; c < 3; c++) {
        lf_vec3 w = lf_vec3_sub(q[c], p[0]);
        double height = lf_vec3_dot(n, w);
        double doubt = 1e-12 * lf_vec3_length(u) * lf_vec3_length(v) * lf_vec3_length(w);
        above += height > doubt;
        below += height < -doubt;
    }
    return above == 3 || below == 3;
}

bool exact_triangles_touch(const lf_vec3 p[3], const lf_vec3 q[3]) {
    if (!exact_boxes_touch(exact_box(p, 3), exact_box(q, 3)) || clear_of_plane(p, q) || clear_of_plane(q, p))
        return false;
    get_ready();
    set_points(p, q);
    find_volumes();
    return in_a_tetrahedron() || in_a_segment() || in_a_triangle();
}
