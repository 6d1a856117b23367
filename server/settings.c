#include "settings.h"
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum setting_kind {
    SETTING_TEXT,
    SETTING_LIST,
    SETTING_NUMBER,
    SETTING_SWITCH,
    SETTING_DATASET
} setting_kind;

typedef struct setting {
    const char *name, *value;
    setting_kind kind;
    size_t offset;
    const char *usual;  ///< the default of a text
    double number;      ///< the default of a number
    double least, most; ///< of a number; whole where least is whole
    const char *help;
} setting;

#define AT(field) offsetof(settings, field)

static const setting table[] = {
    {"listen", "HOST:PORT", SETTING_TEXT, AT(listen), "127.0.0.1:8080", 0, 0, 0,
     "where to listen; [::1]:8080 for IPv6, port 0 for any that is free"},
    {"dataset", "NAME=FILE", SETTING_DATASET, 0, NULL, 0, 0, 0,
     "a ground and its name; repeat it: earlier ones count first"},
    {"config", "FILE", SETTING_TEXT, AT(config), NULL, 0, 0, 0,
     "a JSON file with any of these settings; read again on SIGHUP"},
    {"threads", "N", SETTING_NUMBER, AT(threads), NULL, 0, 0, 256,
     "threads that serve connections; 0: one per core"},
    {"workers", "N", SETTING_NUMBER, AT(workers), NULL, 0, 0, 256,
     "threads for long requests; 0: one per core"},
    {"queue", "N", SETTING_NUMBER, AT(queue), NULL, 256, 1, 1e6,
     "long requests that may wait; more are refused with 503"},
    {"connections", "N", SETTING_NUMBER, AT(connections), NULL, 20000, 1, 1e6, "connections at once"},
    {"idle-seconds", "S", SETTING_NUMBER, AT(idle_seconds), NULL, 60, 1, 1e6,
     "a connection is closed this long after its last request, however slowly the next one comes"},
    {"body-seconds", "S", SETTING_NUMBER, AT(body_seconds), NULL, 30, 1, 1e6,
     "the body of a request must be complete by then"},
    {"drain-seconds", "S", SETTING_NUMBER, AT(drain_seconds), NULL, 30, 0, 1e6,
     "on SIGTERM requests may take this long to finish"},
    {"max-points", "N", SETTING_NUMBER, AT(max_points), NULL, 10000, 1, 1e9, "points in a request"},
    {"max-cells", "N", SETTING_NUMBER, AT(max_cells), NULL, 2e7, 1, 1e12, "samples of a viewshed or a map"},
    {"max-observers", "N", SETTING_NUMBER, AT(max_observers), NULL, 64, 1, 1e6, "observers of a viewshed"},
    {"max-body", "BYTES", SETTING_NUMBER, AT(max_body), NULL, 4194304, 0, 1e12,
     "bytes in the body of a request"},
    {"max-depth", "N", SETTING_NUMBER, AT(max_depth), NULL, 16, 1, 1000, "levels of brackets in a JSON body"},
    {"max-seconds", "S", SETTING_NUMBER, AT(max_seconds), NULL, 60, 0.001, 1e6,
     "seconds that a request may compute"},
    {"cache-mib", "N", SETTING_NUMBER, AT(cache_mib), NULL, 64, 0, 1e9,
     "memory for tiles that have been made"},
    {"cache-folder", "FOLDER", SETTING_TEXT, AT(cache_folder), NULL, 0, 0, 0,
     "keep tiles there too; nothing is written anywhere else"},
    {"viewer", "FOLDER", SETTING_TEXT, AT(viewer), NULL, 0, 0, 0,
     "the viewer's files, served at /, with those of datasets at /files/NAME; by default where they are "
     "installed"},
    {"view", NULL, SETTING_SWITCH, AT(view), NULL, 0, 0, 0,
     "as landfall view: a free port, the installed viewer, opened in a browser where there is one"},
    {"gzip-from", "BYTES", SETTING_NUMBER, AT(gzip_from), NULL, 4096, 0, 1e12,
     "compress replies from this size on; 0: none"},
    {"keys", "FILE", SETTING_TEXT, AT(keys), NULL, 0, 0, 0,
     "lines KEY [REQUESTS-PER-SECOND [BURST]]; requests need one of these keys"},
    {"cors", "ORIGIN", SETTING_LIST, AT(cors), NULL, 0, 0, 0,
     "pages of this origin may use the service (repeatable); * for any"},
    {"trust", "ADDRESS[/BITS]", SETTING_LIST, AT(trust), NULL, 0, 0, 0,
     "a proxy whose X-Forwarded-For counts (repeatable)"},
    {"tls-certificate", "FILE", SETTING_TEXT, AT(tls_certificate), NULL, 0, 0, 0,
     "serve https with this chain of certificates (PEM)"},
    {"tls-key", "FILE", SETTING_TEXT, AT(tls_key), NULL, 0, 0, 0, "and this key (PEM)"},
    {"access-log", "FILE", SETTING_TEXT, AT(access_log), NULL, 0, 0, 0,
     "a line per request; - for standard output"},
    {"log-format", "common|json", SETTING_TEXT, AT(log_format), "common", 0, 0, 0, "of the access log"},
    {"open-elevation-void", "zero|null", SETTING_TEXT, AT(open_elevation_void), "zero", 0, 0, 0,
     "what /api/v1/lookup gives where there is no height; zero is what it documents"},
    {"quiet", NULL, SETTING_SWITCH, AT(quiet), NULL, 0, 0, 0, "print nothing but errors"},
};

