/// landfall/viewshed.h: what is known of the posts of a grid.
#ifndef LANDFALL_VIEWSHED_H
#define LANDFALL_VIEWSHED_H

#include <landfall/sight.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is known of a post: name, value, word. A hole is a hole wherever it is; what is beyond the limits is not looked at.
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

#ifdef __cplusplus
}
#endif
#endif
