/// Files that landfall has written, as GROUND.
#ifndef CLI_STORED_H
#define CLI_STORED_H

#include "ground.h"

/// Does the ending say .lf?
bool is_stored(const char *path);

/// Load one as ground. Says what is wrong and returns false; what is held by then is freed with ground_free.
bool stored_load(cli *run, const char *path, loaded *loaded);

/// What `landfall info` says about the first argument; returns the exit status.
int stored_report(cli *run);

/// The same of a file that is open.
int stored_describe(cli *run, const char *path, const lf_store *store);

#endif
