/// landfall/sight.h: lines of sight, profiles, viewsheds, horizons and shade.
///
/// On every kind of ground, groups, scenes and globes too. A sight line runs over the straight line between its ends on the map, and is curved by earth curvature and
/// refraction if the rules include them. It is blocked by ground strictly above it at a place strictly
/// between its ends; ground that it touches does not block. Between two ends the verdict is the same both
/// ways.
#ifndef LANDFALL_SIGHT_H
#define LANDFALL_SIGHT_H

#include <landfall/grid.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LF_CURVATURE_FLAT 0.0      ///< a flat earth
#define LF_CURVATURE_LIGHT 0.85714 ///< light over the round earth, in usual air
#define LF_CURVATURE_RADIO 0.75    ///< radio: as over an earth of 4/3 of its radius

/// Curvature of a line relative to a round earth: at a distance d from an end of a line of length L the line
/// lies lower, above the ground, by coefficient * d * (L - d) / (2 * radius) than on a flat earth. A factor k
/// of the earth's radius is coefficient 1 / k.
///
/// On a globe lines are in earth-centred coordinates, and the earth is round by itself. With coefficient 0 the line is straight in
/// space. Otherwise it is bent by refraction alone, by the same rule: it lies higher than the straight line, away from the centre, by
/// (1 - coefficient) * d * (L - d) / (2 * radius), where L is the straight distance of its ends. This parabola differs
/// from the arc of a circle of the radius radius / (1 - coefficient) by less than L^4 / (128 * that radius^3), which is 10 micrometres for
/// 100 km in usual air.
typedef struct lf_curvature {
    double coefficient; ///< 0 .. 1 as a rule; within 256 times the radius
    double radius;      ///< metres, > 0; 6371008.8 by default
} lf_curvature;

/// Metres between two places of the map.
typedef enum lf_map_units {
    LF_MAP_METRES, ///< world units are metres: sqrt(dx^2 + dy^2)
    LF_MAP_DEGREES ///< x is longitude, y is latitude: the geodesic on the ellipsoid; along a line in proportion to t
} lf_map_units;

/// What a void does to a line that passes over it. A void is assumed to be no higher than the highest height
/// of its grid: a line that stays above that passes.
typedef enum lf_void_policy {
    LF_VOIDS_UNKNOWN, ///< the verdict is unknown, unless known ground blocks (default)
    LF_VOIDS_PASS,    ///< the line passes
    LF_VOIDS_STOP     ///< it blocks
} lf_void_policy;

/// From which end a line is searched if only the verdict is requested. It affects the time, never the
/// result.
typedef enum lf_search {
    LF_SEARCH_FORWARD,  ///< from a
    LF_SEARCH_BACKWARD, ///< from b
    LF_SEARCH_LAST ///< from the end near which the cursor's last line, or the one before in a batch, was decided
} lf_search;

/// Rules of lines of sight; start from lf_sight_rules_default().
typedef struct lf_sight_rules {
    size_t size;            ///< stamped by the default function
    lf_curvature curvature; ///< of the earth, with refraction
    lf_map_units units;     ///< of x and y
    lf_ellipsoid ellipsoid; ///< for degrees
    lf_void_policy voids;   ///< what a void does to a line
    lf_search search;       ///< order of the search
    bool detail;            ///< also clearance, raise and Fresnel's zone: costs a walk along the whole line
    double frequency_mhz;   ///< > 0: Fresnel's first zone of that wave, if detail is set; 0: off
    /// Only elements in one of these layers, and of the cursor's, block: glass stops a ray, not sight.
    uint32_t layers;
} lf_sight_rules;

static inline lf_sight_rules lf_sight_rules_default(void) {
    lf_sight_rules rules = {sizeof(lf_sight_rules),
                            {LF_CURVATURE_FLAT, 6371008.8},
                            LF_MAP_METRES,
                            {6378137.0, 1.0 / 298.257223563},
                            LF_VOIDS_UNKNOWN,
                            LF_SEARCH_FORWARD,
                            false,
                            0,
                            0xffffffffu};
    return rules;
}

/// Answers about a line of sight: identifier, value, name.
#define LF_VERDICT_LIST(X)              \
    X(LF_VERDICT_CLEAR, 0, "clear")     \
    X(LF_VERDICT_BLOCKED, 1, "blocked") \
    X(LF_VERDICT_UNKNOWN, 2, "unknown")

