/// landfall/viewshed.h: what can be seen from a place, for every post of a grid.
///
/// A post is seen when lf_sight_between says so for the line from the observer to the target above the post: no post is
/// guessed. Most are decided together, by a sweep around the observer that knows an upper and a lower bound of the
/// horizon in every direction; those between the bounds get a line of their own.
#ifndef LANDFALL_VIEWSHED_H
#define LANDFALL_VIEWSHED_H

#include <landfall/sight.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Who looks.
typedef struct lf_observer {
    lf_vec2 at;    ///< finite
    double height; ///< above the ground there (as lf_sight_stand), or above datum
    bool datum;    ///< height is above datum: the observer may then stand over a hole or beyond the grid
} lf_observer;

/// True east and north on the map at a place: steps in x and y of one metre that way. They need be neither along the axes nor at right
/// angles. lf_crs_compass (landfall/raster.h) finds them.
typedef struct lf_compass {
    lf_vec2 east, north;
} lf_compass;

/// How to look; start from lf_viewshed_def_default(). A post at the very place of the observer is within all limits but
/// range_min. Limits are closed, and rounding does not open them: what is within 1e-9 degrees of a limit of azimuth or pitch, or within 1e-12 of
/// its distance (and the rounding of x and y) of a limit of range, is on it.
typedef struct lf_viewshed_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_sight_rules rules; ///< bend, span, ellipsoid and holes are used
    double target;        ///< height of targets above their posts, finite; 0 by default
    double range_min;     ///< metres on the map, by the rules' span, closed: 0 or more; 0 by default
    double range_max;     ///< likewise; INFINITY by default
    double
        azimuth_from_deg; ///< clockwise from north (+y, or as the compasses have it), from here on, closed; 0 by default. On degrees: of the straight line on
                          ///< the map, by the lengths of degrees at the observer
    double
        azimuth_to_deg; ///< clockwise to here, closed; 360 by default. All around when 360 or more beyond the first
    double
        pitch_low_deg; ///< angle of the target above level at the observer, as it appears (bent), closed; -90 by default
    double pitch_high_deg; ///< 90 by default
    const lf_compass *
        compasses; ///< optional: of each observer, which azimuths are counted by; NULL by default: north is +y
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
                           NULL};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_viewshed_def_init(lf_viewshed_def *def, size_t size);

/// What is known of a post: name, value, word. A hole is a post where the surface has no height (LF_SURFACE_LIST), wherever it is; what
/// is beyond the limits is not looked at.
#define LF_SEEN_LIST(X)              \
    X(LF_SEEN_HIDDEN, 0, "hidden")   \
    X(LF_SEEN_VISIBLE, 1, "visible") \
    X(LF_SEEN_UNKNOWN, 2, "unknown") \
    X(LF_SEEN_HOLE, 3, "hole")       \
    X(LF_SEEN_BEYOND, 4, "beyond")

typedef enum lf_seen {
#define LF_SEEN_ENUM(name, value, word) name = value,
    LF_SEEN_LIST(LF_SEEN_ENUM)
#undef LF_SEEN_ENUM
} lf_seen;

/// The word for what is known of a post, such as "hidden"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_seen_word(lf_seen seen);

/// What a run found and took. Of several observers: summed up over them.
typedef struct lf_viewshed_stats {
    int64_t counts[5]; ///< posts of each lf_seen
    int64_t walked;    ///< posts that got a line of their own
    size_t bytes;      ///< scratch memory; no more than lf_viewshed_bytes said
} lf_viewshed_stats;

/// The most scratch memory that a viewshed of this window takes, whatever it makes, before it runs: a byte per post, and some
/// that does not depend on the window; lf_viewshed_seen takes only the latter. For a grid that wraps a copy of the columns around the
/// observer is counted in, which is taken where the seam is within range. 0 where an argument is bad. Allocates
/// nothing. Threads: any.
LF_API size_t lf_viewshed_bytes(const lf_grid *grid, const lf_viewshed_def *def, lf_window window);

