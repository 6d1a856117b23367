/// Models that scripts ask for: files in the folder of the script and below it, and no others.
#ifndef CLI_SCENE_MODEL_H
#define CLI_SCENE_MODEL_H

#include "cli.h"

/// Read a model for a script.
/// run     whose outputs must not be the model
/// script  the path of the script
/// name    relative to its folder, checked already for steps that lead out of it
/// host    whose memory is used
/// Errors: LF_BAD_ARGUMENT (no .ply, .obj or .lf file; a link; a file that the run writes), and those of reading.
lf_status scene_model_read(const cli *run, const char *script, const char *name, const lf_host *host,
                           lf_model **model, lf_error *error);

#endif