typedef enum lf_verdict {
#define LF_VERDICT_ENUM(name, value, word) name = value,
    LF_VERDICT_LIST(LF_VERDICT_ENUM)
#undef LF_VERDICT_ENUM
} lf_verdict;

/// The name of a verdict, such as "blocked"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_verdict_name(lf_verdict verdict) {
    LF_NAME_OF(verdict, LF_VERDICT_LIST, LF_NAME_CASE_3);
}

/// The result for a line from a (t = 0) to b (t = 1).
typedef struct lf_sight {
    lf_verdict verdict; ///< the answer
    /// Blocked: where the line first goes below ground; unknown: where it enters the first void; clear: 1.
    double t;
    lf_vec3 point; ///< of the line there
    double length; ///< metres from a to b on the map, in the rules' units; on a globe straight from a to b
    /// Detail: least height of the line above known ground between its ends (negative: below); INFINITY: no
    /// ground. Of several floors the topmost counts.
    double clearance;
    double clearance_t; ///< and where
    /// Detail: how much higher b would have to be to be seen over known ground; negative: how much lower it
    /// could be; INFINITY when a is below ground, -INFINITY: no ground.
    double raise;
    double raise_t; ///< and which place decides
    /// Frequency: least clearance as a share of the first zone's radius there; -INFINITY when an end is
    /// below ground.
    double fresnel;
    double fresnel_t; ///< and where
} lf_sight;

/// A point above ground: the topmost ground at a place plus `above` metres, rounded up so that it is never
/// below the ground by rounding. A target put on the ground by hand (the rounded height of lf_ground_height)
/// can lie an ulp below it, and is then correctly hidden. On a grid the place is snapped as for lines of
/// sight: to a sample if only the rounding of the world's numbers keeps it off one.
/// at      within 1e30
/// above   within 1e30
/// point   written when there is ground: z is at least ground + above, and more by less than the accuracy of
///         lf_ground_height
/// reason  always written: LF_REASON_ANSWERED, or why there is no ground; LF_REASON_NONE after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT, also where down is not -z. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_sight_observer(const lf_ground *ground, lf_vec2 at, double above, lf_vec3 *point,
                                   lf_reason *reason);

/// Can a see b? On a grid with a turn (lf_grid_def) the line takes the shorter way round, and its points
/// continue from a's x.
/// a, b    within 1e30, z above datum (lf_sight_observer gives the ground to add to); with degrees y within
///         90
/// sight   written only on success. On grids the verdict is exact for the line after its conversion to
///         columns and rows (lf_grid_locate, snapped to samples where only rounding keeps an end off one); t
///         and point to rounding. On polygons a flat line is blocked by a polygon whose plane it goes through
///         strictly between its ends, within the closed polygon, from either side, exactly; a curved one is
///         cut into straight pieces that are off by 0.5 mm at most
/// cursor  counters and layers, or NULL
///         Objects and polygons of groups and scenes likewise, each in the coordinates of its part
/// Errors: LF_BAD_ARGUMENT for NULL, numbers that are not finite, invalid rules, curvature on ground whose
/// gravity is towards an axis. Allocates nothing. Threads: any number at once, each with its own cursor.
LF_API lf_status lf_sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_sight *sight, lf_cursor *cursor);

/// Only the verdict: that of lf_sight_between, faster, because any blocked place will do.
/// cursor  counters, layers, and the hint of LF_SEARCH_LAST; or NULL
/// Otherwise as lf_sight_between.
LF_API lf_status lf_sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  lf_verdict *verdict, lf_cursor *cursor);

/// Many lines: bit for bit what lf_sight_between gives for each.
/// a, b, sights  count of each, so many bytes apart (0: packed; for a or b: LF_STRIDE_SAME, the same for all)
/// tasks         parallel loop, or NULL for one thread
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_many(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                               size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                               lf_sight *sights, size_t sight_stride, const lf_tasks *tasks);

/// Only the verdicts of many lines: the fastest call.
/// verdicts  count bytes, lf_verdict each
/// Otherwise as lf_sight_many.
LF_API lf_status lf_sight_verdicts(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *a,
                                   size_t a_stride, const lf_vec3 *b, size_t b_stride, int64_t count,
                                   uint8_t *verdicts, const lf_tasks *tasks);

/// Intervisibility of all pairs of points.
/// points    count of them, as the ends of lf_sight_between
/// verdicts  count x count bytes: that of the line from i to j at [i * count + j], lf_verdict each; a point
///           sees itself
/// Errors: as lf_sight_between; nothing is written then. Allocates nothing.
LF_API lf_status lf_sight_matrix(const lf_ground *ground, const lf_sight_rules *rules, const lf_vec3 *points,
                                 int64_t count, uint8_t *verdicts, const lf_tasks *tasks);

