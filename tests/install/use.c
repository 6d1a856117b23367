/// A stranger's program against the installed library: do header and library fit together? Also compiled as C++.
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/omp.h>
#include <landfall/picture.h>
#include <landfall/script.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check(const char *what, bool fine) {
    printf("%-50s %s\n", what, fine ? "ok" : "WRONG");
    wrong += !fine;
}

static void check_version(void) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LF_VERSION_MAJOR, LF_VERSION_MINOR, LF_VERSION_PATCH);
    check("lf_version() is that of the headers", strcmp(lf_version(), text) == 0);
}

/// The default of a def struct carries its size.
#define CHECK_DEFAULT(type, make) check("default of " #type, make().size == sizeof(type))

static void check_defaults(void) {
    CHECK_DEFAULT(lf_script_def, lf_script_def_default);
    CHECK_DEFAULT(lf_pairs_def, lf_pairs_def_default);
    CHECK_DEFAULT(lf_model_def, lf_model_def_default);
    CHECK_DEFAULT(lf_scene_def, lf_scene_def_default);
    CHECK_DEFAULT(lf_part_def, lf_part_def_default);
    CHECK_DEFAULT(lf_object_def, lf_object_def_default);
    CHECK_DEFAULT(lf_instance_def, lf_instance_def_default);
    CHECK_DEFAULT(lf_watch_def, lf_watch_def_default);
    CHECK_DEFAULT(lf_model_query, lf_model_query_default);
    CHECK_DEFAULT(lf_mesh_def, lf_mesh_def_default);
    CHECK_DEFAULT(lf_globe_def, lf_globe_def_default);
    CHECK_DEFAULT(lf_globe_update_rules, lf_globe_update_rules_default);
    CHECK_DEFAULT(lf_tiler_def, lf_tiler_def_default);
    CHECK_DEFAULT(lf_grid_def, lf_grid_def_default);
    CHECK_DEFAULT(lf_sight_rules, lf_sight_rules_default);
    CHECK_DEFAULT(lf_viewshed_def, lf_viewshed_def_default);
    CHECK_DEFAULT(lf_mesh_edit_def, lf_mesh_edit_def_default);
    CHECK_DEFAULT(lf_group_def, lf_group_def_default);
    CHECK_DEFAULT(lf_camera, lf_camera_default);
    CHECK_DEFAULT(lf_shadow_def, lf_shadow_def_default);
    CHECK_DEFAULT(lf_store_def, lf_store_def_default);
    CHECK_DEFAULT(lf_polygon_file_def, lf_polygon_file_def_default);
    CHECK_DEFAULT(lf_raster_def, lf_raster_def_default);
    CHECK_DEFAULT(lf_result_def, lf_result_def_default);
    CHECK_DEFAULT(lf_points_def, lf_points_def_default);
    CHECK_DEFAULT(lf_horizon_def, lf_horizon_def_default);
    CHECK_DEFAULT(lf_sun_day_def, lf_sun_day_def_default);
    CHECK_DEFAULT(lf_view, lf_view_default);
    CHECK_DEFAULT(lf_cull_def, lf_cull_def_default);
    CHECK_DEFAULT(lf_cull_rules, lf_cull_rules_default);
}

static void add_up(void *job, int64_t first, int64_t last, int worker) {
    int64_t *sums = (int64_t *)job;
    for (int64_t i = first; i < last; i++)
        sums[worker] += i;
}

static void check_script(void) {
    lf_script_def def = lf_script_def_default();
    lf_script *script = NULL;
    def.text = "world.object{ parts = { { shape = 'box' } } }:instance()";
    def.length = strlen(def.text);
    check("a script runs", lf_script_create(&def, &script, NULL) == LF_OK &&
                               lf_scene_describe(lf_script_scene(script)).instance_count == 1);
    lf_script_destroy(script);
}

static void check_tasks(void) {
    int64_t sums[2] = {0, 0};
    lf_tasks tasks = lf_tasks_openmp(2);
    tasks.run(tasks.user, 1000, 10, add_up, sums);
    check("a loop on lf_tasks_openmp(2)", sums[0] + sums[1] == 499500);
}

static void check_io(void) {
    double seconds = 0;
    check("a time is read", lf_time_read("1970-01-02", &seconds, NULL) == LF_OK && seconds == 86400);
}

int main(void) {
    check_version();
    check_defaults();
    check_tasks();
    check_io();
    check_script();
    return wrong != 0;
}
