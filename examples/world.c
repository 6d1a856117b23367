/// A world in Lua inside a program in C: the script says what there is, the program runs it and looks.
///
///     world
#include <landfall/script.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "local box = world.object{ name = 'box', parts = { { shape = 'box', size = { 1, 1, 1 } } } }\n"
    "local wall = box:instance{ at = { 4, 0, 0 } }\n"
    "local me = box:instance{ velocity = { 2, 0, 0 } }\n"
    "world.watch{ a = me, b = wall, on = function(e) world.say('bump after', e.time, 'seconds') end }\n";

static void say(void *user, const char *line) {
    (void)user;
    printf("%s\n", line);
}

int main(void) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    lf_error error = {0};
    def.name = "world.c";
    def.text = text;
    def.length = strlen(text);
    def.say = say;
    lf_status status = lf_script_create(&def, &script, &error);
    for (int i = 0; i < 40 && status == LF_OK; i++)
        status = lf_script_step(script, 0.05, &error);
    if (status == LF_OK) {
        lf_scene_stats scene = lf_scene_describe(lf_script_scene(script));
        printf("%lld things after %.0f s, %lld reactions\n", (long long)scene.instance_count, scene.time,
               (long long)lf_script_describe(script).reactions);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    lf_script_destroy(script);
    return status == LF_OK ? 0 : 2;
}
