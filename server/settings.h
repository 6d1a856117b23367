/// Settings of the server: from the command line and from a configuration file, by one table.
#ifndef SERVER_SETTINGS_H
#define SERVER_SETTINGS_H

#include "text.h"
#include <landfall/landfall.h>

/// A ground to serve.
typedef struct dataset_setting {
    char *name, *file;
    char *datum;   ///< of its heights; NULL: as the file says
    char *surface; ///< of a raster between its samples; NULL: bilinear
} dataset_setting;

typedef struct text_list {
    char **items;
    int64_t count;
} text_list;

typedef struct settings {
    dataset_setting *datasets;
    int64_t dataset_count;
    char *config, *listen, *keys, *access_log, *log_format, *tls_certificate, *tls_key, *cache_folder,
        *open_elevation_void, *viewer;
    text_list cors, trust;
    double max_points, max_cells, max_body, max_seconds, max_observers, max_depth;
    double threads, workers, queue, connections, idle_seconds, body_seconds, drain_seconds, cache_mib,
        gzip_from;
    bool quiet, view;
    bool keep_files; ///< the files of datasets are not handed out
} settings;

/// What is wrong with settings: one line that names the value.
typedef struct complaint {
    char text[512];
} complaint;

__attribute__((format(printf, 2, 3))) bool complain(complaint *why, const char *format, ...);

/// The defaults. Release with settings_free.
bool settings_start(settings *settings);
void settings_free(settings *settings);

/// Read the command line, and the configuration file that it names, which counts less.
/// *help is set when it asks for help instead.
bool settings_read(settings *settings, int count, char **words, bool *help, complaint *why);

/// Set one by its name, such as max-points.
bool settings_set(settings *settings, const char *name, const char *value, complaint *why);

/// Read the text of a configuration file: a JSON object. Names are those of the options with _ instead of -.
bool settings_parse(settings *settings, const char *text, size_t size, complaint *why);

/// Write the help.
void settings_help(text *out);

#endif
