/// Results of several observers as a table: a text of the samples that any of them sees.
#ifndef CLI_VIEWSHED_H
#define CLI_VIEWSHED_H

#include "sight_rules.h"
#include <landfall/grid.h>

typedef struct seen_table {
    lf_placing placing;
    lf_window window;
    const observers *observers;
    const uint8_t *planes;  ///< as lf_viewshed_who writes them, or NULL and
    const uint32_t *counts; ///< as lf_viewshed_count does; UINT32_MAX: none
} seen_table;

/// x,y,count of the samples that any observer sees; with planes also observers: the names of those that do, or their numbers from 0, with ; between.
void seen_table_put(output *out, const seen_table *table);

/// How many samples an observer sees, by the planes.
int64_t seen_table_count(const seen_table *table, int64_t observer);

#endif
