/// The command's messages, kept instead of shown: a refusal without a word is a fault. One target includes this once; the
/// linker then leaves the command's own messages out.
#ifndef LF_TESTS_FUZZ_MESSAGES_H
#define LF_TESTS_FUZZ_MESSAGES_H

#include "cli.h"
#include "fuzz.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// How many messages there have been, and the last one.
static int fuzz_said;
static char fuzz_message[4096];

static void fuzz_keep(const char *format, va_list list) {
    fuzz_said++;
    FUZZ_HOLDS(vsnprintf(fuzz_message, sizeof fuzz_message, format, list) > 0);
}

void message_name(const char *subcommand) {
    (void)subcommand;
}

int message_error(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fuzz_keep(format, list);
    va_end(list);
    return CLI_ERROR;
}

int message_usage(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fuzz_keep(format, list);
    va_end(list);
    return CLI_ERROR;
}

int message_status(lf_status status, const lf_error *error) {
    return message_error("%s", error && error->text[0] ? error->text : lf_status_text(status));
}

void message_note(const char *text) {
    (void)text;
}

#endif
