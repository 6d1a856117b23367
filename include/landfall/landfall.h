/// landfall: questions about ground and about the things that move over it.
///
/// This header includes the whole core library. Files are in <landfall/io.h>, pictures in <landfall/picture.h>, scripts in
/// <landfall/script.h>, and a parallel loop on OpenMP in <landfall/omp.h>.
#ifndef LANDFALL_LANDFALL_H
#define LANDFALL_LANDFALL_H

#include <landfall/base.h>
#include <landfall/camera.h>
#include <landfall/collide.h>
#include <landfall/geom.h>
#include <landfall/globe.h>
#include <landfall/grid.h>
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <landfall/model.h>
#include <landfall/scene.h>
#include <landfall/sight.h>
#include <landfall/store.h>

#endif
