/// landfall/sight.h: can A see B, by how much, and where does it break.
///
/// A sight line runs over the straight line between its ends on the map, and bends with the earth and the air if the rules
/// say so. It is blocked by ground strictly above it at a place strictly between its ends; ground that it touches does not
/// block. Between two ends the verdict is the same both ways.
#ifndef LANDFALL_SIGHT_H
#define LANDFALL_SIGHT_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LF_BEND_FLAT 0.0      ///< a flat earth
#define LF_BEND_LIGHT 0.85714 ///< light over the round earth, in usual air
#define LF_BEND_RADIO 0.75    ///< radio: as over an earth of 4/3 of its radius

/// How a line bends against a round earth: at a distance d from an end of a line of length L the line lies lower, above the ground, by
/// coefficient * d * (L - d) / (2 * radius) than on a flat earth. A factor k of the earth's radius is coefficient 1 / k.
typedef struct lf_bend {
    double coefficient; ///< 0 .. 1 as a rule; within 256 times the radius
    double radius;      ///< metres, > 0; 6371008.8 by default
} lf_bend;

/// Metres between two places of the map.
typedef enum lf_span {
    LF_SPAN_PLANE, ///< world units are metres: sqrt(dx^2 + dy^2)
    LF_SPAN_DEGREES ///< x is longitude, y is latitude: the geodesic on the ellipsoid; along a line in proportion to t
} lf_span;

/// What a hole does to a sight line that passes over it. A hole is taken to be no higher than the highest height of its grid:
/// a line that stays above that passes.
typedef enum lf_hole_policy {
    LF_HOLES_UNKNOWN, ///< nobody knows: the verdict is unknown, unless known ground blocks (default)
    LF_HOLES_PASS,    ///< nothing is there
    LF_HOLES_STOP     ///< it blocks
} lf_hole_policy;

/// From which end a line is searched where only the verdict is asked for. It changes how long an answer takes, never the
/// answer.
typedef enum lf_search {
    LF_SEARCH_FORWARD,  ///< from a
    LF_SEARCH_BACKWARD, ///< from b
    LF_SEARCH_LAST ///< from the end near which the cursor's last line, or the one before in a batch, was decided
} lf_search;

/// The rules of sight questions; start from lf_sight_rules_default().
typedef struct lf_sight_rules {
    size_t size; ///< stamped by the default function
    lf_bend bend;
    lf_span span;
    lf_ellipsoid ellipsoid; ///< for degrees
    lf_hole_policy holes;
    lf_search search;
    bool detail;          ///< also clearance, raise and Fresnel's zone: costs a walk along the whole line
    double frequency_mhz; ///< > 0: Fresnel's first zone of that wave, where detail is asked for; 0: none
} lf_sight_rules;

static inline lf_sight_rules lf_sight_rules_default(void) {
    lf_sight_rules rules = {
        sizeof(lf_sight_rules), {LF_BEND_FLAT, 6371008.8}, LF_SPAN_PLANE, {6378137.0, 1.0 / 298.257223563},
        LF_HOLES_UNKNOWN,       LF_SEARCH_FORWARD,         false,         0};
    return rules;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to rules.
LF_API void lf_sight_rules_init(lf_sight_rules *rules, size_t size);

#define LF_VERDICT_LIST(X)              \
    X(LF_VERDICT_CLEAR, 0, "clear")     \
    X(LF_VERDICT_BLOCKED, 1, "blocked") \
    X(LF_VERDICT_UNKNOWN, 2, "unknown")

typedef enum lf_verdict {
#define LF_VERDICT_ENUM(name, value, word) name = value,
    LF_VERDICT_LIST(LF_VERDICT_ENUM)
#undef LF_VERDICT_ENUM
} lf_verdict;

/// The word for a verdict, such as "blocked"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_verdict_word(lf_verdict verdict);

/// What is to be said of a line from a (t = 0) to b (t = 1).
typedef struct lf_sight {
    lf_verdict verdict;
    double
        t; ///< blocked: where the line first goes below ground; unknown: where it enters the first hole; clear: 1
    lf_vec3 point; ///< of the line there
    double length; ///< metres from a to b on the map, by the rules' span
    double
        clearance; ///< detail: least height of the line above known ground between its ends (negative: below);
                   ///< INFINITY over none. Where there are several floors the topmost counts
    double clearance_t; ///< and where
    double
        raise; ///< detail: how much higher b would have to be to be seen over known ground; negative: how much lower it
               ///< could be; INFINITY when a is below ground, -INFINITY over none
    double raise_t; ///< and which place decides
    double
        fresnel; ///< frequency: least clearance as a share of the first zone's radius there; -INFINITY when an end is
                 ///< below ground
    double fresnel_t; ///< and where
} lf_sight;

/// Where to stand: the topmost ground at a place, and `above` metres more, rounded up so that it is never below the ground by
/// rounding. A target put on the ground by hand (the rounded height of lf_ground_height) can lie an ulp below it, and is
/// then rightly hidden. On a grid the ground is that of the place as sight lines have it: set on a post where only
/// the rounding of the world's numbers keeps it off one.
/// at      within 1e30
/// above   within 1e30
/// point   written when there is ground: z is at least ground + above, and more by less than the accuracy of lf_ground_height
/// reason  LF_REASON_ANSWERED, or why there is no ground
/// Errors: LF_BAD_ARGUMENT, also where down is not -z. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sight_stand(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point,
                                lf_reason *reason);

