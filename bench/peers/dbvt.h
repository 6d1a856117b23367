/// Bullet's dynamic box tree as a peer for culling; single precision.
#ifndef LF_BENCH_DBVT_H
#define LF_BENCH_DBVT_H

#include <landfall/geom.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_dbvt bench_dbvt;

/// "Bullet 3.24", in a static buffer.
const char *bench_dbvt_name(void);

/// A tree over boxes, inserted one by one and then built again from the top, which makes it faster.
bench_dbvt *bench_dbvt_open(const lf_box *boxes, int64_t count);
void bench_dbvt_close(bench_dbvt *dbvt);

/// A box has moved: its leaf is put where it belongs now.
void bench_dbvt_move(bench_dbvt *dbvt, int64_t item, const lf_box *box);

/// Once per frame, after its moves: some steps of the tree's own improvement, as Bullet's broad phase makes them.
void bench_dbvt_settle(bench_dbvt *dbvt);

/// All boxes that are not outside of a plane (normal . p <= offset is inside), in the tree's order; returns how many.
int64_t bench_dbvt_cull(bench_dbvt *dbvt, const lf_plane *planes, int plane_count, int64_t *items);

#ifdef __cplusplus
}
#endif
#endif
