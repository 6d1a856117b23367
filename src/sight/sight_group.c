/// Lines over groups: every part in its own coordinates, and what they say put together.
#include "ground/group.h"
#include "sight/pair.h"

/// The pair as a part sees it.
static lf__sight_pair posed(const lf__sight_pair *pair, const lf_pose *pose) {
    lf__sight_pair local = *pair;
    local.a = lf_pose_to_local(pose, pair->a);
    local.b = lf_pose_to_local(pose, pair->b);
    return local;
}

/// A grid that leans, and a line that bends: by straight pieces.
static void ask_by_pieces(const lf_grid *grid, const lf__sight_pair *pair, const lf_pose *pose,
                          lf__sight_want want, lf__sight_answer *answer, lf_cursor *cursor) {
    int64_t count = lf__sight_pieces(pair);
    bool last = (want == LF__SIGHT_ANY_B) != pair->turned;
    lf__sight_pair piece = *pair;
    piece.sag = 0;
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    for (int64_t k = 0; k < count && answer->verdict != LF_VERDICT_BLOCKED; k++) {
        int64_t at = last ? count - 1 - k : k;
        lf__sight_answer part;
        piece.a = lf_pose_to_local(pose, lf__sight_pair_joint(pair, at, count));
        piece.b = lf_pose_to_local(pose, lf__sight_pair_joint(pair, at + 1, count));
        lf__sight_ask_grid(grid, &piece, want, &part, cursor);
        double t = pair->turned ? 1 - part.t : part.t;
        t = ((double)at + t) / (double)count;
        part.t = pair->turned ? 1 - t : t;
        lf__sight_join(answer, &part);
    }
}

void lf__sight_group(const lf_group *group, const lf__sight_pair *pair, lf__sight_want want,
                     lf__sight_answer *answer, lf_cursor *cursor) {
    *answer = (lf__sight_answer){LF_VERDICT_CLEAR, false, 1};
    for (int64_t i = 0; i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        lf__sight_answer one;
        if (part->ground->kind->kind == LF_GROUND_MESH) {
            lf__sight_mesh(part->ground->thing, pair, &part->pose, want, &one, cursor);
        } else if (part->upright || pair->sag == 0) {
            lf__sight_pair local = posed(pair, &part->pose);
            lf__sight_ask_grid(part->ground->thing, &local, want, &one, cursor);
        } else {
            ask_by_pieces(part->ground->thing, pair, &part->pose, want, &one, cursor);
        }
        lf__sight_join(answer, &one);
        if (want != LF__SIGHT_FIRST && answer->verdict == LF_VERDICT_BLOCKED)
            return;
    }
}
