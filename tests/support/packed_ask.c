#include "packed_ask.h"
#include "brute.h"
#include <landfall/sight.h>

static void same(const lf_hit *a, const lf_hit *b) {
    assert_true(oracle_same_hit(a, b));
}

void packed_ask_ray(const packed_twins *t, const lf_ray *ray) {
    lf_hit a, b, all_a[20], all_b[20];
    bool any_a, any_b;
    int64_t count_a, count_b;
    assert_int_equal(lf_ground_ray_first(t->packed, ray, &a, t->cursor),
                     lf_ground_ray_first(t->plain, ray, &b, NULL));
    same(&a, &b);
    assert_int_equal(lf_ground_ray_first(t->packed, ray, &a, NULL), LF_OK);
    same(&a, &b);
    assert_int_equal(lf_ground_ray_any(t->packed, ray, &any_a, t->cursor), LF_OK);
    assert_int_equal(lf_ground_ray_any(t->plain, ray, &any_b, NULL), LF_OK);
    assert_int_equal(any_a, any_b);
    lf_status of_a = lf_ground_ray_all(t->packed, ray, all_a, 20, &count_a, t->cursor);
    assert_int_equal(of_a, lf_ground_ray_all(t->plain, ray, all_b, 20, &count_b, NULL));
    assert_int_equal(count_a, count_b);
    for (int64_t k = 0; k < count_a && k < 20; k++)
        same(&all_a[k], &all_b[k]);
    assert_int_equal(lf_ground_ray_first_many(t->packed, ray, 0, 1, &a, 0, NULL), LF_OK);
    same(&a, &b);
}

void packed_ask_height(const packed_twins *t, lf_vec3 point) {
    for (int look = 0; look < 2; look++) {
        lf_hit a, b;
        double height_a, height_b;
        lf_status status = lf_ground_height(t->packed, point, (lf_vertical)look, &a, t->cursor);
        assert_int_equal(status, lf_ground_height(t->plain, point, (lf_vertical)look, &b, NULL));
        if (status != LF_OK)
            continue;
        same(&a, &b);
        assert_int_equal(lf_ground_weights(t->packed, &a), lf_ground_weights(t->plain, &b));
        same(&a, &b);
        lf_ground_heights_many(t->packed, &point, 0, 1, (lf_vertical)look, &height_a, 0, NULL);
        lf_ground_heights_many(t->plain, &point, 0, 1, (lf_vertical)look, &height_b, 0, NULL);
        assert_true(height_a == height_b || (isnan(height_a) && isnan(height_b)));
    }
}

void packed_ask_sight(const packed_twins *t, lf_vec3 from, lf_vec3 to) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight a, b;
    lf_verdict verdict_a, verdict_b;
    rules.detail = true;
    lf_status status = lf_sight_between(t->packed, &rules, from, to, &a, t->cursor);
    assert_int_equal(status, lf_sight_between(t->plain, &rules, from, to, &b, NULL));
    if (status != LF_OK)
        return;
    assert_int_equal(a.verdict, b.verdict);
    assert_true(a.t == b.t && a.clearance == b.clearance && a.raise == b.raise);
    assert_int_equal(lf_sight_verdict(t->packed, &rules, from, to, &verdict_a, NULL), LF_OK);
    assert_int_equal(lf_sight_verdict(t->plain, &rules, from, to, &verdict_b, NULL), LF_OK);
    assert_int_equal(verdict_a, verdict_b);
}
