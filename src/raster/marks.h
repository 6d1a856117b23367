/// What the files that read marks share.
#ifndef LF_IO_MARKS_H
#define LF_IO_MARKS_H

#include "base/base.h"
#include <landfall/io.h>

/// A mark as it is kept: its name is found behind all names, by where it starts.
typedef struct lf__mark {
    lf_vec2 at;
    double height;
    int64_t name; ///< where it starts; -1: none
} lf__mark;

struct lf_points {
    lf_allocator allocator;
    lf__mark *list;
    int64_t count, room;
    char *names;
    int64_t names_used, names_room;
};

/// What a column or a field can be.
typedef enum lf__mark_field {
    LF__MARK_X,
    LF__MARK_Y,
    LF__MARK_HEIGHT,
    LF__MARK_NAME,
    LF__MARK_FIELDS
} lf__mark_field;

/// The meaning of a column's name; LF__MARK_FIELDS: none of ours.
lf__mark_field lf__mark_meaning(const char *name, size_t length);

/// Keep a mark. name may be NULL; height NAN. Errors: LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__marks_add(lf_points *marks, lf_vec2 at, double height, const char *name, size_t length);

/// Read one kind of file into marks that are empty.
lf_status lf__marks_text(const char *path, lf_points *marks, lf_error *error);
lf_status lf__marks_vector(const char *path, const lf_points_def *def, lf_points *marks, lf_error *error);

#endif
