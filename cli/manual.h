/// Manual pages and the shell's completion, made from the table in commands.c as --help is.
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "commands.h"
#include "output.h"

/// A page in the language of man; command NULL: that of landfall itself.
void manual_write(output *out, const command *command);

/// What bash has to know to complete subcommands and options.
void completion_write(output *out);

#endif
