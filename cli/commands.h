/// The table of subcommands and their options: parsing, --help and everything else that lists them read it.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stdbool.h>

typedef struct cli cli;

/// One option. A group of them is an array that ends with a name of NULL.
typedef struct option {
    const char *name;  ///< without the dashes
    char letter;       ///< short form, or 0
    const char *value; ///< what its value is called in help, or NULL: it takes none
    bool repeatable;
    const char *help;
} option;

/// A word that an argument may be, and what it means. A list of them ends with a word of NULL.
typedef struct choice {
    const char *word;
    const char *help;
} choice;

#define COMMAND_GROUPS 10

/// A way to call landfall.
typedef struct command {
    const char *name;
    const char *arguments; ///< as help shows them
    int least, most;       ///< how many arguments there may be
    const char *summary;   ///< one line
    const char *details;   ///< paragraphs, split by an empty line; lines that start with a blank are kept
    const choice *choices; ///< what the argument may be, or NULL
    const option *groups[COMMAND_GROUPS]; ///< ends with NULL
    int (*run)(cli *run);
    const struct command
        *other; ///< another way to call it, taken when one of its telling words occurs; or NULL
    const char *const *telling; ///< of such another way: these words, up to NULL; its options have one dash
} command;

/// All subcommands; ends with a name of NULL.
extern const command commands[];

/// The subcommand of that name, or NULL.
const command *command_find(const char *name);

/// The command, or its other way when the words behind it say so.
const command *command_meant(const command *command, int count, char *const *words);

int command_info(cli *run);
int command_height(cli *run);
int command_ray(cli *run);
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
int command_intervisible(cli *run);
int command_build(cli *run);
int command_camera(cli *run);
int command_verify(cli *run);
int command_export(cli *run);
int command_scene(cli *run);
int command_globe(cli *run);

#endif
