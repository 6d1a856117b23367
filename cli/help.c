/// Help texts, manual pages and completion, all from the table in commands.c.
#include "answer.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 80
#define MEMBERS_SIZE 4096

/// Words of [text, end) in lines of at most WIDTH columns. The first line goes on at column `at`; the others
/// start at column `indent`.
static void wrap(output *out, const char *text, const char *end, size_t at, size_t indent) {
    bool first = true;
    while (text < end) {
        size_t length = strcspn(text, " \n");
        if (!first && at + 1 + length > WIDTH) {
            output_char(out, '\n');
            output_blanks(out, (int64_t)indent);
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
static void spell(char *text, size_t size, const option *option, const char *dashes) {
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, size, "  %s%s%s%s%s", letter, dashes, option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

/// A name on the left, its help in a column on the right, below it when the name is too long.
static void write_entry(output *out, const char *name, const char *help, size_t column) {
    size_t length = strlen(name);
    output_text(out, name);
    if (length + 2 > column) {
        output_char(out, '\n');
        length = 0;
    }
    output_blanks(out, (int64_t)(column - length));
    wrap(out, help, help + strlen(help), column, column);
}

static void write_choices(output *out, const command *command) {
    output_format(out, "\n%s:\n", command->arguments);
    for (const choice *choice = command->choices; choice->name; choice++) {
        char text[WIDTH];
        snprintf(text, sizeof text, "  %s", choice->name);
        write_entry(out, text, choice->help, 14);
    }
}

/// "JSON members: at, ground, point (m) ...": the names and units of the tables, each once. Returns the length.
static size_t list_members(const command *command, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "JSON members: ");
    bool first = true;
    for (const field *const *table = command->answers; table && *table; table++)
        for (const field *f = *table; f->name; f++) {
            char name[64];
            if (f->type == FIELD_NAME || (f->forms & (IN_TEXT | IN_JSON | IN_CSV) && !(f->forms & IN_JSON)))
                continue;
            int length = snprintf(name, sizeof name, "%s%s%s%s", f->name, f->unit ? " (" : "",
                                  f->unit ? f->unit : "", f->unit ? ")" : "");
            const char *before = text;
            while ((before = strstr(before, name)) &&
                   !(before[-1] == ' ' && (before[length] == ',' || before[length] == '\0')))
                before++;
            if (before)
                continue;
            used += (size_t)snprintf(text + used, size - used, "%s%s", first ? "" : ", ", name);
            first = false;
        }
    return used < size ? used : size - 1;
}

void help_command(output *out, const command *command) {
    output_format(out, "usage: landfall %s %s [options]\n\n%s\n", command->name, command->arguments,
                  command->summary);
    write_paragraphs(out, command->details);
    if (command->answers) {
        char members[MEMBERS_SIZE];
        size_t length = list_members(command, members, sizeof members);
        output_char(out, '\n');
        wrap(out, members, members + length, 0, 0);
    }
    if (command->choices)
        write_choices(out, command);
    output_text(out, "\noptions:\n");
    const option *option;
    for (option_place place = {0}; (option = command_next(command, &place));) {
        char text[WIDTH];
        spell(text, sizeof text, option, command->signs ? "-" : "--");
        write_entry(out, text, option->help, 24);
    }
}

void help_overview(output *out) {
    output_text(out, "usage: landfall COMMAND ... [options]\n"
                     "       landfall COMMAND --help\n"
                     "       landfall --version\n\n"
                     "Questions about ground: how high it is here, what this ray hits.\n\n"
                     "commands:\n");
    for (const command *command = commands; command->name; command++) {
        char text[WIDTH];
        snprintf(text, sizeof text, "  %s", command->name);
        write_entry(out, text, command->summary, 16);
    }
    output_text(out, "\nexit status: 0 yes (hit, done), 1 no (miss, no ground there), 2 error.\n");
}

// ---- Pages --------------------------------------------------------------------------------------

/// Text in which no character has a meaning for man.
static void put_escaped(output *out, const char *text, size_t length) {
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
    put_escaped(out, text, strlen(text));
}

/// As in help: paragraphs whose lines start with a blank are kept as they are.
static void put_paragraphs(output *out, const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        output_text(out, *text == ' ' ? ".PP\n.nf\n" : ".PP\n");
        put_escaped(out, text, length);
        output_text(out, *text == ' ' ? "\n.fi\n" : "\n");
        text += length + (end ? 2 : 0);
    }
}

static void put_entry(output *out, const char *name, const char *help) {
    output_text(out, ".TP\n.B ");
    put_text(out, name);
    output_char(out, '\n');
    put_text(out, help);
    output_char(out, '\n');
}

static void put_option(output *out, const option *option) {
    output_text(out, ".TP\n");
    if (option->letter)
        output_format(out, "\\fB\\-%c\\fR, ", option->letter);
    output_text(out, "\\fB\\-\\-");
    put_text(out, option->name);
    output_text(out, option->value ? "\\fR \\fI" : "");
    put_text(out, option->value ? option->value : "");
    output_text(out, "\\fR\n");
    put_text(out, option->help);
    output_char(out, '\n');
}

static void put_header(output *out, const char *name, const char *summary) {
    output_text(out, name ? ".TH LANDFALL-" : ".TH LANDFALL");
    for (const char *c = name; c && *c; c++)
        output_char(out, (char)toupper((unsigned char)*c));
    output_format(out, " 1 \"\" \"landfall %s\" \"landfall\"\n.SH NAME\nlandfall%s%s \\- ", lf_version(),
                  name ? "\\-" : "", name ? name : "");
    put_text(out, summary);
    output_text(out, "\n.SH SYNOPSIS\n");
}

static void write_overview(output *out) {
    put_header(out, NULL, "questions about ground");
    output_text(out, ".B landfall\n\\fICOMMAND\\fR ... [\\fIoptions\\fR]\n");
    output_text(out, ".SH COMMANDS\n");
    for (const command *command = commands; command->name; command++)
        put_entry(out, command->name, command->summary);
    output_text(out, ".SH EXIT STATUS\n");
    put_text(out, "0 yes (hit, done), 1 no (miss, no ground there), 2 error.\n");
    output_text(out, ".SH SEE ALSO\n");
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
    output_text(out, ".SH DESCRIPTION\n");
    put_paragraphs(out, command->details);
    if (command->answers) {
        char members[MEMBERS_SIZE];
        size_t length = list_members(command, members, sizeof members);
        output_text(out, ".PP\n");
        put_escaped(out, members, length);
        output_char(out, '\n');
    }
    for (const choice *choice = command->choices; choice && choice->name; choice++)
        put_entry(out, choice->name, choice->help);
    output_text(out, ".SH OPTIONS\n");
    const option *option;
    for (option_place place = {0}; (option = command_next(command, &place));)
        put_option(out, option);
    output_text(out, ".SH SEE ALSO\n");
    output_text(out, "landfall(1)\n");
}

// ---- Completion ---------------------------------------------------------------------------------

static void put_words(output *out, const command *command) {
    for (const choice *choice = command->choices; choice && choice->name; choice++)
        output_format(out, "%s ", choice->name);
    const option *option;
    for (option_place place = {0}; (option = command_next(command, &place));)
        output_format(out, "--%s ", option->name);
}

static void write_bash(output *out) {
    output_text(out, "# Completion of landfall for bash.\n"
                     "_landfall() {\n"
                     "    local words=''\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "        words='");
    for (const command *command = commands; command->name; command++)
        output_format(out, "%s ", command->name);
    output_text(out, "help --help --version'\n"
                     "    else\n"
                     "        case ${COMP_WORDS[1]} in\n");
    for (const command *command = commands; command->name; command++) {
        output_format(out, "        %s) words='", command->name);
        put_words(out, command);
        output_text(out, "' ;;\n");
    }
    output_text(out, "        esac\n"
                     "    fi\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
                     "}\n"
                     "complete -o default -F _landfall landfall\n");
}

/// Text between single quotes, where `quote` stands for one of its own.
static void put_quoted(output *out, const char *text, const char *quote) {
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            output_text(out, quote);
        else
            output_char(out, *c == '\n' ? ' ' : *c);
}

/// An entry 'NAME:DESCRIPTION' of an array.
static void put_zsh(output *out, const char *dashes, const char *name, const char *help) {
    output_format(out, " '%s%s:", dashes, name);
    put_quoted(out, help, "'\\''");
    output_char(out, '\'');
}

static void write_zsh(output *out) {
    output_text(out, "#compdef landfall\n"
                     "_landfall() {\n"
                     "    local -a entries\n"
                     "    if ((CURRENT == 2)); then\n"
                     "        entries=(");
    for (const command *command = commands; command->name; command++)
        put_zsh(out, "", command->name, command->summary);
    output_text(out, ")\n"
                     "        _describe command entries\n"
                     "        return\n"
                     "    fi\n"
                     "    case $words[2] in\n");
    for (const command *command = commands; command->name; command++) {
        output_format(out, "    %s) entries=(", command->name);
        for (const choice *choice = command->choices; choice && choice->name; choice++)
            put_zsh(out, "", choice->name, choice->help);
        const option *option;
        for (option_place place = {0}; (option = command_next(command, &place));)
            put_zsh(out, "--", option->name, option->help);
        output_text(out, ") ;;\n");
    }
    output_text(out, "    esac\n"
                     "    _describe -o option entries\n"
                     "    _files\n"
                     "}\n"
                     "_landfall \"$@\"\n");
}

/// One thing that can follow `command`, or, without one, `landfall` itself.
static void put_fish(output *out, const command *command, const char *what) {
    output_text(out, "complete -c landfall -n '");
    if (command)
        output_format(out, "__fish_seen_subcommand_from %s' %s -d '", command->name, what);
    else
        output_format(out, "__fish_use_subcommand' -f %s -d '", what);
}

static void end_fish(output *out, const char *help) {
    put_quoted(out, help, "\\'");
    output_text(out, "'\n");
}

static void write_fish(output *out) {
    char what[128];
    output_text(out, "# Completion of landfall for fish.\n");
    for (const command *command = commands; command->name; command++) {
        snprintf(what, sizeof what, "-a %s", command->name);
        put_fish(out, NULL, what);
        end_fish(out, command->summary);
    }
    for (const command *command = commands; command->name; command++) {
        for (const choice *choice = command->choices; choice && choice->name; choice++) {
            snprintf(what, sizeof what, "-a %s", choice->name);
            put_fish(out, command, what);
            end_fish(out, choice->help);
        }
        const option *option;
        for (option_place place = {0}; (option = command_next(command, &place));) {
            char letter[] = {' ', '-', 's', ' ', option->letter, 0};
            snprintf(what, sizeof what, "-l %s%s%s", option->name, option->letter ? letter : "",
                     option->value ? " -r" : "");
            put_fish(out, command, what);
            end_fish(out, option->help);
        }
    }
}

bool completion_write(output *out, const char *shell) {
    static const struct {
        const char *name;
        void (*write)(output *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(out);
            return true;
        }
    return false;
}
