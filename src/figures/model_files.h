/// model_files.h: models from files, also those that a script names. For the command. Not installed.
#ifndef LF_MODEL_FILES_H
#define LF_MODEL_FILES_H

#include <landfall/model.h>

/// Read a file of polygons, or a .lf file that holds some, as a model.
/// host, field  as in lf_model_def
/// Errors: those of lf_polygon_file_read, lf_store_open and lf_model_create; LF_BAD_FORMAT for a .lf file without polygons.
lf_status lf_model_file_read(const char *path, const lf_host *host, const lf_field_def *field,
                             lf_model **model, lf_error *error);

/// Find the file that a script names: a plain file in the folder of the script or below it, of a format that is one file
/// (.ply, .obj or .lf), and no link on the way.
/// path  gets the path, with space for `size` characters
/// Errors: LF_BAD_ARGUMENT, LF_IO_FAILED; their texts start with the name.
lf_status lf_model_file_beside(const char *script, const char *name, char *path, size_t size,
                               lf_error *error);

#endif