#define SETTING_COUNT (sizeof table / sizeof *table)

bool complain(complaint *why, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why->text, sizeof why->text, format, list);
    va_end(list);
    return false;
}

static void *field_of(settings *settings, const setting *setting) {
    return (char *)settings + setting->offset;
}

bool settings_start(settings *settings) {
    bool fine = true;
    *settings = (struct settings){0};
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (table[i].kind == SETTING_NUMBER)
            *(double *)field_of(settings, &table[i]) = table[i].number;
        if (table[i].kind == SETTING_TEXT && table[i].usual)
            fine &= (*(char **)field_of(settings, &table[i]) = memory_copy(table[i].usual)) != NULL;
    }
    return fine;
}

static void list_free(text_list *list) {
    for (int64_t i = 0; i < list->count; i++)
        memory_free(list->items[i]);
    memory_free(list->items);
}

void settings_free(settings *settings) {
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (table[i].kind == SETTING_TEXT)
            memory_free(*(char **)field_of(settings, &table[i]));
        if (table[i].kind == SETTING_LIST)
            list_free(field_of(settings, &table[i]));
    }
    for (int64_t i = 0; i < settings->dataset_count; i++) {
        dataset_setting *dataset = &settings->datasets[i];
        memory_free(dataset->name);
        memory_free(dataset->file);
        memory_free(dataset->datum);
        memory_free(dataset->surface);
    }
    memory_free(settings->datasets);
    *settings = (struct settings){0};
}

static const setting *find(const char *name) {
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

// ---- Values -------------------------------------------------------------------------------------

static bool no_memory(complaint *why) {
    return complain(why, "out of memory");
}

static bool set_number(const setting *setting, const char *value, double *number, complaint *why) {
    const char *end = value + strlen(value);
    double read;
    bool whole = setting->least == floor(setting->least);
    if (lf_number_read(value, end, &read) != end || !(read >= setting->least && read <= setting->most) ||
        (whole && read != floor(read) && strcmp(setting->value, "S") != 0))
        return complain(why, "--%s %s: expected a number from %.10g to %.10g", setting->name, value,
                        setting->least, setting->most);
    *number = read;
    return true;
}

static bool set_list(text_list *list, const char *value, complaint *why) {
    char **items = memory_resize(list->items, (size_t)(list->count + 1) * sizeof *items);
    if (!items)
        return no_memory(why);
    list->items = items;
    items[list->count] = memory_copy(value);
    return items[list->count] ? (list->count++, true) : no_memory(why);
}

/// Letters that may be in the name of a dataset: it becomes a part of paths.
static bool good_name(const char *name) {
    static const char *const taken[] = {"height",  "ray",      "sight",        "profile", "viewshed",
                                        "horizon", "sun",      "intervisible", "walk",    "place",
                                        "collide", "datasets", "openapi.json", "jobs"};
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (length == 0 || length > 63 || name[length] || name[0] == '.')
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    return true;
}

static bool add_dataset(settings *settings, const char *name, const char *file, complaint *why) {
    if (!good_name(name))
        return complain(why,
                        "dataset %s: expected a name of at most 63 letters, digits, -, _ and ., other than "
                        "those of /v1/...",
                        name);
    for (int64_t i = 0; i < settings->dataset_count; i++)
        if (strcmp(settings->datasets[i].name, name) == 0)
            return complain(why, "dataset %s: name given twice", name);
    dataset_setting *list =
        memory_resize(settings->datasets, (size_t)(settings->dataset_count + 1) * sizeof *list);
    if (!list)
        return no_memory(why);
    settings->datasets = list;
    list += settings->dataset_count++;
    *list = (dataset_setting){memory_copy(name), memory_copy(file), NULL, NULL};
    return (list->name && list->file) || no_memory(why);
}

/// A ground without a name takes that of its file, without folder and ending.
static bool add_file(settings *settings, const char *path, complaint *why) {
    char name[64];
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t length = strcspn(base, ".");
    if (length == 0 || length >= sizeof name)
        return complain(why, "%s: expected NAME=FILE: its file name is no name of a dataset", path);
    snprintf(name, sizeof name, "%.*s", (int)length, base);
    return add_dataset(settings, name, path, why);
}

static bool set_dataset(settings *settings, const char *value, complaint *why) {
    const char *equals = strchr(value, '=');
    char name[128];
    if (!equals || !equals[1] || (size_t)(equals - value) >= sizeof name)
        return complain(why, "--dataset %s: expected NAME=FILE", value);
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    return add_dataset(settings, name, equals + 1, why);
}

bool settings_set(settings *settings, const char *name, const char *value, complaint *why) {
    const setting *setting = find(name);
    if (!setting)
        return complain(why, "--%s: unknown option", name);
    void *field = field_of(settings, setting);
    switch (setting->kind) {
    case SETTING_NUMBER:
        return set_number(setting, value, field, why);
    case SETTING_LIST:
        return set_list(field, value, why);
    case SETTING_DATASET:
        return set_dataset(settings, value, why);
    case SETTING_SWITCH:
        *(bool *)field = strcmp(value, "false") != 0;
        return true;
    case SETTING_TEXT:
        break;
    }
    if (strchr(setting->value, '|')) { // one of these words
        const char *found = strstr(setting->value, value);
        size_t length = strlen(value);
        if (length == 0 || !found || (found[length] && found[length] != '|') ||
            (found > setting->value && found[-1] != '|'))
            return complain(why, "--%s %s: expected %s", name, value, setting->value);
    }
    memory_free(*(char **)field);
    *(char **)field = memory_copy(value);
    return *(char **)field || no_memory(why);
}

// ---- Configuration files ------------------------------------------------------------------------

static bool parse_scalar(settings *settings, const char *name, const json_t *value, complaint *why) {
    char number[LF_NUMBER_SIZE];
    const char *text = number;
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_boolean(value))
        text = json_is_true(value) ? "true" : "false";
    else if (json_is_number(value))
        lf_number_write(json_number_value(value), number);
    else
        return complain(why, "%s: expected a text or a number", name);
    return settings_set(settings, name, text, why);
}

