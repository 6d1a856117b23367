/// Asking two distance fields.
#ifndef LF_MODEL_FIELD_WALK_H
#define LF_MODEL_FIELD_WALK_H

#include "model/field.h"

/// What to do after a pair has been found.
typedef enum lf__field_said {
    LF__FIELD_ON,
    LF__FIELD_NEXT_LAYER,  ///< enough of this pair of layers
    LF__FIELD_NEXT_SECTOR, ///< enough of this pair of sectors
    LF__FIELD_STOP
} lf__field_said;

/// The last pairs of triangles that have been tested, each in a place of its own: neighbouring sectors hold the same ones.
enum { LF__FIELD_TESTED = 512 };

typedef struct lf__field_tested {
    uint64_t pairs[LF__FIELD_TESTED]; ///< a in the upper half, b in the lower
    bool touch[LF__FIELD_TESTED];
} lf__field_tested;

typedef struct lf__field_walk {
    const lf_model *model_a, *model_b;
    const lf__field *a, *b;
    const lf_pose *pose; ///< of b, seen from a
    bool shells_only;    ///< stop at the first shells that meet
    bool once;           ///< the finder wants no pair twice: it is told less often of the same one
    lf__field_said (*found)(void *user, uint32_t a, uint32_t b);
    void *user;
    double slack;
    lf__field_tested *tested; ///< NULL until there are triangles to test
    lf_counters cost; ///< nodes: cones tested; cells: shells tested; triangles: pairs of triangles looked at;
                      ///< exact: those tested exactly
} lf__field_walk;

/// Every pair of touching triangles, at most as often as there are pairs of sectors where both are. true when stopped: by the finder,
/// or at the shells.
bool lf__field_ask(lf__field_walk *walk);

/// No question needs more tests of cones and of shells than this, in any pose.
void lf__field_bound(const lf__field *a, const lf__field *b, double *cones, double *shells);

/// Questions by fields; both models have one.
bool lf__field_touch(const lf_model_query *question, const lf_pose *between, lf_cursor *cursor);

/// Where found pairs go.
typedef struct lf__pair_list {
    lf_model_pair *pairs;
    int64_t capacity, count, limit;
} lf__pair_list;

/// Writes what there is room for and counts all.
lf_status lf__field_pairs(const lf_model_query *question, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor);

#endif
