#include "world.h"
#include "scene_model.h"
#include <landfall/io.h>
#include <string.h>

#define LONGEST_LIMIT 1e9 ///< in seconds

/// --set NAME=VALUE, each once.
static bool read_settings(const options *given, world *world, int *count) {
    *count = options_count(given, "set");
    if (*count > WORLD_SETTINGS) {
        message_usage("--set is given %d times; %d are the most", *count, WORLD_SETTINGS);
        return false;
    }
    for (int i = 0; i < *count; i++) {
        const char *text = options_nth(given, "set", i);
        size_t length = strcspn(text, "=");
        if (text[length] != '=' || length == 0 || length >= sizeof world->names[i]) {
            message_usage("--set %s: NAME=VALUE is wanted", text);
            return false;
        }
        memcpy(world->names[i], text, length);
        world->names[i][length] = '\0';
        world->settings[i] = (lf_script_setting){world->names[i], text + length + 1};
    }
    return true;
}

bool world_time_limit(const options *given, double *seconds) {
    double limit = *seconds;
    if (!options_number(given, "time-limit", &limit))
        return false;
    if (!(limit >= 0 && limit <= LONGEST_LIMIT)) {
        message_usage("--time-limit %s: expected 0 to %.0f seconds", options_value(given, "time-limit"),
                      LONGEST_LIMIT);
        return false;
    }
    *seconds = limit;
    return true;
}

/// What the script wants to have read for it.
static lf_status load(void *user, const char *name, const lf_host *host, lf_model **model, lf_error *error) {
    const world *world = user;
    return scene_model_read(world->run, world->path, name, host, model, error);
}

static void say(void *user, const char *text) {
    const world *world = user;
    if (world->say)
        world->say(world->say_user, text);
}

/// The last part of a path: what messages call the script.
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool world_open(cli *run, const char *path, const lf_ground *land, world *world) {
    lf_script_def def = lf_script_def_default();
    lf_map map = {NULL, 0};
    lf_error error = {0};
    int settings;
    if (!read_settings(&run->given, world, &settings) || !world_time_limit(&run->given, &def.time_limit))
        return false;
    world->run = run;
    world->path = path;
    lf_status status = lf_map_open(path, &map, &error);
    if (status == LF_OK) {
        def.name = file_name(path);
        def.text = map.data ? map.data : "";
        def.length = map.size;
        def.say = say;
        def.user = world;
        def.load = load;
        def.settings = world->settings;
        def.setting_count = settings;
        def.land = land;
        status = lf_script_create(&def, &world->script, &error);
        lf_map_close(&map);
    }
    if (status != LF_OK)
        message_status(status, &error);
    return status == LF_OK;
}

void world_close(world *world) {
    lf_script_destroy(world->script);
    world->script = NULL;
}
