#include "sight_oracle.h"
#include <string.h>

lf_sight sight_oracle_ask(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                          lf_cursor *cursor) {
    lf_sight said;
    memset(&said, 0x5a, sizeof said);
    lf_status status = lf_sight_between(ground, rules, a, b, &said, cursor);
    if (status != LF_OK)
        fail_msg("refused: %a %a %a to %a %a %a, bend %a radius %a, span %d", a.x, a.y, a.z, b.x, b.y, b.z,
                 rules->curvature.coefficient, rules->curvature.radius, (int)rules->units);
    return said;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

bool sight_oracle_same(const lf_sight *a, const lf_sight *b) {
    return a->verdict == b->verdict && same_bits(a->t, b->t) && same_bits(a->point.x, b->point.x) &&
           same_bits(a->point.y, b->point.y) && same_bits(a->point.z, b->point.z) &&
           same_bits(a->length, b->length);
}

bool sight_oracle_same_numbers(const lf_sight *a, const lf_sight *b, bool zone) {
    return sight_oracle_same(a, b) && same_bits(a->clearance, b->clearance) &&
           same_bits(a->clearance_t, b->clearance_t) && same_bits(a->raise, b->raise) &&
           same_bits(a->raise_t, b->raise_t) &&
           (!zone || (same_bits(a->fresnel, b->fresnel) && same_bits(a->fresnel_t, b->fresnel_t)));
}

/// From every end, with and without detail, on plain instructions: the same answer.
static void oracle_ways(grid_oracle *oracle, grid_bench *bench, const nasty_sight *asked,
                        const lf_sight *said) {
    nasty_sight other = *asked;
    for (int search = LF_SEARCH_FORWARD; search <= LF_SEARCH_LAST; search++) {
        other.rules.search = (lf_search)search;
        other.rules.detail = false;
        lf_sight again =
            sight_oracle_ask(bench->best.ground, &other.rules, asked->a, asked->b, bench->cursor);
        if (!sight_oracle_same(&again, said))
            sight_oracle_wrong(oracle, bench, &other, "without detail, or from another end: not the same",
                               &again);
        lf_verdict verdict = (lf_verdict)9;
        assert_int_equal(lf_sight_verdict(bench->best.ground, &other.rules, asked->a, asked->b, &verdict,
                                          search == LF_SEARCH_BACKWARD ? NULL : bench->cursor),
                         LF_OK);
        if (verdict != said->verdict)
            sight_oracle_wrong(oracle, bench, &other, "verdict alone: not the same", &again);
    }
    other.rules = asked->rules;
    grid_bench_plain(true);
    lf_sight plain = sight_oracle_ask(bench->plain.ground, &other.rules, asked->a, asked->b, NULL);
    grid_bench_plain(false);
    if (!sight_oracle_same_numbers(&plain, said, asked->rules.frequency_mhz > 0))
        sight_oracle_wrong(oracle, bench, asked, "on plain instructions: not the same", &plain);
}

static void oracle_backwards(grid_oracle *oracle, grid_bench *bench, const nasty_sight *asked,
                             const lf_sight *said) {
    nasty_sight back = *asked;
    back.a = asked->b;
    back.b = asked->a;
    back.rules.detail = false;
    lf_sight again = sight_oracle_ask(bench->best.ground, &back.rules, back.a, back.b, bench->cursor);
    if (again.verdict != said->verdict)
        sight_oracle_wrong(oracle, bench, &back, "not the same both ways", &again);
    if (again.verdict == LF_VERDICT_CLEAR)
        return;
    sight_truth truth = sight_truth_of(bench, &back, NULL);
    const char *fault = sight_oracle_answer(&back, &truth, &again, false);
    if (fault)
        sight_oracle_wrong(oracle, bench, &back, fault, &again);
}

lf_sight sight_oracle_line(grid_oracle *oracle, grid_bench *bench, const nasty_sight *asked) {
    lf_sight said = sight_oracle_ask(bench->best.ground, &asked->rules, asked->a, asked->b, bench->cursor);
    sight_truth truth = sight_truth_of(bench, asked, NULL);
    const char *fault = sight_oracle_answer(asked, &truth, &said, true);
    oracle->questions++;
    oracle->hits += truth.verdict == LF_VERDICT_BLOCKED;
    oracle->misses += truth.verdict == LF_VERDICT_CLEAR;
    oracle->meetings += truth.sight.part_count;
    oracle->ties += truth.verdict == LF_VERDICT_UNKNOWN;
    if (fault)
        sight_oracle_wrong(oracle, bench, asked, fault, &said);
    oracle_ways(oracle, bench, asked, &said);
    oracle_backwards(oracle, bench, asked, &said);
    return said;
}
