/// Models from files, for `landfall collide`, `landfall info --as model` and `landfall scene run`.
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "cli.h"
#include <landfall/io.h>

/// Sectors along each side of a chart where a field is wanted and nothing else is said.
#define MODEL_SECTORS 32

/// Read a file as a model, with memory of a host.
lf_status model_read(const char *path, const lf_host *host, const lf_field_def *field, lf_model **model,
                     lf_error *error);

/// The same; says what is wrong and returns false.
bool model_load(cli *run, const char *path, const lf_field_def *field, lf_model **model);

/// The field that --sectors, --layers and --centre ask for. Says what is wrong and returns false.
bool model_field_options(const options *given, lf_field_def *field);

/// `landfall info --as model`; returns the exit status.
int model_report(cli *run);

/// Draw the six charts of a model's field, and their transforms, to a PNG file.
lf_status model_draw_charts(const lf_model *model, const char *title, int64_t width, const char *path,
                            lf_error *error);

#endif
