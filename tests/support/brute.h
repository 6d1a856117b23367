/// Every question asked of every polygon, exactly, and a oracle that compares the library's answers with that.
#ifndef LF_TESTS_BRUTE_H
#define LF_TESTS_BRUTE_H

#include "exact.h"
#include "nasty.h"
#include <landfall/ground.h>

/// How far a t may be off the exact one, relative to it.
#define BRUTE_T_TOLERANCE 3e-14
/// Heights come from planes in doubles: this many metres off at the most, and this share of the terrain's extent.
#define BRUTE_HEIGHT_TOLERANCE 1e-10
#define BRUTE_EXTENT_TOLERANCE 1e-14

/// One element (polygon, or triangle where `by_triangle`) that is met, with the least exact t on it.
typedef struct brute_hit {
    int64_t element;
    double t;
    int64_t triangle; ///< of all the mesh's, where t is least; the lowest of several
} brute_hit;

/// All elements that are met, in ascending order of element.
typedef struct brute_answer {
    brute_hit *hits;
    int64_t count;
    double first_t; ///< the least t, when count > 0
    int64_t first;  ///< which of the hits has it, by the exact t; the lowest element of several
} brute_answer;

/// What to ask of what.
typedef struct brute_question {
    const nasty_mesh *mesh;
    lf_ray ray;       ///< t_min may be -INFINITY
    uint32_t layers;  ///< polygons with none of these are not there
    bool by_triangle; ///< elements are triangles: no layers, all two-sided (trees)
    bool across;      ///< polygons that the line lies in are not met (gravity lines and walls)
    bool both_sides;  ///< one-sided polygons are met from both sides
} brute_question;

/// answer->hits must have space for all elements.
void brute_ask(const brute_question *question, brute_answer *answer);

/// Is a triangle of the question's mesh met before another, by the exact t? Both are met; t and other_t are rounded once.
int brute_order(const brute_question *question, double t, int64_t triangle, double other_t, int64_t other);

/// Is this hit the element, and the triangle of it, that the question's rule for ties names?
bool oracle_is_first(const brute_question *question, const brute_answer *expected, const lf_hit *hit);

/// Are two neighbours in a list of hits in order: by the exact t, then by element, with rounded t that do not fall?
bool oracle_in_order(const brute_question *question, const brute_answer *expected, const lf_hit *hit,
                     const lf_hit *next);

/// Keeps count, and prints the first of each kind of disagreement so that it can be repeated.
#define JUDGE_FAULTS 16
typedef struct oracle {
    const char *name;
    int64_t questions, hits, misses, meetings, wrong;
    const char *faults[JUDGE_FAULTS];
    int64_t fault_counts[JUDGE_FAULTS];
} oracle;

/// What the library said to one ray.
typedef struct checked_ray {
    lf_hit first;
    bool any;
    const lf_hit *all;
    int64_t count;
} checked_ray;

/// Compare the library's answers with the exact ones.
void oracle_ray(oracle *oracle, const brute_question *question, const brute_answer *expected,
                const checked_ray *said);

/// How far the height of a hit may be off.
double oracle_height_slack(const brute_question *question, const lf_hit *hit);

/// Check one hit by itself: its triangle is met at its t, point, normal and barycentrics fit, user and layers are
/// the polygon's. t_scale: t of the hit = t_scale * t of the question's ray. Returns what is wrong, or NULL.
const char *oracle_hit(const brute_question *question, const lf_hit *hit, double t_scale);

/// Say that an answer is wrong, with everything that is needed to ask again when it is the first of its kind (then
/// true).
bool oracle_wrong(oracle *oracle, const brute_question *question, const char *what, const lf_hit *hit);

/// Print the counts and fail when anything was wrong or too little was asked.
void oracle_close(const oracle *oracle, int64_t at_least);

bool oracle_close_to(double a, double b, double tolerance);
/// Field by field, bit by bit.
bool oracle_same_hit(const lf_hit *a, const lf_hit *b);
/// Every hit of both.
bool oracle_same_answers(const checked_ray *a, const checked_ray *b);

#endif
