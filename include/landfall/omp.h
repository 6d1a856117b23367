/// landfall/omp.h: the ready-made parallel loop, on OpenMP (library landfall-omp).
#ifndef LANDFALL_OMP_H
#define LANDFALL_OMP_H

#include <landfall/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parallel loop on OpenMP.
/// threads  how many, at most 1024; 0 or less: as many as OpenMP would take (OMP_NUM_THREADS, else the processors that the
///          process may run on), and no more than the quota of its control group
/// The result is a plain value: keep it as long as anything uses it.
/// Threads sleep between loops, once there has been none for 50 microseconds. The first 2 milliseconds of processor time of loops run on the calling thread: a short
/// program starts no others. A loop that is started while another one runs uses the calling thread alone.
/// Allocates nothing itself. Threads: any.
LF_API lf_tasks lf_tasks_openmp(int threads);

#ifdef __cplusplus
}
#endif
#endif
