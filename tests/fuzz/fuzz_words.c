// Command lines, words between zero bytes: whatever they are, each is refused with one message, or every
// value is within what the tables of options allow; and numbers are written back as text that reads the same.
#include "messages.h"
#include <landfall/io.h>
#include <math.h>

enum { WORDS = 32, TEXT = 1024 };

static void check_number(const char *text) {
    double value, back;
    int64_t whole;
    char made[NUMBER_FIXED_SIZE + 1];
    if (number_read_all(text, &value) == NUMBER_FINE) {
        FUZZ_HOLDS(isfinite(value));
        made[number_write(made, value)] = '\0';
        FUZZ_HOLDS(number_read_all(made, &back) == NUMBER_FINE && back == value);
        for (int digits = 0; digits <= NUMBER_FIXED_DIGITS; digits += 5) {
            made[number_write_fixed(made, value, digits)] = '\0';
            FUZZ_HOLDS(number_read_all(made, &back) == NUMBER_FINE);
            FUZZ_HOLDS(fabs(back - value) <= 0.5001 * pow(10, -digits) + 1e-15 * fabs(value));
        }
    }
    if (integer_read_all(text, &whole)) {
        made[integer_write(made, whole)] = '\0';
        int64_t again;
        FUZZ_HOLDS(integer_read_all(made, &again) && again == whole);
    }
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf_time_read(text, &value, &error);
    FUZZ_HOLDS(status == LF_OK ? isfinite(value) : error.text[0] != '\0');
}

/// The value of an option that has passed all checks is what the table says.
static void check_option(const cli *run, const given *one) {
    const option *o = one->option;
    double numbers[ROW_NUMBERS];
    FUZZ_HOLDS((one->value != NULL) == (o->value != NULL));
    FUZZ_HOLDS(options_has(&run->given, o->name));
    if (!one->value)
        return;
    int count = o->least > 0 && !o->repeatable ? options_numbers(&run->given, o->name, 0, numbers) : 0;
    row_shape shape = options_shape(run, o->name);
    FUZZ_HOLDS(count == 0 || (count >= shape.least && count <= shape.most));
    FUZZ_HOLDS(count > 0 || o->least == 0 || o->repeatable || o->names);
    for (int k = 0; k < count; k++) {
        FUZZ_HOLDS(isfinite(numbers[k]));
        FUZZ_HOLDS((o->low == 0 && o->high == 0) || (numbers[k] >= o->low && numbers[k] <= o->high));
        FUZZ_HOLDS(!o->whole || numbers[k] == floor(numbers[k]));
    }
    if (o->names && o->least == 0)
        FUZZ_HOLDS(o->repeatable || options_choice(&run->given, o->name, -1) >= 0);
    check_number(one->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[TEXT + 1] = "", *words[WORDS];
    int count = 0;
    size_t length = size < TEXT ? size : TEXT;
    memcpy(text, data, length);
    for (char *word = text; word < text + length && count < WORDS; word += strlen(word) + 1)
        words[count++] = word;
    const command *command = count > 0 ? command_find(words[0]) : NULL;
    if (!command)
        return 0;
    command = command_meant(command, count - 1, words + 1);
    cli run = {.command = command};
    fuzz_said = 0;
    bool fine = options_parse(&run.given, command, count - 1, words + 1);
    FUZZ_HOLDS(fine == (fuzz_said == 0));
    for (int i = 0; i < run.given.count; i++)
        if (run.given.list[i].value)
            check_number(run.given.list[i].value);
    if (fine && !options_has(&run.given, "help")) {
        fine = options_check(&run);
        FUZZ_HOLDS(fine ? fuzz_said == 0 : fuzz_said == 1);
        for (int i = 0; i < run.given.count && fine; i++)
            check_option(&run, &run.given.list[i]);
    }
    free_all();
    return 0;
}
