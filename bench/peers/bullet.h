/// Bullet's heightfield as a peer, with its accelerator and its own ray test; single precision.
///
/// y is up inside: with z up, the accelerator of Bullet 3.24 gets every fifth ray wrong. A ray ends where it leaves the box of
/// the field, because Bullet walks on to the ray's end even after a hit.
#ifndef LF_BENCH_BULLET_H
#define LF_BENCH_BULLET_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_bullet bench_bullet;

/// "Bullet 3.24", in a static buffer.
const char *bench_bullet_name(void);

/// The field's heights are used in place and must outlive the peer.
bench_bullet *bench_bullet_open(const bench_field *field);
/// Build (or build again): the shape and its accelerator.
void bench_bullet_build(bench_bullet *bullet);
void bench_bullet_close(bench_bullet *bullet);

/// Rays in Bullet's own form, from their start to where they leave the box.
typedef struct bench_bullet_rays bench_bullet_rays;
bench_bullet_rays *bench_bullet_rays_make(const bench_bullet *bullet, const bench_rays *rays);
void bench_bullet_rays_close(bench_bullet_rays *rays);

/// The first hit of each ray; an answer's item is the cell.
void bench_bullet_first(bench_bullet *bullet, const bench_bullet_rays *rays, bench_answer *answers);

#ifdef __cplusplus
}
#endif
#endif
