/// landfall/omp.h: the ready-made parallel loop, on OpenMP (library landfall-omp).
#ifndef LANDFALL_OMP_H
#define LANDFALL_OMP_H

#include <landfall/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parallel loop on OpenMP.
/// threads  how many; 0 or less: as many as OpenMP would take (OMP_NUM_THREADS, else all cores)
/// The result is a plain value: keep it as long as anything uses it.
/// The first 20 milliseconds of processor time of loops run on the calling thread: a short program starts no others.
/// Allocates nothing itself. Threads: any.
LF_API lf_tasks lf_tasks_openmp(int threads);

#ifdef __cplusplus
}
#endif
#endif
