/// Who sees what as a table: a text of the posts that somebody sees.
#ifndef CLI_SEEN_TABLE_H
#define CLI_SEEN_TABLE_H

#include "observers.h"
#include "output.h"
#include <landfall/grid.h>

typedef struct seen_table {
    lf_geotransform geotransform;
    lf_window window;
    const observers *observers;
    const uint8_t *planes;  ///< as lf_viewshed_who writes them, or NULL and
    const uint32_t *counts; ///< as lf_viewshed_count does; nobody sees a post that has none
} seen_table;

/// x,y,count of the posts that somebody sees; with planes also observers: the names of those who do, or their numbers from 0, with ; between.
void seen_table_put(output *out, const seen_table *table);

/// How many posts an observer sees, by the planes.
int64_t seen_table_count(const seen_table *table, int64_t observer);

/// Write it to a file. Says what is wrong and returns false.
bool seen_table_write(const cli *run, const seen_table *table, const char *path);

#endif