/// Radius of Fresnel's first zone, metres, at d1 and d2 metres from the ends.
static inline double lf_fresnel_radius(double frequency_mhz, double d1, double d2) {
    return sqrt(299.792458 / frequency_mhz * d1 * d2 / (d1 + d2));
}

// ---------------------------------------------------------------------------------------------------
// Profiles
// ---------------------------------------------------------------------------------------------------

/// A place along a line.
typedef struct lf_profile_point {
    double t;        ///< position along the ray or line
    double distance; ///< metres from a
    double ground;   ///< height; NAN over voids and beyond the ground
    double line;     ///< height of the (curved) line there
} lf_profile_point;

/// The ground under a line: the topmost, as queries without a cursor find it.
/// steps   0: on a grid both ends and every break of its surface, twice at jumps and at borders of voids;
///         otherwise so many equal steps (>= 1; other grounds need it)
/// points  space for capacity points, in order of t
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// Heights and lines are counted along gravity, as z of the ground's frame where that is not -z.
/// Errors: as lf_sight_between; LF_BAD_ARGUMENT for steps < 0, or 0 where it is needed. Allocates nothing.
/// Threads: any number at once.
LF_API lf_status lf_sight_profile(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                                  int64_t steps, lf_profile_point *points, int64_t capacity, int64_t *count);

/// The horizon at an end of a path, as used in radio planning.
typedef struct lf_profile_horizon {
    double angle_deg; ///< of the horizon, above level at that end; of the other end when it is seen
    double distance;  ///< metres to what makes it; the path's length when the other end is seen
} lf_profile_horizon;

/// The result for a path.
typedef struct lf_profile_sight {
    lf_sight sight;                    ///< points have x = metres from a, y = 0
    lf_profile_horizon from_a, from_b; ///< at each end
} lf_profile_sight;

/// Line of sight over a measured profile.
/// distances  metres from a, ascending, the first 0; heights: ground there; count >= 2, all within 1e30
/// a_height, b_height  of the ends above the first and last ground
/// between    true: straight ground between samples; false: only the samples count, as with ITU-R P.1812
/// rules      curvature and frequency are used; detail is always computed
/// result     written only on success; all of it to rounding. Ground that the line touches does not block
/// error      optional; `where` is the index of the offending sample
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_sight_over_profile(const double *distances, const double *heights, int64_t count,
                                       double a_height, double b_height, bool between,
                                       const lf_sight_rules *rules, lf_profile_sight *result,
                                       lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Visibility of every sample of a lattice from an observer, on any ground.
//
// A sample is visible if lf_sight_between is clear for the line from the observer to the target above it:
// none is approximated. Over a grid most are decided together, by a sweep around the observer that knows an
// upper and a lower bound of the horizon in every direction; those between the bounds get a line of their
// own. In a group of one grid in its place and any obstacles (lf_group_part), the grid is swept too, and each
// of the other parts is only tested for the targets that it could hide. Over other grounds each target has
// its own line.
// ---------------------------------------------------------------------------------------------------

/// What targets stand on.
typedef enum lf_target_on {
    LF_TARGET_TOP, ///< the topmost ground: the roof where there is a building (default)
    /// The topmost grid or globe of a group, whatever else is there: a target within a building is hidden by it. Without any:
    /// as LF_TARGET_TOP.
    LF_TARGET_GROUND
} lf_target_on;

/// An observer.
typedef struct lf_observer {
    lf_vec2 at;    ///< finite
    double height; ///< above the ground there (as lf_sight_observer), or above datum
    bool datum;    ///< height is above datum: the observer may then be over a void or beyond the grid
} lf_observer;

/// True east and north on the map at a place: steps in x and y of one metre that way. They need be neither
/// along the axes nor at right angles. lf_crs_compass (landfall/io.h) finds them.
typedef struct lf_compass {
    lf_vec2 east, north; ///< steps of one metre on the map
} lf_compass;

/// Definition of a viewshed; start from lf_viewshed_def_default(). A sample exactly at the observer is within
/// all limits but range_min. Limits are closed, and rounding does not open them: what is within 1e-9 degrees
/// of a limit of azimuth or pitch, or within 1e-12 of its distance (and the rounding of x and y) of a limit
/// of range, is on it.
typedef struct lf_viewshed_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_sight_rules rules; ///< curvature, units, ellipsoid and voids are used
    double target;        ///< height of targets above their samples, finite; 0 by default
    double range_min;     ///< metres on the map, in the rules' units, closed: 0 or more; 0 by default
    double range_max;     ///< likewise; INFINITY by default
    /// Clockwise from north (+y, or as the compasses have it), from here on, closed; 0 by default. On
    /// degrees: of the straight line on the map, by the lengths of degrees at the observer.
    double azimuth_from_deg;
    /// Clockwise to here, closed; 360 by default. All around when 360 or more beyond the first.
    double azimuth_to_deg;
    /// Angle of the target above level at the observer, apparent (with curvature), closed; -90 by default.
    double pitch_low_deg;
    double pitch_high_deg; ///< 90 by default
    /// Optional: of each observer, which azimuths are counted by; NULL by default: north is +y.
    const lf_compass *compasses;
    lf_lattice lattice;     ///< of the targets
    lf_target_on target_on; ///< what targets, and their heights, are counted from
    /// For a lattice in another coordinate reference system: where each of its samples is in the ground's x and y (on a globe longitude and
    /// latitude), row after row. NAN: nowhere, a void. lattice.geotransform is then not used. NULL by default.
    const lf_vec2 *places;
} lf_viewshed_def;

