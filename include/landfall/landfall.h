/// landfall: questions about ground and about the things that move over it.
///
/// This header brings the whole core library. File formats and pictures are in <landfall/io.h>,
/// the ready-made OpenMP task hook in <landfall/omp.h>.
#ifndef LANDFALL_LANDFALL_H
#define LANDFALL_LANDFALL_H

#include <landfall/ask.h>
#include <landfall/base.h>
#include <landfall/camera.h>
#include <landfall/contact.h>
#include <landfall/geom.h>
#include <landfall/globe.h>
#include <landfall/grid.h>
#include <landfall/ground.h>
#include <landfall/group.h>
#include <landfall/horizon.h>
#include <landfall/locale.h>
#include <landfall/mesh.h>
#include <landfall/model.h>
#include <landfall/pairs.h>
#include <landfall/place.h>
#include <landfall/scene.h>
#include <landfall/shadow.h>
#include <landfall/sight.h>
#include <landfall/store.h>
#include <landfall/tree.h>
#include <landfall/view.h>
#include <landfall/viewshed.h>
#include <landfall/walk.h>
#include <landfall/watch.h>

#endif