/// Can a see b? On a grid with a turn (lf_grid_def) the line takes the shorter way round, and its points continue from a's x.
/// a, b    within 1e30, z above datum (lf_sight_stand gives the ground to add to); with degrees y within 90
/// sight   written only on success. On grids the verdict is exact for the line after its conversion to columns and rows
///         (lf_grid_place, set on posts where only rounding keeps an end off one); t and point to rounding. On polygons a flat
///         line is blocked by a polygon whose plane it goes through strictly between its ends, within the closed polygon,
///         from whichever side, exactly; a bent one is taken as straight pieces that are off by 0.5 mm at most
/// cursor  counters and layers, or NULL
/// Errors: LF_BAD_ARGUMENT for NULL, numbers that are not finite, bad rules, a bend on ground whose gravity is not one direction.
/// Allocates nothing. Threads: any number at once, each with its own cursor.
LF_API lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_sight *sight, lf_cursor *cursor);

/// Only the verdict: that of lf_sight_between, sooner, because any break will do.
/// cursor  counters, layers, and the hint of LF_SEARCH_LAST; or NULL
/// Otherwise as lf_sight_between.
LF_API lf_status lf_sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_verdict *verdict, lf_cursor *cursor);

/// Many lines: bit for bit what lf_sight_between gives for each.
/// a, b, sights  count of each, so many bytes apart (0: packed; for a or b: SIZE_MAX, the same for all)
/// tasks         parallel loop, or NULL for one thread
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                               size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                               lf_sight *sights, size_t sight_stride, const lf_tasks *tasks);

/// Only the verdicts of many lines, the fastest way.
/// verdicts  count bytes, lf_verdict each
/// Otherwise as lf_sight_many.
LF_API lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                                   size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                                   uint8_t *verdicts, const lf_tasks *tasks);

/// Who of these points sees whom.
/// points    count of them, as the ends of lf_sight_between
/// verdicts  count x count bytes: that of the line from i to j at [i * count + j], lf_verdict each; a point sees itself
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_matrix(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *points,
                                 int64_t count, uint8_t *verdicts, const lf_tasks *tasks);

/// Radius of Fresnel's first zone, metres, at d1 and d2 metres from the ends. Allocates nothing. Threads: any.
LF_API double lf_fresnel_radius(double frequency_mhz, double d1, double d2);

// ---------------------------------------------------------------------------------------------------
// Profiles
// ---------------------------------------------------------------------------------------------------

/// A place along a line.
typedef struct lf_profile_post {
    double t;
    double distance; ///< metres from a
    double ground;   ///< height; NAN over holes and beyond the ground
    double line;     ///< height of the (bent) line there
} lf_profile_post;

/// The ground under a line: the topmost, as far as the cursorless questions know it.
/// steps   0: on a grid both ends and every place where its surface breaks, twice where it jumps there or a hole begins or ends; otherwise
///         so many equal steps (>= 1; other grounds need it)
/// posts   room for capacity, in order of t
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// Heights and lines are counted along gravity, as z of the ground's frame where that is not -z.
/// Errors: as lf_sight_between; LF_BAD_ARGUMENT for steps < 0, or 0 where it is needed. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sight_profile(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  int64_t steps, lf_profile_post *posts, int64_t capacity, int64_t *count);

/// What decides at an end of a path, as radio planners want it.
typedef struct lf_path_horizon {
    double angle_deg; ///< of the horizon, above level at that end; of the other end when it is seen
    double distance;  ///< metres to what makes it; the path's length when the other end is seen
} lf_path_horizon;

/// What is to be said of a path.
typedef struct lf_path_view {
    lf_sight sight; ///< points have x = metres from a, y = 0
    lf_path_horizon from_a, from_b;
} lf_path_view;

/// Sight over a profile that somebody measured.
/// distances  metres from a, ascending, the first 0; heights: ground there; count >= 2, all within 1e30
/// a_height, b_height  of the ends above the first and last ground
/// between    true: straight ground between posts; false: only the posts count, as with ITU-R P.1812
/// rules      bend and frequency are used; detail is taken as asked for
/// view       written only on success; all of it to rounding. Ground that the line touches does not block
/// error      optional; `where` is the index of the offending post
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_path_sight(const double *distances, const double *heights, int64_t count, double a_height,
                               double b_height, bool between, const lf_sight_rules *rules, lf_path_view *view,
                               lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