static inline lf_viewshed_def lf_viewshed_def_default(void) {
    lf_viewshed_def def = {sizeof(lf_viewshed_def),
                           {NULL, NULL, NULL, NULL},
                           lf_sight_rules_default(),
                           0,
                           0,
                           LF_INFINITY,
                           0,
                           360,
                           -90,
                           90,
                           NULL,
                           {{{0, 0}, {0, 0}, {0, 0}}, 0, 0},
                           LF_TARGET_TOP,
                           NULL};
    return def;
}

/// Visibility of a sample: name, value, text. A void is a sample where the surface has no height
/// (LF_SURFACE_LIST), wherever it is; what is beyond the limits is not examined.
#define LF_VISIBILITY_LIST(X)              \
    X(LF_VISIBILITY_HIDDEN, 0, "hidden")   \
    X(LF_VISIBILITY_VISIBLE, 1, "visible") \
    X(LF_VISIBILITY_UNKNOWN, 2, "unknown") \
    X(LF_VISIBILITY_VOID, 3, "hole")       \
    X(LF_VISIBILITY_BEYOND, 4, "beyond")

typedef enum lf_visibility {
#define LF_VISIBILITY_ENUM(name, value, word) name = value,
    LF_VISIBILITY_LIST(LF_VISIBILITY_ENUM)
#undef LF_VISIBILITY_ENUM
} lf_visibility;

/// The name of a visibility, such as "hidden"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_visibility_name(lf_visibility visibility) {
    LF_NAME_OF(visibility, LF_VISIBILITY_LIST, LF_NAME_CASE_3);
}

/// Statistics of a run, summed over its observers.
typedef struct lf_viewshed_stats {
    int64_t counts[5]; ///< samples of each lf_visibility
    int64_t walked;    ///< samples decided by an exact line
    size_t bytes;      ///< scratch memory; at most lf_viewshed_bytes
} lf_viewshed_stats;

/// Upper bound of the scratch memory of a viewshed of this window, for any call: a byte per sample, and some
/// that does not depend on the window; lf_viewshed_visible takes only the latter. Grounds that are no grid take up to 13 bytes
/// per sample, and 200 per obstacle. For a grid that wraps a
/// copy of the columns around the observer is counted in, which is taken where the seam is within range. 0
/// where an argument is bad. Allocates nothing. Threads: any.
LF_API size_t lf_viewshed_bytes(const lf_ground *ground, const lf_viewshed_def *def, lf_window window);

/// A window that holds every sample within range_max of a place, and few others; the whole lattice when
/// range_max is INFINITY, on a globe and with places; all columns of a grid that wraps when its seam is within range; 0 x 0 when no
/// sample can be, or when an argument is bad. Allocates nothing. Threads: any.
LF_API lf_window lf_viewshed_window(const lf_ground *ground, const lf_viewshed_def *def, lf_vec2 at);

