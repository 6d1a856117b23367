/// Messages on standard error.
#include "cli.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *current;

void message_name(const char *subcommand) {
    current = subcommand;
}

static const char *program = "landfall";
static char *held; ///< what has not been printed yet; NULL: everything is printed at once

void message_program(const char *name) {
    program = name;
}

void message_hold(void) {
    held = calloc(1, 1);
}

void message_release(const char *from) {
    size_t length = held ? strcspn(held, " :") : 0;
    // Behind the program and its subcommand.
    length += held && current && held[length] == ' ' ? strlen(current) + 1 : 0;
    if (held && *from && strncmp(held + length, ": ", 2) == 0)
        fprintf(stderr, "%.*s: %s%s", (int)length, held, from, held + length + 1);
    else if (held)
        fputs(held, stderr);
    free(held);
    held = NULL;
}

/// Print a line, or keep it.
static void put(const char *line) {
    size_t used = held ? strlen(held) : 0, length = strlen(line);
    char *longer = held ? realloc(held, used + length + 2) : NULL;
    if (!longer) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    held = longer;
    memcpy(held + used, line, length);
    memcpy(held + used + length, "\n", 2);
}

static void print(const char *format, va_list list) {
    char line[8192];
    progress_clear();
    int length = snprintf(line, sizeof line, "%s%s%s: ", program, current ? " " : "", current ? current : "");
    vsnprintf(line + length, sizeof line - (size_t)length, format, list);
    put(line);
}

int message_error(const char *format, ...) {
    va_list list;
    va_start(list, format);
    print(format, list);
    va_end(list);
    return CLI_ERROR;
}

int message_usage(const char *format, ...) {
    va_list list;
    va_start(list, format);
    print(format, list);
    va_end(list);
    char line[256];
    snprintf(line, sizeof line, "try: %s%s%s --help", program, current ? " " : "", current ? current : "");
    put(line);
    return CLI_ERROR;
}

int message_status(lf_status status, const lf_error *error) {
    if (status == LF_CANCELLED)
        return CLI_ERROR;
    if (error && error->text[0] && strcmp(error->text, lf_status_text(status)) != 0)
        return message_error("%s", error->text);
    if (status == LF_BAD_FORMAT) // of a question: what was opened has been found damaged since
        return message_error(
            "the file of the ground is damaged: a checksum is wrong (try: landfall verify FILE)");
    return message_error("%s", lf_status_text(status));
}

void message_note(const char *text) {
    progress_clear();
    fprintf(stderr, "%s%s%s: note: %s\n", program, current ? " " : "", current ? current : "", text);
}
