/// What all subcommands share: the exit status, messages, and what a run holds.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "commands.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include <landfall/landfall.h>

/// The exit status, as grep has it.
enum { CLI_YES = 0, CLI_NO = 1, CLI_ERROR = 2 };

/// One run of a subcommand: what was given, where answers go, and the hooks that the library gets.
struct cli {
    const command *command;
    options given;
    output out;
    progress bar;
    lf_tasks tasks;
    lf_log log;
    lf_host host;
    bool quiet;
    bool json;
};

/// Set the name that messages start with: "landfall height".
void message_name(const char *subcommand);

/// Say on standard error what is wrong; returns CLI_ERROR.
int message_error(const char *format, ...) LF_PRINTF(1, 2);

/// Say what is wrong with the way the command was called, and where help is; returns CLI_ERROR.
int message_usage(const char *format, ...) LF_PRINTF(1, 2);

/// Say what a library call found wrong: its error's text, or the status's own. Nothing is said of a cancelled
/// call: main speaks of interrupts, once. Returns CLI_ERROR.
int message_status(lf_status status, const lf_error *error);

/// A remark that is no error.
void message_remark(const char *text);

#endif