/// Visible or not.
/// ground    any. Where down is not -z, it must be a globe or a group with one. Observers stand on the topmost ground, and are then
///           at a longitude and latitude; their height, and that of targets, is counted away from the globe's centre
/// observer  above ground only where there is ground
/// window    within the lattice, 1 x 1 samples or more
/// seen      lf_visibility of each sample, rows of window.columns bytes, the window's first row first
/// row_step  bytes from row to row: 0 for packed, or no less than window.columns either way
/// stats     optional
/// error     optional; names the observer's position if there is no ground below it
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (nothing is written then), LF_CANCELLED (what has been written means
/// nothing). Allocates lf_viewshed_bytes with the host's allocator, and frees it. Same bytes for any tasks.
/// Threads: any number at once.
LF_API lf_status lf_viewshed_visible(const lf_ground *ground, const lf_viewshed_def *def,
                                     const lf_observer *observer, lf_window window, uint8_t *seen,
                                     ptrdiff_t row_step, lf_viewshed_stats *stats, lf_error *error);

/// A value that a viewshed computes for each sample: name, value, text. NAN for voids and beyond the limits.
#define LF_VIEWSHED_LIST(X)            \
    X(LF_VIEWSHED_GROUND, 0, "ground") \
    X(LF_VIEWSHED_DEM, 1, "dem")       \
    X(LF_VIEWSHED_ANGLE, 2, "angle")   \
    X(LF_VIEWSHED_DISTANCE, 3, "distance")

/// GROUND    least height above ground, 0 or more, at which a target would be visible and not below
///           pitch_low_deg (the def's target plays no part; the other limits and the counts are those of
///           targets on the ground, without pitch_low_deg, which raises heights instead of excluding them, as
///           in GDAL); NAN where a void is in the way of the line, unless voids let it pass, and for a
///           pitch_low_deg of 90 or more
/// DEM       the same above datum
/// ANGLE     degrees above level at which a visible target appears, with curvature; NAN where it is not
///           visible
/// DISTANCE  metres on the map to a visible target; NAN where it is not visible
typedef enum lf_viewshed_mode {
#define LF_VIEWSHED_ENUM(name, value, word) name = value,
    LF_VIEWSHED_LIST(LF_VIEWSHED_ENUM)
#undef LF_VIEWSHED_ENUM
} lf_viewshed_mode;

/// The name of a mode, such as "angle"; "?" for an unknown value. Static text. Threads: any.
static inline const char *lf_viewshed_mode_name(lf_viewshed_mode mode) {
    LF_NAME_OF(mode, LF_VIEWSHED_LIST, LF_NAME_CASE_3);
}

/// A value for each sample.
/// row_step  bytes, a multiple of 4; otherwise as lf_viewshed_visible
LF_API lf_status lf_viewshed_values(const lf_ground *ground, const lf_viewshed_def *def,
                                    const lf_observer *observer, lf_viewshed_mode mode, lf_window window,
                                    float *values, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                    lf_error *error);

/// How many of the observers see each sample; UINT32_MAX for voids.
/// observers  count of them, 0 or more; above ground only where there is ground: `where` of the error is the
///            offending one. Those on a grid whose range does not reach the window are not examined. With a range that reaches a
///            small part of the window, each is computed by one thread, else each by all
///            They are taken by place, neighbours one after the other, for which 16 bytes each are allocated
/// row_step   bytes, a multiple of 4; otherwise as lf_viewshed_visible
LF_API lf_status lf_viewshed_count(const lf_ground *ground, const lf_viewshed_def *def,
                                   const lf_observer *observers, int64_t observer_count, lf_window window,
                                   uint32_t *counts, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                   lf_error *error);

/// Which observers see each sample: bit k % 8 of its byte in plane k / 8 is set if observer k sees it.
/// planes  (observer_count + 7) / 8 planes, one after the other, of window.columns x window.rows packed bytes
/// Otherwise as lf_viewshed_count.
LF_API lf_status lf_viewshed_who(const lf_ground *ground, const lf_viewshed_def *def,
                                 const lf_observer *observers, int64_t observer_count, lf_window window,
                                 uint8_t *planes, lf_viewshed_stats *stats, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Siting: which of many places cover most.
//
// One place after the other is chosen, each time the one that adds most (greedy maximum coverage). No choice
// of as many places covers more than 1 / (1 - 1/e) = 1.58 times as much, and lf_site_stats has a limit for
// the case at hand, which is as a rule far lower.
// ---------------------------------------------------------------------------------------------------

#define LF_SITE_GUARANTEE 0.6321205588285577 ///< 1 - 1/e

/// Definition of a siting; start from lf_site_def_default().
typedef struct lf_site_def {
    size_t size;                   ///< stamped by the default function
    lf_viewshed_def view;          ///< viewsheds of the candidates, with the host
    const lf_observer *candidates; ///< as the observers of lf_viewshed_count
    int64_t candidate_count;       ///< 1 or more
    lf_window window;              ///< samples to cover; 0 x 0 (default): the whole lattice
    /// What each sample of the window counts, row after row, packed; samples of 0 or less and NAN count nothing. Finite. NULL
    /// (default): 1 each.
    const float *weights;
    /// A sample is covered when so many places see it, and in part before: by 1 / overlap for each. 1 (default) .. 255.
    int overlap;
    int64_t most; ///< places to choose, 1 or more
    size_t
        memory; ///< bytes for viewsheds that are kept; those that do not fit are computed again. 1e9 by default
} lf_site_def;

static inline lf_site_def lf_site_def_default(void) {
    lf_site_def def = {sizeof(lf_site_def), lf_viewshed_def_default(), NULL, 0, {0, 0, 0, 0}, NULL, 1, 1,
                       1000000000};
    return def;
}

/// A place that was chosen.
typedef struct lf_site {
    int64_t candidate; ///< its index
    double gain;       ///< what it added: samples, or their weight
    double covered;    ///< what it and all before it cover
} lf_site;

typedef struct lf_site_stats {
    double
        total; ///< what could be covered if everything were seen: samples that are no void, or their weight
    double limit;      ///< no choice of `most` candidates covers more than this
    int64_t viewsheds; ///< that were computed
    int64_t gains;     ///< that were evaluated
    size_t bytes;      ///< most memory taken by viewsheds that were kept
} lf_site_stats;

/// Choose the places that cover most.
/// sites  space for def->most; in the order of the choice. The same as of a greedy choice that evaluates every candidate each time:
///        of equal ones the first
/// count  how many were chosen: fewer than def->most where no other adds anything
/// stats  optional
/// error  optional; `where` is the offending candidate
/// Errors: as lf_viewshed_count. Allocates the scratch memory of viewsheds, def->memory at most, 64 bytes per candidate, and for each
/// sample 1/8 byte, with weights 12 and with an overlap 1 more; freed at the end. Same answer for any tasks. Threads: any number at once.
LF_API lf_status lf_site_choose(const lf_ground *ground, const lf_site_def *def, lf_site *sites,
                                int64_t *count, lf_site_stats *stats, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Horizons of points, and sun exposure, on grids.
//
// Directions are azimuths: degrees, clockwise from north (+y). On a projected map true north is elsewhere,
// and turns from place to place: suns of lf_sun_at and azimuths by compass have to be converted by
// lf_compass_to_map (landfall/io.h) for the place, or for parts of a window that are small enough. On a map
// in metres a direction is the straight line that leaves the point so; on degrees (rules.units) it is the
// straight line on the map whose first step has that azimuth on the ellipsoid, and distances along it are
// counted by the metres that a degree has at the point.
// ---------------------------------------------------------------------------------------------------

/// The horizon in one direction.
typedef struct lf_horizon {
    /// LF_REASON_ANSWERED, or LF_REASON_NONE: no ground in that direction; elevation is then -90, distance
    /// 0.
    lf_reason reason;
    double elevation_deg; ///< above level at the point, apparent (with curvature); may be negative
    double distance;      ///< metres on the map to the nearest place that makes it
    lf_vec3 point;        ///< that place, on the ground
    bool hole;            ///< there is a void in that direction within range, which may be higher
} lf_horizon;

/// The skyline of a point in a direction: the least upper bound, over the ground beyond the point and within
/// range, of the angle under which it appears; exact for this direction, not for the nearest cell. Ground at
/// the distance d and the height g appears under the slope (g - from.z) / d - coefficient * d / (2 * radius).
/// What lies at the point itself counts only as the limit of what is near it: from below ground everything is
/// hidden, and the elevation is 90. Of several places under the same slope, but for rounding (1e-12 of it and
/// of the heights' share in it), the nearest is reported.
/// rules        curvature, units and ellipsoid are used; NULL: the default
/// from         finite, z above datum. Columns and rows that are whole but for rounding are taken as whole,
///              as in lf_sight_between
/// azimuth_deg  finite
/// range        metres, > 0; INFINITY: to the border, or half a turn on a grid that wraps
/// horizon      written only on success; slopes to 1e-12 of themselves or of the heights' share in them
/// cursor       counters, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_horizon_at(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                               double azimuth_deg, double range, lf_horizon *horizon, lf_cursor *cursor);

/// Many directions of one point: bit for bit what lf_horizon_at gives for each.
/// azimuths_deg, horizons  count of each
/// tasks                   parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT; nothing is written then. Allocates nothing.
LF_API lf_status lf_horizon_around(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                                   const double *azimuths_deg, int64_t count, double range,
                                   lf_horizon *horizons, const lf_tasks *tasks);

/// Definition of maps; start from lf_horizon_def_default().
typedef struct lf_horizon_def {
    size_t size;            ///< stamped by the default function
    lf_host host;           ///< tasks for all cores, progress
    lf_sight_rules rules;   ///< curvature, units, ellipsoid and voids are used
    double height;          ///< of the points above the ground of their samples; finite, 0 by default
    double range;           ///< metres, > 0; INFINITY by default
    lf_lattice lattice;     ///< of the points
    lf_target_on target_on; ///< what points stand on
    const lf_vec2 *places;  ///< of the points, as in lf_viewshed_def
} lf_horizon_def;

static inline lf_horizon_def lf_horizon_def_default(void) {
    lf_horizon_def def = {sizeof(lf_horizon_def),
                          {NULL, NULL, NULL, NULL},
                          lf_sight_rules_default(),
                          0,
                          LF_INFINITY,
                          {{{0, 0}, {0, 0}, {0, 0}}, 0, 0},
                          LF_TARGET_TOP,
                          NULL};
    return def;
}

/// The horizon's elevation in one direction for every sample of a window: that of lf_horizon_at at the
/// sample, at the height of its ground + def.height, rounded to float. -90: no ground in that direction; NAN
/// for voids.
/// azimuth_deg  finite
/// window       within the grid, 1 x 1 or more
/// degrees      window.columns x window.rows, `row_step` bytes from row to row (0: packed; may be negative)
/// error        optional
/// Errors: LF_BAD_ARGUMENT (named), LF_CANCELLED; what has been written then is some of the samples. LF_NO_MEMORY, LF_TOO_LARGE.
/// On a grid it allocates nothing; on other grounds heights of the window's samples, with the host's allocator.
/// Same bits for any number of threads.
LF_API lf_status lf_horizon_map(const lf_ground *ground, const lf_horizon_def *def, double azimuth_deg,
                                lf_window window, float *degrees, ptrdiff_t row_step, lf_error *error);

/// The fraction of the sky visible from each sample of a window: the mean, over so many azimuths (0, 360 /
/// directions, ...), of cos^2 of the horizon's elevation, horizons below level counted as level; NAN for
/// voids.
/// directions  1 .. 720
/// share       0 .. 1 each; window, row_step, errors and memory as in lf_horizon_map
LF_API lf_status lf_sky_view(const lf_ground *ground, const lf_horizon_def *def, int directions,
                             lf_window window, float *share, ptrdiff_t row_step, lf_error *error);

/// A direction to the sun, or to any far light, and how long it counts.
typedef struct lf_sun {
    double azimuth_deg;  ///< finite
    double altitude_deg; ///< -90 < altitude <= 90, above level at each sample, as it appears
    double hours;        ///< finite, >= 0; for lf_sun_hours only
} lf_sun;

/// Sun exposure: an lf_visibility for each sample of a window. LF_VISIBILITY_VISIBLE: lit, no ground within
/// range is strictly above the line to the sun; LF_VISIBILITY_HIDDEN: in shade; LF_VISIBILITY_UNKNOWN:
/// nothing known is above it, but it passes over a void lower than the grid's highest height (with the rules'
/// LF_VOIDS_UNKNOWN; LF_VOIDS_STOP makes that shade, LF_VOIDS_PASS light); LF_VISIBILITY_VOID: no ground. At
/// the distance d the line is d * tan(altitude) + coefficient * d^2 / (2 * radius) above its sample, exact
/// for the doubles that the direction is converted to. With curvature a sun below level still lights summits,
/// but no sample from which the line to it passes, at any distance, below both datum and the grid's lowest
/// height: there the planet is in the way, although no ground is known. On a flat one nothing is lit from
/// below level.
/// window  within the grid, 1 x 1 or more
/// lit     window.columns x window.rows bytes, `row_step` bytes from row to row (0: packed; may be negative)
/// error   optional
/// Errors and memory as in lf_horizon_map. Same bits for any number of threads.
LF_API lf_status lf_sun_shade(const lf_ground *ground, const lf_horizon_def *def, lf_sun sun,
                              lf_window window, uint8_t *lit, ptrdiff_t row_step, lf_error *error);

/// Hours of sun of each sample of a window: the sum, in their order, of the hours of those suns by which
/// lf_sun_shade finds it lit; NAN for voids.
/// suns   count of them; 0: no sun
/// hours  written only on success; window and row_step as in lf_horizon_map
/// error  optional; `where` is the index of the offending sun
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates 9 bytes per sample of the window with the host's allocator, and heights as lf_horizon_map does. Same
/// bits for any number of threads.
LF_API lf_status lf_sun_hours(const lf_ground *ground, const lf_horizon_def *def, const lf_sun *suns,
                              int64_t count, lf_window window, float *hours, ptrdiff_t row_step,
                              lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Total viewshed: how much is seen from every sample of a grid
//
// From each sample the ground is sampled along so many azimuths, at every column (or row, whichever the
// azimuth crosses more often). Each of these places stands for the part of its sector around it. What the
// azimuth crosses between two of them can hide what is behind. That is an approximation;
// lf_total_check says how good, by exact viewsheds of some samples. The end of the longest line is confirmed
// by an exact line of sight.
// ---------------------------------------------------------------------------------------------------

/// Definition of a total viewshed; start from lf_total_def_default().
typedef struct lf_total_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< tasks for all cores, progress
    lf_sight_rules rules; ///< curvature, units and ellipsoid are used; a void is not seen and does not block
    double observer_height; ///< above each sample, metres: finite; 1.75 by default
    double target_height;   ///< above the ground seen, metres: finite; 0 by default
    double range;           ///< metres, finite, > 0; 10000 by default
    int azimuths;           ///< 4 .. 3600; 360 by default: 0, 360 / azimuths, ...
} lf_total_def;

static inline lf_total_def lf_total_def_default(void) {
    lf_total_def def = {
        sizeof(lf_total_def), {NULL, NULL, NULL, NULL}, lf_sight_rules_default(), 1.75, 0, 10000, 360};
    return def;
}

/// What is computed for each sample of a window; NULL: not computed. NAN for voids.
typedef struct lf_total_maps {
    float *area; ///< visible area, square metres on the map
    float *open; ///< share of the azimuths in which the farthest ground within range is seen
    float *mean; ///< mean distance of the visible area, metres
    /// Metres to the farthest visible place, confirmed by an exact line of sight: where that is blocked, the farthest of the next azimuth
    /// counts. 0: none is confirmed.
    float *longest;
    double *end_x, *end_y; ///< and that place on the map; both or none, and only with `longest`
    float *
        inside; ///< share of the circle of the range that is on the grid: where below 1, area counts less than all
    ptrdiff_t stride; ///< elements from row to row of all maps: 0 for packed, or no less than window.columns
} lf_total_maps;

/// Total viewshed of the samples of a window.
/// ground  a grid (others have no samples). Where it wraps around the globe, lines end at its seam
/// window  within the grid, 1 x 1 samples or more
/// maps    at least one
/// error   optional
/// Errors: LF_BAD_ARGUMENT (named), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED (what has been written means nothing then).
/// Allocates 9 bytes per sample of the window and of its surroundings within range (5 on degrees), at most 12 MB for lists, and for each
/// worker at most 4 MB for the longest lines (4 bytes per column of the window and azimuth on degrees). Same bits for any tasks and any instruction set. Threads: any number at once.
LF_API lf_status lf_total_viewshed(const lf_ground *ground, const lf_total_def *def, lf_window window,
                                   const lf_total_maps *maps, lf_error *error);

/// Relative errors of the visible area.
typedef struct lf_total_errors {
    int64_t samples; ///< compared
    double mean;     ///< of their relative errors
    double most95;   ///< 95 percent are not above this
    double worst;    ///< the largest
} lf_total_errors;

/// Compare the visible area of some samples of a window, which are chosen at random, with that of their exact viewsheds
/// (lf_viewshed_visible; each visible sample counts as its cell).
/// area    of the window, as lf_total_viewshed wrote it, rows `stride` elements apart (0: packed)
/// count   1 or more; samples may be chosen twice. Voids are not counted
/// seed    other seeds choose other samples
/// errors  written only on success; all 0 where every chosen sample is a void
/// Errors: as lf_total_viewshed. Allocates a byte per sample of the window that the range reaches, and lf_viewshed_bytes.
LF_API lf_status lf_total_check(const lf_ground *ground, const lf_total_def *def, lf_window window,
                                const float *area, ptrdiff_t stride, int64_t count, uint64_t seed,
                                lf_total_errors *errors, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
