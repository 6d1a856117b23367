/// Help texts, made from the table in commands.c.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "commands.h"
#include "output.h"

/// What `landfall --help` prints.
void help_overview(output *out);

/// What `landfall NAME --help` prints.
void help_command(output *out, const command *command);

#endif
