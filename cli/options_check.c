/// Everything that the tables say about options is checked here, before a file is loaded.
#include "ground.h"
#include "questions.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TEXT_SIZE 512

// ---- Names in messages --------------------------------------------------------------------------

/// "-o FILE", "--width" or the name of an argument.
static void spell(const cli *run, const char *name, size_t length, char *text, size_t size) {
    const option *o = command_option(run->command, name, length);
    if (o && o->letter == 'o')
        snprintf(text, size, "-o");
    else
        snprintf(text, size, "%s%.*s%s", o ? run->given.dashes : "", (int)length, name,
                 name[0] == '-' ? " (standard input)" : "");
}

/// "a, b or c" from "|a|b|c".
static void list_names(const char *words, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (const char *word = words; *word && used < size;) {
        word += *word == '|';
        size_t length = strcspn(word, "|");
        const char *join = used == 0 ? "" : word[length] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", join, (int)length, word);
        word += length;
    }
}

static bool refuse(const cli *run, const given *one, const char *why) {
    char name[64];
    spell(run, one->option->name, strlen(one->option->name), name, sizeof name);
    return refused("%s%s%s: %s", name, one->value ? " " : "", one->value ? one->value : "", why);
}

// ---- Values -------------------------------------------------------------------------------------

/// Which of "|a|b|c" a text is, from 0; -1: none. Names in capitals may be given in small letters.
static int name_index(const char *words, const char *text) {
    size_t length = strlen(text);
    bool capitals = words && isupper((unsigned char)words[1]);
    int index = 0;
    for (const char *word = words; word && *word; index++) {
        word += *word == '|';
        size_t size = strcspn(word, "|");
        if (size == length && (capitals ? strncasecmp : strncmp)(word, text, length) == 0)
            return index;
        word += size;
    }
    return -1;
}

int options_choice(const options *parsed, const char *name, int fallback) {
    for (int i = 0; i < parsed->count; i++)
        if (strcmp(parsed->list[i].option->name, name) == 0) {
            int index = name_index(parsed->list[i].option->names, parsed->list[i].value);
            return index >= 0 ? index : fallback;
        }
    return fallback;
}

static bool is_bounded(const option *o) {
    return o->low != 0 || o->high != 0;
}

static void put_bound(char text[NUMBER_SIZE + 1], double value) {
    text[number_write(text, value)] = '\0';
}

/// "a whole number from 1 to 16", "numbers above 0", or what the value is called.
static void list_range(const option *o, const row_shape *shape, char *text, size_t size) {
    char low[NUMBER_SIZE + 1], high[NUMBER_SIZE + 1], other[TEXT_SIZE / 2] = "";
    bool many = shape->most > 1;
    const char *what = o->whole ? (many ? "whole numbers" : "a whole number") : many ? "numbers" : "a number";
    put_bound(low, o->low);
    put_bound(high, o->high);
    if (o->names)
        list_names(o->names, other, sizeof other);
    const char *join = o->names ? " or " : "";
    if (!is_bounded(o))
        snprintf(text, size, "%s%s%s%s", many ? shape->spelling : what, o->nonzero ? " that is not 0" : "",
                 join, other);
    else if (isinf(o->high))
        snprintf(text, size, "%s %s %s%s%s", what, o->above ? "above" : "of at least", low, join, other);
    else if (o->above)
        snprintf(text, size, "%s above %s and at most %s%s%s", what, low, high, join, other);
    else
        snprintf(text, size, "%s from %s to %s%s%s", what, low, high, join, other);
}

/// Is a number one that the option takes?
static bool number_fits(const option *o, double value) {
    if (o->whole && value != floor(value))
        return false;
    if (o->nonzero && value == 0)
        return false;
    return !is_bounded(o) || (value >= o->low && value <= o->high && !(o->above && value == o->low));
}

