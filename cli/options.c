/// Options and arguments of one run, split by the tables; what they say. The checks are in options_check.c.
#include "questions.h"
#include <stdlib.h>
#include <string.h>

/// The words still to come.
typedef struct words {
    char **next;
    char **end;
} words;

const char *command_argument(const command *command, int index, size_t *length) {
    const char *word = command->arguments;
    for (int i = 0; i < index; i++)
        word += strcspn(word, " ") + (strchr(word, ' ') != NULL);
    *length = strcspn(word, " ");
    return word;
}

const option *command_next(const command *command, option_place *place) {
    while (command->groups[place->group] && !command->groups[place->group][place->index].name)
        *place = (option_place){place->group + 1, 0};
    return command->groups[place->group] ? &command->groups[place->group][place->index++] : NULL;
}

const option *command_option(const command *command, const char *name, size_t length) {
    const option *o;
    option_place place = {0};
    while ((o = command_next(command, &place)) &&
           !(strlen(o->name) == length && strncmp(o->name, name, length) == 0))
        continue;
    return o;
}

static const option *find_short(const command *command, char letter) {
    const option *o;
    option_place place = {0};
    while ((o = command_next(command, &place)) && o->letter != letter)
        continue;
    return o;
}

static bool keep(options *parsed, const option *option, const char *value) {
    if (value && !option->repeatable && options_has(parsed, option->name))
        return refused("%s%s: given twice", parsed->dashes, option->name);
    parsed->list[parsed->count++] = (given){option, value};
    return true;
}

/// A word of a long option, behind its dashes.
static bool parse_long(options *parsed, const command *command, const char *name, words *rest) {
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const option *option = command_option(command, name, length);
    if (!option)
        return refused("%s%.*s: unknown option", parsed->dashes, (int)length, name);
    if (!option->value && value)
        return refused("%s%s: takes no value", parsed->dashes, option->name);
    if (option->value && !value) {
        if (rest->next == rest->end)
            return refused("%s%s: missing value: expected %s", parsed->dashes, option->name, option->value);
        value = *rest->next++;
    }
    return keep(parsed, option, value);
}

/// One word of short options: flags may be joined, the last may have a value.
static bool parse_short(options *parsed, const command *command, const char *word, words *rest) {
    for (const char *letter = word + 1; *letter; letter++) {
        const option *option = find_short(command, *letter);
        const char *value = NULL;
        if (!option)
            return refused("%s: unknown option -%c", word, *letter);
        if (option->value) {
            value = letter[1] ? letter + 1 : rest->next < rest->end ? *rest->next++ : NULL;
            if (!value)
                return refused("-%c: missing value: expected %s", *letter, option->value);
        }
        if (!keep(parsed, option, value))
            return false;
        if (value)
            break;
    }
    return true;
}

static bool parse_words(options *parsed, const command *command, words rest) {
    bool only_arguments = false;
    while (rest.next < rest.end) {
        const char *word = *rest.next++;
        bool fine = true;
        if (only_arguments || word[0] != '-' || word[1] == '\0')
            parsed->arguments[parsed->argument_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else if (word[1] == '-')
            fine = parse_long(parsed, command, word + 2, &rest);
        else if (command->signs)
            fine = parse_long(parsed, command, word + 1, &rest);
        else
            fine = parse_short(parsed, command, word, &rest);
        if (!fine)
            return false;
    }
    return true;
}

static bool check_arguments(const options *parsed, const command *command) {
    size_t length;
    const char *missing = command_argument(command, parsed->argument_count, &length);
    if (options_has(parsed, "help"))
        return true;
    if (parsed->argument_count < command->least)
        return refused("%.*s: missing argument", (int)length, missing);
    if (parsed->argument_count > command->most)
        return refused("%s: unexpected argument: expected at most %d", parsed->arguments[command->most],
                       command->most);
    return true;
}

bool options_parse(options *parsed, const command *command, int count, char **list) {
    // A word of short options holds several of them, so letters are counted, not words.
    size_t count_most = 1;
    for (int i = 0; i < count; i++)
        count_most += 1 + strlen(list[i]);
    *parsed = (options){allocate(count_most, sizeof(given)), 0, allocate(count_most, sizeof(char *)), 0,
                        command->signs ? "-" : "--"};
    return parse_words(parsed, command, (words){list, list + count}) && check_arguments(parsed, command);
}

int options_count(const options *parsed, const char *name) {
    int count = 0;
    for (int i = 0; i < parsed->count; i++)
        count += strcmp(parsed->list[i].option->name, name) == 0;
    return count;
}

bool options_has(const options *parsed, const char *name) {
    return options_count(parsed, name) > 0;
}

const char *options_nth(const options *parsed, const char *name, int index) {
    for (int i = 0; i < parsed->count; i++)
        if (strcmp(parsed->list[i].option->name, name) == 0 && index-- == 0)
            return parsed->list[i].value;
    return NULL;
}

const char *options_value(const options *parsed, const char *name) {
    return options_nth(parsed, name, 0);
}

double options_number(const options *parsed, const char *name, double fallback) {
    double numbers[ROW_NUMBERS];
    return options_numbers(parsed, name, 0, numbers) > 0 ? numbers[0] : fallback;
}

int64_t options_integer(const options *parsed, const char *name, int64_t fallback) {
    const char *text = options_value(parsed, name);
    int64_t value;
    return text && integer_read_all(text, &value) ? value : fallback;
}

int options_numbers(const options *parsed, const char *name, int index, double numbers[ROW_NUMBERS]) {
    const char *text = options_nth(parsed, name, index);
    row read;
    if (!text || !row_parse(text, text + strlen(text), (row_shape){1, ROW_NUMBERS, ""}, &read, NULL, 0))
        return 0;
    memcpy(numbers, read.numbers, (size_t)read.count * sizeof *numbers);
    return read.count;
}

lf_vec3 options_vector(const options *parsed, const char *name, lf_vec3 fallback) {
    double n[ROW_NUMBERS];
    return options_numbers(parsed, name, 0, n) >= 3 ? (lf_vec3){n[0], n[1], n[2]} : fallback;
}

const char **options_list(const options *parsed, const char *name) {
    int count = options_count(parsed, name);
    const char **list = allocate((size_t)count + 1, sizeof(char *));
    for (int i = 0; i < count; i++)
        list[i] = options_nth(parsed, name, i);
    return list;
}
