/// The subcommands, and the tables of their answers.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "answer.h"

int command_info(cli *run);
int command_height(cli *run);
int command_ray(cli *run);
int command_sweep(cli *run);
int command_locale(cli *run);
int command_walk(cli *run);
int command_place(cli *run);
int command_shadow(cli *run);
int command_collide(cli *run);
int command_make(cli *run);
int command_map(cli *run);
int command_render(cli *run);
int command_sight(cli *run);
int command_viewshed(cli *run);
int command_gdal_viewshed(cli *run);
int command_horizon(cli *run);
int command_sunhours(cli *run);
int command_total(cli *run);
int command_intervisible(cli *run);
int command_site(cli *run);
int command_build(cli *run);
int command_camera(cli *run);
int command_verify(cli *run);
int command_export(cli *run);
int command_scene(cli *run);
int command_globe(cli *run);
int command_serve(cli *run);

/// Become the program of a command; returns the exit status when there is none.
int command_program(const command *command, int count, char **words);

extern const field info_fields[], model_fields[], quadtree_fields[], pyramid_fields[], height_fields[],
    height_hit_fields[], ray_fields[], sweep_fields[], locale_fields[], crossing_fields[], walk_fields[],
    place_fields[], place_contact_fields[], shadow_fields[], shade_fields[], sight_fields[],
    sight_path_fields[], viewshed_fields[], camera_fields[], horizon_fields[], sunhours_fields[],
    total_fields[], intervisible_fields[], network_fields[], site_fields[], collide_fields[],
    landing_fields[], render_fields[], event_fields[], scene_fields[];

/// Print what a .lf file holds; returns the exit status.
int info_store(cli *run, const char *path);

/// `landfall info --as model` and `landfall info --quadtree`; return the exit status.
int info_model(cli *run);
int info_quadtree(cli *run);

#endif
