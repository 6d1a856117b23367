/// Messages on standard error.
#include "cli.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *current;

void message_name(const char *subcommand) {
    current = subcommand;
}

static void print(const char *format, va_list list) {
    progress_clear();
    fprintf(stderr, "landfall%s%s: ", current ? " " : "", current ? current : "");
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
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
    fprintf(stderr, "try: landfall%s%s --help\n", current ? " " : "", current ? current : "");
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
    fprintf(stderr, "landfall%s%s: note: %s\n", current ? " " : "", current ? current : "", text);
}