static bool parse_dataset(settings *settings, const json_t *value, complaint *why) {
    const char *name = json_string_value(json_object_get(value, "name"));
    const char *file = json_string_value(json_object_get(value, "file"));
    const char *datum = json_string_value(json_object_get(value, "datum"));
    const char *surface = json_string_value(json_object_get(value, "surface"));
    if (!file)
        return complain(why, "datasets: expected objects with name and file");
    if (!(name ? add_dataset(settings, name, file, why) : add_file(settings, file, why)))
        return false;
    dataset_setting *dataset = &settings->datasets[settings->dataset_count - 1];
    dataset->datum = memory_copy(datum);
    dataset->surface = memory_copy(surface);
    return (!datum || dataset->datum) && (!surface || dataset->surface) ? true : no_memory(why);
}

static bool parse_member(settings *settings, const char *key, const json_t *value, complaint *why) {
    char name[64];
    bool datasets = strcmp(key, "datasets") == 0, fine = true;
    snprintf(name, sizeof name, "%s", key);
    for (char *c = name; *c; c++)
        *c = (char)(*c == '_' ? '-' : *c);
    const setting *setting = find(name);
    if (!datasets && (!setting || setting->kind == SETTING_DATASET || strcmp(name, "config") == 0))
        return complain(why, "%s: unknown setting", key);
    if (!json_is_array(value))
        return datasets ? complain(why, "datasets: expected an array of objects")
                        : parse_scalar(settings, name, value, why);
    if (!datasets && setting->kind != SETTING_LIST)
        return complain(why, "%s: expected one value", key);
    for (size_t i = 0; fine && i < json_array_size(value); i++)
        fine = datasets ? parse_dataset(settings, json_array_get(value, i), why)
                        : parse_scalar(settings, name, json_array_get(value, i), why);
    return fine;
}

bool settings_parse(settings *settings, const char *text, size_t size, complaint *why) {
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(root)) {
        json_decref(root);
        return root ? complain(why, "expected a JSON object")
                    : complain(why, "line %d: %s", error.line, error.text);
    }
    bool fine = true;
    for (void *at = json_object_iter(root); at && fine; at = json_object_iter_next(root, at))
        fine = parse_member(settings, json_object_iter_key(at), json_object_iter_value(at), why);
    json_decref(root);
    return fine;
}

static bool read_config(settings *settings, const char *path, complaint *why) {
    lf_map map = {0};
    lf_error error;
    complaint inner;
    if (lf_map_open(path, &map, &error) != LF_OK)
        return complain(why, "%s", error.text);
    bool fine = settings_parse(settings, map.data ? map.data : "", map.size, &inner);
    lf_map_close(&map);
    return fine || complain(why, "%s: %.400s", path, inner.text);
}

