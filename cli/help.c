#include "help.h"
#include <stdio.h>
#include <string.h>

#define WIDTH 80

static void pad(output *out, size_t count) {
    while (count-- > 0)
        output_char(out, ' ');
}

/// Words of [text, end) in lines of at most WIDTH columns. The first line goes on at column `at`; the others
/// start at column `indent`.
static void wrap(output *out, const char *text, const char *end, size_t at, size_t indent) {
    bool first = true;
    while (text < end) {
        size_t length = strcspn(text, " \n");
        if (!first && at + 1 + length > WIDTH) {
            output_char(out, '\n');
            pad(out, indent);
            at = indent;
        } else if (!first) {
            output_char(out, ' ');
            at++;
        }
        output_bytes(out, text, length);
        at += length;
        text += length;
        text += strspn(text, " \n");
        first = false;
    }
    output_char(out, '\n');
}

/// Paragraphs are split by an empty line; one whose lines start with a blank is kept as it is.
static void write_paragraphs(output *out, const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        const char *stop = end ? end : text + strlen(text);
        output_char(out, '\n');
        if (*text == ' ') {
            output_bytes(out, text, (size_t)(stop - text));
            output_char(out, '\n');
        } else {
            wrap(out, text, stop, 0, 0);
        }
        text = end ? end + 2 : stop;
    }
}

/// "  -j, --threads N"
static void spell(char *text, size_t room, const option *option, const char *dashes) {
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, room, "  %s%s%s%s%s", letter, dashes, option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

/// A word on the left, its help in a column on the right, below it when the word is too long.
static void write_entry(output *out, const char *word, const char *help, size_t column) {
    size_t length = strlen(word);
    output_text(out, word);
    if (length + 2 > column) {
        output_char(out, '\n');
        length = 0;
    }
    pad(out, column - length);
    wrap(out, help, help + strlen(help), column, column);
}

static void write_choices(output *out, const command *command) {
    output_char(out, '\n');
    output_text(out, command->arguments);
    output_text(out, ":\n");
    for (const choice *choice = command->choices; choice->word; choice++) {
        char text[WIDTH];
        snprintf(text, sizeof text, "  %s", choice->word);
        write_entry(out, text, choice->help, 14);
    }
}

void help_command(output *out, const command *command) {
    output_text(out, "usage: landfall ");
    output_text(out, command->name);
    output_char(out, ' ');
    output_text(out, command->arguments);
    output_text(out, " [options]\n\n");
    output_text(out, command->summary);
    output_char(out, '\n');
    write_paragraphs(out, command->details);
    if (command->choices)
        write_choices(out, command);
    output_text(out, "\noptions:\n");
    for (const option *const *group = command->groups; *group; group++)
        for (const option *option = *group; option->name; option++) {
            char text[WIDTH];
            spell(text, sizeof text, option, command->telling ? "-" : "--");
            write_entry(out, text, option->help, 24);
        }
}

void help_overview(output *out) {
    output_text(out, "usage: landfall COMMAND ... [options]\n"
                     "       landfall COMMAND --help\n"
                     "       landfall --version\n\n"
                     "Questions about ground: how high is it here, what does this ray hit.\n\n"
                     "commands:\n");
    for (const command *command = commands; command->name; command++) {
        char text[WIDTH];
        snprintf(text, sizeof text, "  %s", command->name);
        write_entry(out, text, command->summary, 16);
    }
    output_text(out, "\nexit status: 0 yes (hit, done), 1 no (miss, no ground there), 2 error.\n");
}