static bool check_numbers(const cli *run, const given *one) {
    const option *o = one->option;
    row_shape shape = options_shape(run, o->name);
    char range[TEXT_SIZE], why[TEXT_SIZE + 128] = "";
    int64_t integer;
    row read;
    list_range(o, &shape, range, sizeof range);
    bool fits = row_parse(one->value, one->value + strlen(one->value), shape, &read, why, sizeof why);
    if (fits && read.rest_length > 0) {
        fits = false;
        snprintf(why, sizeof why, "\"%.40s\" is too much: expected %s", read.rest, shape.spelling);
    } else if (!fits && shape.most == 1) {
        snprintf(why, sizeof why, "expected %s", range);
    }
    if (!fits)
        return refuse(run, one, why);
    // A single whole number is written with digits alone.
    if (o->whole && shape.most == 1 && !integer_read_all(one->value, &integer))
        fits = false;
    for (int i = 0; i < read.count; i++)
        fits = fits && number_fits(o, read.numbers[i]);
    snprintf(why, sizeof why, "expected %s", range);
    if (!fits)
        return refuse(run, one, why);
    if (o->ascending && read.count == 2 && read.numbers[0] > read.numbers[1])
        return refuse(run, one, "minimum exceeds maximum");
    return true;
}

static bool check_value(const cli *run, const given *one) {
    const option *o = one->option;
    char list[TEXT_SIZE], why[TEXT_SIZE + 64];
    lf_error error = {0};
    if (!one->value || name_index(o->names, one->value) >= 0)
        return true;
    if (o->least > 0 && !check_numbers(run, one))
        return false;
    if (o->names && o->least == 0) {
        list_names(o->names, list, sizeof list);
        snprintf(why, sizeof why, "expected %s", list);
        return refuse(run, one, why);
    }
    if (o->check && !o->check(one->value, &error))
        return refuse(run, one, error.text);
    const char *ending = strrchr(path_name(one->value), '.');
    char lower[16] = "";
    for (size_t i = 0; ending && ending[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)ending[i]);
    if (!o->endings || name_index(o->endings, lower) >= 0)
        return true;
    list_names(o->endings, list, sizeof list);
    snprintf(why, sizeof why, "expected a file name that ends in %s", list);
    return refuse(run, one, why);
}

// ---- Conditions ---------------------------------------------------------------------------------

/// The argument that a name such as GROUND or - stands for; NULL where it is not given.
static const char *argument_named(const cli *run, const char *name, size_t length) {
    for (int i = 0; i < run->given.argument_count; i++) {
        size_t size;
        const char *word = command_argument(run->command, i, &size);
        size_t open = *word == '[';
        if (size > 0 && size - 2 * open == length && strncmp(word + open, name, length) == 0)
            return run->given.arguments[i];
    }
    return NULL;
}

static bool value_matches(const char *value, const char *pattern, size_t length) {
    size_t size = strlen(value);
    if (pattern[0] != '*')
        return size == length && strncmp(value, pattern, length) == 0;
    return size >= length - 1 && strncasecmp(value + size - (length - 1), pattern + 1, length - 1) == 0;
}

/// One term, up to `length`.
static bool term_holds(const cli *run, const char *term, size_t length) {
    bool negated = *term == '!', holds = false;
    term += negated;
    length -= negated;
    size_t name = strcspn(term, "=# |");
    const char *argument = argument_named(run, term, name);
    bool valued = name < length && term[name] == '=';
    int count = 0;
    if (argument)
        holds = !valued || value_matches(argument, term + name + 1, length - name - 1);
    for (int i = 0; i < run->given.count; i++) {
        const given *one = &run->given.list[i];
        if (strlen(one->option->name) != name || strncmp(one->option->name, term, name) != 0)
            continue;
        count++;
        holds =
            holds || !valued || (one->value && value_matches(one->value, term + name + 1, length - name - 1));
    }
    if (name < length && term[name] == '#')
        holds = count >= term[name + 1] - '0';
    return holds != negated;
}

