/// landfall/shadow.h: is a point lit? For one light that stays, or moves only now and then.
///
/// A shadow is a terrain of polygons built for the lines of a light instead of those of gravity: a question costs what a
/// height costs. Moving the light costs what building costs.
#ifndef LANDFALL_SHADOW_H
#define LANDFALL_SHADOW_H

#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lf_light_kind {
    LF_LIGHT_DIRECTION, ///< light from far away: the sun
    LF_LIGHT_POINT      ///< light from a place: a lamp
} lf_light_kind;

typedef struct lf_light {
    lf_light_kind kind;
    lf_vec3
        vector; ///< the direction in which the light shines (any length, not zero), or the place it is at; finite
} lf_light;

/// Light that shines in a direction everywhere.
static inline lf_light lf_light_along(lf_vec3 direction) {
    lf_light light = {LF_LIGHT_DIRECTION, direction};
    return light;
}

/// Light from a place.
static inline lf_light lf_light_at(lf_vec3 place) {
    lf_light light = {LF_LIGHT_POINT, place};
    return light;
}

/// How to make a shadow; start from lf_shadow_def_default().
typedef struct lf_shadow_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_polygons polygons; ///< what casts shadow, from both sides; borrowed: must outlive the shadow
    lf_light light;
    double tolerance; ///< metres a corner may be off its polygon's plane; 0.001 by default
    double
        skin; ///< metres, 0 or more: what is not farther than this from a point is touched by it and casts no shadow
    ///< on it; 1e-6 by default, so that a point computed to be on a surface is not in its own shadow
} lf_shadow_def;

/// The default: light straight down. Fill in polygons and the light.
static inline lf_shadow_def lf_shadow_def_default(void) {
    lf_shadow_def def = {sizeof(lf_shadow_def),
                         {NULL, NULL, NULL, NULL},
                         {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                         {LF_LIGHT_DIRECTION, {0, 0, -1}},
                         0.001,
                         1e-6};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_shadow_def_init(lf_shadow_def *def, size_t size);

typedef struct lf_shadow lf_shadow;

/// Make a shadow.
/// shadow  written only on success; give it back with lf_shadow_destroy
/// error   optional; `where` is the index of the offending polygon
/// Errors: those of lf_mesh_create; LF_BAD_ARGUMENT for a bad light or skin. Allocates with the host's allocator.
/// Threads: any.
LF_API lf_status lf_shadow_create(const lf_shadow_def *def, lf_shadow **shadow, lf_error *error);

/// Give a shadow back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_shadow_destroy(lf_shadow *shadow);

/// The light at present. Allocates nothing. Threads: any number at once.
LF_API lf_light lf_shadow_light(const lf_shadow *shadow);

/// Move the light: everything is built anew, and what was there is given back afterwards.
/// Errors: as lf_shadow_create; then the light stays where it was.
/// Allocates with the host's allocator. Threads: nobody else may be using the shadow.
LF_API lf_status lf_shadow_set_light(lf_shadow *shadow, lf_light light, lf_error *error);

/// Is a point lit? It is, unless a polygon lies strictly between it and the light.
/// point   finite
/// lit     written only on success
/// by      optional: the polygon nearest to the point that casts the shadow, t is its distance; kind LF_HIT_NONE when lit
/// A polygon casts no shadow on points of its own; one that is edge-on to the light casts none at all. Light goes
/// through a light's own place: what the light lies on does not darken it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_shadow_at(const lf_shadow *shadow, lf_vec3 point, bool *lit, lf_hit *by,
                              lf_cursor *cursor);

/// Many points: what lf_shadow_at gives for each.
/// points   count of them, `stride` bytes apart (0: packed)
/// lit, by  count of each, packed; by may be NULL
/// tasks    parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a point that is not finite; nothing is written then. Allocates nothing.
LF_API lf_status lf_shadow_many(const lf_shadow *shadow, const lf_vec3 *points, size_t stride, int64_t count,
                                bool *lit, lf_hit *by, const lf_tasks *tasks);

#ifdef __cplusplus
}
#endif
#endif