// ---- Command line -------------------------------------------------------------------------------

/// One option with its value, "--name value" or "--name=value"; *index is left at its last word.
static bool read_option(settings *settings, int count, char **words, int *index, complaint *why) {
    char name[64];
    const char *word = words[*index] + 2, *equals = strchr(word, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - word : (int)strlen(word)), word);
    const setting *setting = find(name);
    if (!setting)
        return complain(why, "--%s: unknown option", name);
    if (setting->kind == SETTING_SWITCH && !equals)
        return settings_set(settings, name, "true", why);
    if (!equals && *index + 1 >= count)
        return complain(why, "--%s: expected %s", name, setting->value);
    return settings_set(settings, name, equals ? equals + 1 : words[++*index], why);
}

/// The viewer's folder: LANDFALL_VIEWER, or where it is installed beside the program.
static bool find_viewer(char path[4096]) {
    const char *given = getenv("LANDFALL_VIEWER");
    if (given)
        return snprintf(path, 4096, "%s", given) < 4096;
    ssize_t length = readlink("/proc/self/exe", path, 4000);
    path[length > 0 ? length : 0] = '\0';
    for (int k = 0; k < 2; k++) {
        char *last = strrchr(path, '/');
        if (!last)
            return false;
        *last = '\0';
    }
    strcat(path, "/share/landfall/viewer");
    return access(path, R_OK) == 0;
}

/// What --view stands for, except where another option has said otherwise.
static bool set_view(settings *settings, complaint *why) {
    char path[4096];
    if (!settings->viewer) {
        if (!find_viewer(path))
            return complain(why, "the viewer is not installed: build it by ./run web, then give its folder "
                                 "by --viewer or LANDFALL_VIEWER");
        settings->viewer = memory_copy(path);
    }
    if (strcmp(settings->listen, "127.0.0.1:8080") == 0) {
        memory_free(settings->listen);
        settings->listen = memory_copy("127.0.0.1:0");
    }
    return (settings->viewer && settings->listen) || no_memory(why);
}

/// Without --viewer: the viewer that is installed, if there is one. The files of datasets are then handed out on this machine only.
static bool use_found_viewer(settings *settings) {
    char path[4096];
    if (!find_viewer(path) || access(path, R_OK | X_OK) != 0)
        return true;
    static const char *const own[] = {"127.", "localhost:", "[::1]:"};
    bool here = false;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        here |= strncmp(settings->listen, own[k], strlen(own[k])) == 0;
    settings->viewer = memory_copy(path);
    settings->keep_files = !here;
    return settings->viewer;
}

bool settings_read(settings *settings, int count, char **words, bool *help, complaint *why) {
    *help = false;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], "--help") == 0)
            return *help = true;
        if (strcmp(words[i], "--config") == 0 && i + 1 < count && !read_config(settings, words[i + 1], why))
            return false;
        if (strncmp(words[i], "--config=", 9) == 0 && !read_config(settings, words[i] + 9, why))
            return false;
    }
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], "--", 2) == 0 ? !read_option(settings, count, words, &i, why)
                                            : !add_file(settings, words[i], why))
            return false;
    if (settings->dataset_count == 0)
        return complain(why, "GROUND: missing argument");
    if (settings->view && !set_view(settings, why))
        return false;
    if (!settings->viewer && !use_found_viewer(settings))
        return no_memory(why);
    struct stat about;
    if (settings->viewer && (stat(settings->viewer, &about) != 0 || !S_ISDIR(about.st_mode)))
        return complain(why, "--viewer %s: no such folder", settings->viewer);
    if (!settings->tls_certificate != !settings->tls_key)
        return complain(why, "--tls-certificate and --tls-key: expected both");
    return true;
}

void settings_help(text *out) {
    text_put(
        out,
        "usage: landfall serve GROUND... [options]\n\n"
        "Serve heights, lines of sight, viewsheds and terrain tiles over HTTP. GROUND is a .lf file, any "
        "raster\n"
        "of heights that GDAL reads, a mesh of polygons, or a folder of terrain tiles; where several cover "
        "a\n"
        "place the first that has a height counts. Each is known by the name of its file, or by NAME=FILE "
        "with\n"
        "--dataset. See docs/server.md for the requests.\n\n"
        "SIGHUP reads the settings and the grounds again; SIGTERM finishes what is under way and ends.\n\n"
        "options:\n");
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        char left[64], usual[64] = "";
        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        if (table[i].usual)
            snprintf(usual, sizeof usual, " (%s)", table[i].usual);
        else if (table[i].kind == SETTING_NUMBER)
            snprintf(usual, sizeof usual, " (%.10g)", table[i].number);
        text_format(out, "  %-32s %s%s\n", left, table[i].help, usual);
    }
}