/// One of the alternatives of a term.
static bool any_holds(const cli *run, const char *terms, size_t length) {
    for (const char *term = terms; term < terms + length;) {
        size_t size = strcspn(term, "| ");
        if (term_holds(run, term, size))
            return true;
        term += size + 1;
    }
    return false;
}

static bool all_hold(const cli *run, const char *terms) {
    for (const char *term = terms; term && *term;) {
        size_t size = strcspn(term, " ");
        if (!any_holds(run, term, size))
            return false;
        term += size + strspn(term + size, " ");
    }
    return true;
}

/// "--mode count or --mode who" from "mode=count|mode=who".
static void list_terms(const cli *run, const char *terms, char *text, size_t size) {
    size_t used = 0;
    for (const char *term = terms; *term && used < size;) {
        size_t length = strcspn(term, "|"), name = strcspn(term, "=#|");
        char spelled[64];
        const option *o = command_option(run->command, term, name);
        spell(run, term, name, spelled, sizeof spelled);
        const char *join = used == 0 ? "" : term[length] ? ", " : " or ";
        const char *value = o && o->value ? o->value : "";
        bool ending = term[name] == '=' && term[name + 1] == '*';
        if (term[name] == '=')
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s %s%.*s", join, spelled, ending ? "FILE" : "",
                                 (int)(length - name - 1 - ending), term + name + 1 + ending);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", join, spelled, *value ? " " : "",
                                     value);
        term += length + (term[length] == '|');
    }
}

/// The option or argument that a message is about, as it was given.
static void spell_subject(const cli *run, const char *term, char *text, size_t size) {
    size_t name = strcspn(term, "=#| "), length;
    spell(run, term, name, text, size);
    for (int i = 0; i < run->given.count; i++) {
        const given *one = &run->given.list[i];
        bool same = strlen(one->option->name) == name && strncmp(one->option->name, term, name) == 0;
        length = strlen(text);
        if (same && one->value && term_holds(run, term, strcspn(term, " |")) && term[name] != '#') {
            snprintf(text + length, size - length, " %s", one->value);
            return;
        }
    }
}

static bool has_value(const char *term) {
    return term[strcspn(term, "=#| ")] == '=';
}

static bool check_needs(const cli *run, const char *subject, const char *needs) {
    char what[TEXT_SIZE], list[TEXT_SIZE];
    if (!needs || any_holds(run, needs, strlen(needs)))
        return true;
    list_terms(run, needs, list, sizeof list);
    if (*subject) {
        spell(run, subject, strcspn(subject, "=#| "), what, sizeof what);
        if (has_value(subject))
            spell_subject(run, subject, what, sizeof what);
        message_usage("%s%s: needs %s", what, strchr(subject, '#') ? " given several times" : "", list);
    } else if (isupper((unsigned char)needs[0])) {
        message_usage("%s: missing argument", list);
    } else {
        message_usage("%s: missing option", list);
    }
    return false;
}

static bool check_excludes(const cli *run, const char *subject, const char *excludes) {
    char what[TEXT_SIZE], with[TEXT_SIZE];
    for (const char *term = excludes; term && *term;) {
        size_t size = strcspn(term, " ");
        if (term_holds(run, term, size)) {
            const char *first = has_value(subject) ? term : subject, *second = first == term ? subject : term;
            spell(run, first, strcspn(first, "=#| "), what, sizeof what);
            spell(run, second, strcspn(second, "=#| "), with, sizeof with);
            if (has_value(second))
                spell_subject(run, second, with, sizeof with);
            return refused("%s: cannot be combined with %s", what, with);
        }
        term += size + strspn(term + size, " ");
    }
    return true;
}

static bool applies(const cli *run, const rule *rule) {
    return (!*rule->subject || any_holds(run, rule->subject, strlen(rule->subject))) &&
           all_hold(run, rule->when);
}

