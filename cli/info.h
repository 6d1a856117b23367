/// Parts of `landfall info`.
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "cli.h"

/// Print what a .lf file holds; returns the exit status.
int info_store(cli *run, const char *path, const lf_store *store);

/// `landfall info --as model` and `landfall info --quadtree`; return the exit status.
int info_model(cli *run);
int info_quadtree(cli *run);

#endif
