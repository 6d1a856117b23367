#include "manual.h"
#include <ctype.h>
#include <landfall/landfall.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Pages
// ---------------------------------------------------------------------------------------------------

/// Text in which no character means anything to man.
static void put(output *out, const char *text, size_t length) {
    bool start = true;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (start && (c == '.' || c == '\''))
            output_text(out, "\\&");
        if (c == '\\')
            output_text(out, "\\e");
        else if (c == '-')
            output_text(out, "\\-");
        else
            output_char(out, c);
        start = c == '\n';
    }
}

static void put_text(output *out, const char *text) {
    put(out, text, strlen(text));
}

static void section(output *out, const char *name) {
    output_text(out, ".SH ");
    output_text(out, name);
    output_char(out, '\n');
}

/// As in help: paragraphs whose lines start with a blank are kept as they are.
static void put_paragraphs(output *out, const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        output_text(out, *text == ' ' ? ".PP\n.nf\n" : ".PP\n");
        put(out, text, length);
        output_text(out, *text == ' ' ? "\n.fi\n" : "\n");
        text += length + (end ? 2 : 0);
    }
}

static void put_entry(output *out, const char *word, const char *help) {
    output_text(out, ".TP\n.B ");
    put_text(out, word);
    output_char(out, '\n');
    put_text(out, help);
    output_char(out, '\n');
}

static void put_option(output *out, const option *option) {
    output_text(out, ".TP\n");
    if (option->letter) {
        output_text(out, "\\fB\\-");
        output_char(out, option->letter);
        output_text(out, "\\fR, ");
    }
    output_text(out, "\\fB\\-\\-");
    put_text(out, option->name);
    output_text(out, "\\fR");
    if (option->value) {
        output_text(out, " \\fI");
        put_text(out, option->value);
        output_text(out, "\\fR");
    }
    output_char(out, '\n');
    put_text(out, option->help);
    output_char(out, '\n');
}

static void put_header(output *out, const char *name, const char *summary) {
    output_text(out, ".TH LANDFALL");
    if (name)
        output_char(out, '-');
    for (const char *c = name; c && *c; c++)
        output_char(out, (char)toupper((unsigned char)*c));
    output_text(out, " 1 \"\" \"landfall ");
    output_text(out, lf_version());
    output_text(out, "\" \"landfall\"\n");
    section(out, "NAME");
    output_text(out, name ? "landfall\\-" : "landfall");
    put_text(out, name ? name : "");
    output_text(out, " \\- ");
    put_text(out, summary);
    output_char(out, '\n');
    section(out, "SYNOPSIS");
}

static void write_overview(output *out) {
    put_header(out, NULL, "questions about ground");
    output_text(out, ".B landfall\n\\fICOMMAND\\fR ... [\\fIoptions\\fR]\n");
    section(out, "COMMANDS");
    for (const command *command = commands; command->name; command++)
        put_entry(out, command->name, command->summary);
    section(out, "EXIT STATUS");
    put_text(out, "0 yes (hit, done), 1 no (miss, no ground there), 2 error.\n");
    section(out, "SEE ALSO");
    output_text(out, "landfall\\-COMMAND(1) of each command.\n");
}

void manual_write(output *out, const command *command) {
    if (!command) {
        write_overview(out);
        return;
    }
    put_header(out, command->name, command->summary);
    output_text(out, ".B landfall ");
    put_text(out, command->name);
    output_text(out, "\n\\fI");
    put_text(out, command->arguments);
    output_text(out, "\\fR [\\fIoptions\\fR]\n");
    section(out, "DESCRIPTION");
    put_paragraphs(out, command->details);
    for (const choice *choice = command->choices; choice && choice->word; choice++)
        put_entry(out, choice->word, choice->help);
    section(out, "OPTIONS");
    for (const option *const *group = command->groups; *group; group++)
        for (const option *option = *group; option->name; option++)
            put_option(out, option);
    section(out, "SEE ALSO");
    output_text(out, "landfall(1)\n");
}

// ---------------------------------------------------------------------------------------------------
// Completion
// ---------------------------------------------------------------------------------------------------

static void put_words(output *out, const command *command) {
    for (const choice *choice = command->choices; choice && choice->word; choice++) {
        output_text(out, choice->word);
        output_char(out, ' ');
    }
    for (const option *const *group = command->groups; *group; group++)
        for (const option *option = *group; option->name; option++) {
            output_text(out, "--");
            output_text(out, option->name);
            output_char(out, ' ');
        }
}

void completion_write(output *out) {
    output_text(out, "# Completion of landfall for bash.\n"
                     "_landfall() {\n"
                     "    local words=''\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "        words='");
    for (const command *command = commands; command->name; command++) {
        output_text(out, command->name);
        output_char(out, ' ');
    }
    output_text(out, "help --help --version'\n"
                     "    else\n"
                     "        case ${COMP_WORDS[1]} in\n");
    for (const command *command = commands; command->name; command++) {
        output_text(out, "        ");
        output_text(out, command->name);
        output_text(out, ") words='");
        put_words(out, command);
        output_text(out, "' ;;\n");
    }
    output_text(out, "        esac\n"
                     "    fi\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
                     "}\n"
                     "complete -o default -F _landfall landfall\n");
}