static bool check_rule(const cli *run, const rule *rule) {
    char what[TEXT_SIZE];
    if (!applies(run, rule))
        return true;
    if (rule->refuse) {
        spell_subject(run, rule->subject, what, sizeof what);
        return refused("%s: %s", what, rule->refuse);
    }
    return check_needs(run, rule->subject, rule->needs) && check_excludes(run, rule->subject, rule->excludes);
}

row_shape options_shape(const cli *run, const char *name) {
    const option *o = command_option(run->command, name, strlen(name));
    row_shape shape = {o->least, o->most ? o->most : o->least, o->value};
    for (const rule *rule = run->command->rules; rule && rule->subject; rule++)
        if (rule->value && strcmp(rule->subject, name) == 0 && all_hold(run, rule->when))
            shape = (row_shape){rule->least, rule->most ? rule->most : rule->least, rule->value};
    return shape;
}

// ---- Grounds and arguments ----------------------------------------------------------------------

static bool check_ground(const cli *run, const given *one) {
    const option *o = one->option;
    if ((!o->grounds && !o->no_globe) || run->given.argument_count == 0 || options_has(&run->given, "as"))
        return true;
    unsigned kind = path_kind(run->given.arguments[0]);
    char why[128];
    if (o->no_globe && kind == GROUND_TERRAIN)
        return options_allow_globe(run);
    if (!o->grounds || o->grounds & kind)
        return true;
    snprintf(why, sizeof why, "applies to %s, but GROUND %s",
             o->grounds == GROUND_MESH     ? "meshes"
             : o->grounds & GROUND_TERRAIN ? "rasters and globes"
                                           : "rasters",
             kind == GROUND_STORED    ? "has been built already"
             : kind == GROUND_MESH    ? "is a mesh"
             : kind == GROUND_TERRAIN ? "is a globe"
             : kind == GROUND_WORLD   ? "is a world file"
                                      : "is a raster");
    given flag = {o, NULL};
    return refuse(run, &flag, why);
}

bool options_allow_globe(const cli *run) {
    for (int i = 0; i < run->given.count; i++)
        if (run->given.list[i].option->no_globe)
            return refused("%s%s: not for globes: %s", run->given.dashes, run->given.list[i].option->name,
                           run->given.list[i].option->no_globe);
    return true;
}

/// Arguments in small letters are given as they are, a KIND is one of a few, and [-] is standard input.
static bool check_arguments(const cli *run) {
    for (int i = 0; i < run->given.argument_count; i++) {
        size_t size;
        const char *word = command_argument(run->command, i, &size), *said = run->given.arguments[i];
        bool same = strlen(said) == size && strncmp(said, word, size) == 0;
        if (islower((unsigned char)word[0]) && !same)
            return refused("%s: expected %s %s", said, run->command->name, run->command->arguments);
        if (word[0] == '[' && strcmp(said, "-") != 0)
            return refused("%s: unexpected argument: only - (standard input) may follow GROUND", said);
    }
    char list[TEXT_SIZE] = "", names[TEXT_SIZE];
    for (const choice *choice = run->command->choices; choice; choice++) {
        if (!choice->name) {
            list_names(list, names, sizeof names);
            return refused("%s %s: expected %s", run->command->arguments, run->given.arguments[0], names);
        }
        if (strcmp(choice->name, run->given.arguments[0]) == 0)
            break;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "|%s", choice->name);
    }
    return true;
}

bool options_check(const cli *run) {
    const options *all = &run->given;
    if (!check_arguments(run))
        return false;
    for (int i = 0; i < all->count; i++)
        if (!check_value(run, &all->list[i]))
            return false;
    for (int i = 0; i < all->count; i++) {
        const option *o = all->list[i].option;
        if (!check_excludes(run, o->name, o->excludes) || !check_needs(run, o->name, o->needs) ||
            !check_ground(run, &all->list[i]))
            return false;
    }
    for (const rule *rule = run->command->rules; rule && rule->subject; rule++)
        if (!check_rule(run, rule))
            return false;
    return true;
}
