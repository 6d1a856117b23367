#include "exact_number.h"

void exact_number_init(exact_number *number) {
    mpq_inits(number->base, number->square, NULL);
    number->sign = 0;
}

void exact_number_clear(exact_number *number) {
    mpq_clears(number->base, number->square, NULL);
}

void exact_number_copy(exact_number *to, const exact_number *from) {
    mpq_set(to->base, from->base);
    mpq_set(to->square, from->square);
    to->sign = from->sign;
}

void exact_number_set(exact_number *number, const mpq_t value) {
    mpq_set(number->base, value);
    mpq_set_ui(number->square, 0, 1);
    number->sign = 0;
}

/// The sign of whole + factor * sqrt(square).
static int sign_of_sum(const mpq_t whole, const mpq_t factor, const mpq_t square) {
    int first = mpq_sgn(whole), second = mpq_sgn(square) == 0 ? 0 : mpq_sgn(factor);
    if (first * second >= 0)
        return first != 0 ? first : second;
    mpq_t left, right;
    mpq_inits(left, right, NULL);
    mpq_mul(left, whole, whole);
    mpq_mul(right, factor, factor);
    mpq_mul(right, right, square);
    int larger = mpq_cmp(left, right);
    mpq_clears(left, right, NULL);
    return larger > 0 ? first : larger < 0 ? second : 0;
}

/// The sign of d + s sqrt(p) - r sqrt(q): that of d + s sqrt(p) when it differs from the root's, else by the squares,
/// d^2 + p - q + 2 d s sqrt(p) against 0.
static int sign_of_difference(const mpq_t d, const exact_number *p, const exact_number *q) {
    mpq_t factor, whole, spare;
    mpq_inits(factor, whole, spare, NULL);
    mpq_set_si(factor, p->sign, 1);
    int first = sign_of_sum(d, factor, p->square);
    int second = mpq_sgn(q->square) == 0 ? 0 : -q->sign;
    int sign = first != 0 ? first : second;
    if (first * second < 0) {
        mpq_mul(whole, d, d);
        mpq_mul(spare, factor, factor);
        mpq_mul(spare, spare, p->square);
        mpq_add(whole, whole, spare);
        mpq_sub(whole, whole, q->square);
        mpq_mul(factor, factor, d);
        mpq_add(factor, factor, factor);
        sign = first * sign_of_sum(whole, factor, p->square);
    }
    mpq_clears(factor, whole, spare, NULL);
    return sign;
}

int exact_number_compare(const exact_number *a, const exact_number *b) {
    if (a->sign == 0 && b->sign == 0) {
        int order = mpq_cmp(a->base, b->base);
        return (order > 0) - (order < 0);
    }
    mpq_t difference;
    mpq_init(difference);
    mpq_sub(difference, a->base, b->base);
    int sign = sign_of_difference(difference, a, b);
    mpq_clear(difference);
    return sign;
}

int exact_number_compare_q(const exact_number *a, const mpq_t b) {
    exact_number other;
    exact_number_init(&other);
    exact_number_set(&other, b);
    int order = exact_number_compare(a, &other);
    exact_number_clear(&other);
    return order;
}

/// Where base and root have opposite signs they cancel: (base^2 - square) / (base - sign * root) does not.
static void add_cancelling(mpf_t sum, const exact_number *number, const mpf_t root) {
    mpq_t exact;
    mpf_t product;
    mpq_init(exact);
    mpf_init2(product, mpf_get_prec(sum));
    mpq_mul(exact, number->base, number->base);
    mpq_sub(exact, exact, number->square);
    mpf_set_q(product, exact);
    mpf_sub(sum, sum, root);
    mpf_div(sum, product, sum);
    mpf_clear(product);
    mpq_clear(exact);
}

void exact_number_get_f(mpf_t out, const exact_number *number) {
    mpf_set_q(out, number->base);
    if (number->sign == 0)
        return;
    mpf_t root;
    mpf_init2(root, mpf_get_prec(out));
    mpf_set_q(root, number->square);
    mpf_sqrt(root, root);
    if (number->sign < 0)
        mpf_neg(root, root);
    if (mpf_sgn(out) * mpf_sgn(root) < 0)
        add_cancelling(out, number, root);
    else
        mpf_add(out, out, root);
    mpf_clear(root);
}

double exact_number_get(const exact_number *number) {
    if (number->sign == 0)
        return mpq_get_d(number->base);
    mpf_t value;
    mpf_init2(value, 256);
    exact_number_get_f(value, number);
    double rounded = mpf_get_d(value);
    mpf_clear(value);
    return rounded;
}

/// Both roots from half the sum and a quarter of the discriminant: -b / 2a -+ sqrt((b / 2a)^2 - c / a).
int exact_roots(const mpq_t a, const mpq_t b, const mpq_t c, exact_number roots[2]) {
    if (mpq_sgn(a) == 0 && mpq_sgn(b) == 0)
        return mpq_sgn(c) == 0 ? -1 : 0;
    mpq_t middle, square;
    mpq_inits(middle, square, NULL);
    int count = 1;
    if (mpq_sgn(a) == 0) {
        mpq_div(middle, c, b);
        mpq_neg(middle, middle);
        exact_number_set(&roots[0], middle);
    } else {
        mpq_div(middle, b, a);
        mpq_div_2exp(middle, middle, 1);
        mpq_neg(middle, middle);
        mpq_div(square, c, a);
        mpq_neg(square, square);
        mpq_t power;
        mpq_init(power);
        mpq_mul(power, middle, middle);
        mpq_add(square, square, power);
        mpq_clear(power);
        count = mpq_sgn(square) < 0 ? 0 : mpq_sgn(square) == 0 ? 1 : 2;
        for (int i = 0; i < count; i++) {
            mpq_set(roots[i].base, middle);
            mpq_set(roots[i].square, square);
            roots[i].sign = count == 1 ? 0 : 2 * i - 1;
        }
    }
    mpq_clears(middle, square, NULL);
    return count;
}
