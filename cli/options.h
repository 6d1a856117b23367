/// Options and arguments of one run, taken apart by the table in commands.c.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "commands.h"
#include <stdint.h>

/// An option as it was given.
typedef struct given {
    const option *option;
    const char *value; ///< NULL for options without one
} given;

typedef struct options {
    given *list;
    int count;
    const char **arguments;
    int argument_count;
    const char *dashes; ///< what stands before a long option: "--", or "-" where the command has it so
} options;

/// Take the words behind the subcommand apart. Long options take their value behind `=` or a blank, short ones
/// joined or behind a blank; `--` ends options; a lone `-` is an argument. Says what is wrong and returns false.
bool options_parse(options *parsed, const command *command, int count, char **words);

void options_free(options *parsed);

/// Was the option given?
bool options_has(const options *parsed, const char *name);

/// How often the option was given.
int options_count(const options *parsed, const char *name);

/// The value that the option was given for the time number `index` from 0; NULL beyond.
const char *options_nth(const options *parsed, const char *name, int index);

/// The value of an option that is given at most once, or NULL.
const char *options_value(const options *parsed, const char *name);

/// A whole number within low .. high; value is left alone when the option was not given. Says what is wrong and
/// returns false.
bool options_integer(const options *parsed, const char *name, int64_t low, int64_t high, int64_t *value);

/// Likewise for a number, finite.
bool options_number(const options *parsed, const char *name, double *value);

#endif
