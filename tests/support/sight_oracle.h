/// A oracle of sight lines: what the library says against what the definitions say.
#ifndef LF_TESTS_SIGHT_JUDGE_H
#define LF_TESTS_SIGHT_JUDGE_H

#include "grid_oracle.h"
#include "nasty_sight.h"

/// What the definitions say of a line.
typedef struct sight_truth {
    exact_line line;
    exact_sight sight;
    lf_verdict verdict;
    double t, length;
} sight_truth;

/// places  of a and b in columns and rows, or NULL: converted
sight_truth sight_truth_of(const grid_bench *bench, const nasty_sight *asked, const lf_vec2 places[2]);

/// What is wrong with an answer; NULL: nothing. To be asked before the next truth.
/// detail  oracle clearance, raise and zone too
const char *sight_oracle_answer(const nasty_sight *asked, const sight_truth *truth, const lf_sight *said,
                                bool detail);

/// A number within what rounding explains, and 1e-9 more.
bool sight_oracle_in(const exact_range *range, double factor, double said);

/// Count it, and when it is the first of its kind print all that is needed to ask again.
void sight_oracle_wrong(grid_oracle *oracle, const grid_bench *bench, const nasty_sight *asked,
                        const char *what, const lf_sight *said);

/// Ask the library, which has to answer.
lf_sight sight_oracle_ask(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                          lf_cursor *cursor);

/// The same bits: the verdict and where; and the numbers of detail too.
bool sight_oracle_same(const lf_sight *a, const lf_sight *b);
bool sight_oracle_same_numbers(const lf_sight *a, const lf_sight *b, bool zone);

/// Ask about one line, both ways, from every end, on both instruction sets, and oracle. The rules ask for detail.
lf_sight sight_oracle_line(grid_oracle *oracle, grid_bench *bench, const nasty_sight *asked);

#endif
