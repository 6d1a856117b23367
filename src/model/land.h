/// A model on the ground, from the inside.
#ifndef LF_MODEL_LAND_H
#define LF_MODEL_LAND_H

#include "ground/land.h"
#include "model/model.h"

/// What depths are searched for: any, and then deeper ones.
typedef struct lf__land_goal {
    double reach;  ///< ground farther above than this does not count
    double deeper; ///< once something is found, only what is deeper than this too is searched for
} lf__land_goal;

#endif
