/// Values of a world file, and messages that name them by their path in the file.
#include "world/world_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/// "FILE: parts[2].KEY", as much of it as fits.
static void spell_path(const lf__world_reader *reader, const char *key, char *text, size_t size) {
    int used = 0;
    if (reader->part >= 0)
        used = snprintf(text, size, "%s: parts[%lld]%s%s", reader->path, (long long)reader->part,
                        *key && *key != '[' ? "." : "", key);
    else
        used = snprintf(text, size, "%s%s%s", reader->path, *key ? ": " : "", key);
    if (used < 0)
        text[0] = '\0';
}

lf_status lf__world_refuse(const lf__world_reader *reader, lf_status status, const char *key,
                           const char *format, ...) {
    char where[200], why[256];
    va_list arguments;
    va_start(arguments, format);
    lf__format(why, sizeof why, format, arguments);
    va_end(arguments);
    spell_path(reader, key, where, sizeof where);
    return lf__fail(reader->error, status, reader->part, "%s: %s", where, why);
}

lf_status lf__world_pass_on(const lf__world_reader *reader, lf_status status, const char *key,
                            const lf_error *inner) {
    if (status == LF_OK)
        return LF_OK;
    return lf__world_refuse(reader, status, key, "%s", inner->text[0] ? inner->text : lf_status_text(status));
}

lf_status lf__world_keys(const lf__world_reader *reader, const json_t *object, const char *prefix,
                         const char *const *keys) {
    char path[96], list[160] = "";
    size_t used = 0;
    for (int i = 0; keys[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0        ? ""
                                 : keys[i + 1] ? ", "
                                               : " or ",
                                 keys[i]);
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        const char *key = json_object_iter_key(at);
        bool known = false;
        for (int i = 0; keys[i] && !known; i++)
            known = strcmp(key, keys[i]) == 0;
        if (!known) {
            snprintf(path, sizeof path, "%s%.60s", prefix, key);
            return lf__world_refuse(reader, LF_BAD_FORMAT, path, "unknown key: expected %s", list);
        }
    }
    return LF_OK;
}

/// What an object has under the last name of a key.
static const json_t *value_of(const json_t *object, const char *key) {
    const char *dot = strrchr(key, '.');
    return json_object_get(object, dot ? dot + 1 : key);
}

static lf_status refuse_value(const lf__world_reader *reader, const char *key, const json_t *value,
                              const char *expected) {
    char text[256] = "";
    json_dumpb(value, text, sizeof text - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    return lf__world_refuse(reader, LF_BAD_FORMAT, key, "%.60s: expected %s", text, expected);
}

lf_status lf__world_number(const lf__world_reader *reader, const json_t *object, const char *key,
                           double *number) {
    const json_t *value = value_of(object, key);
    if (!value)
        return LF_OK;
    if (!json_is_number(value) || !(fabs(json_number_value(value)) <= 1e15))
        return refuse_value(reader, key, value, "a number");
    *number = json_number_value(value);
    return LF_OK;
}

lf_status lf__world_text(const lf__world_reader *reader, const json_t *object, const char *key,
                         const char **text) {
    const json_t *value = value_of(object, key);
    if (!value)
        return LF_OK;
    if (!json_is_string(value) || json_string_length(value) == 0)
        return refuse_value(reader, key, value, "a text");
    *text = json_string_value(value);
    return LF_OK;
}

lf_status lf__world_vector(const lf__world_reader *reader, const json_t *object, const char *key,
                           lf_vec3 *vector) {
    const json_t *value = value_of(object, key);
    double numbers[3];
    if (!value)
        return LF_OK;
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(value, i);
        numbers[i] = json_is_number(item) ? json_number_value(item) : LF_NAN;
        if (json_array_size(value) != 3 || !(fabs(numbers[i]) <= 1e15))
            return refuse_value(reader, key, value, "three numbers");
    }
    *vector = (lf_vec3){numbers[0], numbers[1], numbers[2]};
    return LF_OK;
}

char *lf__world_copy(const lf_world_file *world, const char *first, size_t first_length, const char *rest) {
    size_t length = strlen(rest) + 1;
    char *text = lf__allocate(&world->allocator, first_length + length, 1);
    if (text) {
        memcpy(text, first, first_length);
        memcpy(text + first_length, rest, length);
    }
    return text;
}

void lf__world_forget(const lf_world_file *world, char *text) {
    if (text)
        lf__free(&world->allocator, text, strlen(text) + 1, 1);
}

/// Add a path to the files of the outermost world.
static bool remember_file(const lf__world_reader *reader, const char *path) {
    while (reader->outer)
        reader = reader->outer;
    lf_world_file *world = reader->world;
    char *copy = lf__array_reserve(&world->files, &world->allocator, 1, sizeof copy) == LF_OK
                     ? lf__world_copy(world, "", 0, path)
                     : NULL;
    if (copy)
        ((char **)world->files.items)[world->files.count++] = copy;
    return copy != NULL;
}

char *lf__world_path(const lf__world_reader *reader, const char *name) {
    const char *slash = strrchr(reader->path, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - reader->path) + 1;
    char *path = lf__world_copy(reader->world, reader->path, folder, name);
    if (path && remember_file(reader, path))
        return path;
    lf__world_forget(reader->world, path);
    return NULL;
}
