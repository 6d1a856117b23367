/// Models, for scripts: asked for by name, read by the caller, held until the end.
#include "script/script.h"
#include <string.h>

/// May a step of a name, from `at` up to a / or the end, be used? It must not lead anywhere but down.
static bool step_is_fine(const char *at, size_t length) {
    bool here = length == 1 && at[0] == '.', up = length == 2 && at[0] == '.' && at[1] == '.';
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)at[i] < 32 || at[i] == 127 || at[i] == '\\' || at[i] == ':')
            return false;
    return length > 0 && !here && !up;
}

static bool name_is_fine(const char *name) {
    size_t all = strlen(name);
    if (all == 0 || all > LF_SCRIPT_MODEL_NAME)
        return false;
    for (const char *at = name;; at++) {
        size_t length = strcspn(at, "/");
        if (!step_is_fine(at, length))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/// Read a model and keep it: room first, so that nothing is lost on the way.
static lf_status keep_model(lf_script *script, const char *name, lf_error *error) {
    lf__script_model made = {"", NULL};
    lf_status status = lf__array_reserve(&script->models, &script->counted, 1, sizeof made);
    if (status == LF_OK)
        status = script->load(script->user, name, &script->host, &made.model, error);
    if (status < LF_OK)
        return status;
    if (!made.model)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: there is no such model", name);
    memcpy(made.name, name, strlen(name) + 1);
    ((lf__script_model *)script->models.items)[script->models.count++] = made;
    return LF_OK;
}

const lf_model *lf__script_model_of(lua_State *L, const char *name) {
    lf_script *script = lf__script_of(L);
    lf_error error = {LF_OK, -1, ""};
    const lf__script_model *models = script->models.items;
    if (!name_is_fine(name))
        luaL_error(L, "file wants a name below the script's folder, not \"%s\"", name);
    for (int64_t i = 0; i < script->models.count; i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].model;
    if (!script->load)
        luaL_error(L, "%s: this script has no models to read", name);
    lf__script_check(L, keep_model(script, name, &error), &error);
    models = script->models.items;
    return models[script->models.count - 1].model;
}

void lf__script_free_models(lf_script *script) {
    lf__script_model *models = script->models.items;
    for (int64_t i = 0; i < script->models.count; i++)
        lf_model_destroy(models[i].model);
    lf__array_free(&script->models, &script->counted, sizeof *models);
}