/// A window that holds every post within range_max of a place, and few others; the whole grid when range_max is
/// INFINITY; all columns of a grid that wraps when its seam is within range; 0 x 0 when no post can be, or when an argument is bad. Allocates nothing. Threads: any.
LF_API lf_window lf_viewshed_window(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at);

/// Visible or not.
/// observer  above ground only where there is ground
/// window    within the grid, 1 x 1 posts or more
/// seen      lf_seen of each post, rows of window.columns bytes, the window's first row first
/// row_step  bytes from row to row: 0 for packed, or no less than window.columns either way
/// stats     optional
/// error     optional; names the observer's place when there is no ground to stand on
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY (nothing is written then), LF_CANCELLED (what has been written means nothing).
/// Allocates lf_viewshed_bytes with the host's allocator, and gives it back. Same bytes for any tasks.
/// Threads: any number at once.
LF_API lf_status lf_viewshed_seen(const lf_grid *grid, const lf_viewshed_def *def,
                                  const lf_observer *observer, lf_window window, uint8_t *seen,
                                  ptrdiff_t row_step, lf_viewshed_stats *stats, lf_error *error);

/// A number that a viewshed gives of each post: name, value, word. NAN for holes and beyond the limits.
#define LF_VIEW_LIST(X)            \
    X(LF_VIEW_GROUND, 0, "ground") \
    X(LF_VIEW_DEM, 1, "dem")       \
    X(LF_VIEW_ANGLE, 2, "angle")   \
    X(LF_VIEW_DISTANCE, 3, "distance")

/// GROUND    least height above ground, 0 or more, at which a target would be visible and not below pitch_low_deg (the def's target plays no
///           part; the other limits and the counts are those of targets on the ground, without pitch_low_deg, which raises heights
///           instead of leaving them out, as GDAL has it); NAN where a hole is in the way of the line to it, unless holes let it pass, and
///           for a pitch_low_deg of 90 or more
/// DEM       the same above datum
/// ANGLE     degrees above level under which a visible target appears, bent; NAN where it is not visible
/// DISTANCE  metres on the map to a visible target; NAN where it is not visible
typedef enum lf_viewshed_mode {
#define LF_VIEW_ENUM(name, value, word) name = value,
    LF_VIEW_LIST(LF_VIEW_ENUM)
#undef LF_VIEW_ENUM
} lf_viewshed_mode;

/// The word for a view, such as "angle"; "?" for a value that is none. Static text. Threads: any.
LF_API const char *lf_viewshed_mode_word(lf_viewshed_mode view);

/// A number for each post.
/// row_step  bytes, a multiple of 4; otherwise as lf_viewshed_seen
LF_API lf_status lf_viewshed_values(const lf_grid *grid, const lf_viewshed_def *def,
                                    const lf_observer *observer, lf_viewshed_mode view, lf_window window,
                                    float *values, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                    lf_error *error);

/// How many of the observers see each post; UINT32_MAX for holes.
/// observers  count of them, 0 or more; above ground only where there is ground: `where` of the error is the offending one
/// row_step   bytes, a multiple of 4; otherwise as lf_viewshed_seen
LF_API lf_status lf_viewshed_count(const lf_grid *grid, const lf_viewshed_def *def,
                                   const lf_observer *observers, int64_t observer_count, lf_window window,
                                   uint32_t *counts, ptrdiff_t row_step, lf_viewshed_stats *stats,
                                   lf_error *error);

/// Who sees what: bit k % 8 of a post's byte in plane k / 8 says that observer k sees it.
/// planes  (observer_count + 7) / 8 planes, one after the other, of window.columns x window.rows packed bytes
/// Otherwise as lf_viewshed_count.
LF_API lf_status lf_viewshed_who(const lf_grid *grid, const lf_viewshed_def *def,
                                 const lf_observer *observers, int64_t observer_count, lf_window window,
                                 uint8_t *planes, lf_viewshed_stats *stats, lf_error *error);

#ifdef __cplusplus
}
#endif
#endif
