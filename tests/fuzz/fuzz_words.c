// Command lines, words between zero bytes: whatever they are, each is refused with a message or every number
// that an option gives is one, and is written back as a text that reads the same.
#include "messages.h"
#include "numbers.h"
#include "points.h"
#include <landfall/io.h>
#include <math.h>

enum { WORDS = 32, TEXT = 1024 };

static void check_number(const char *text) {
    double value, back;
    int64_t whole;
    char made[NUMBER_FIXED_ROOM + 1];
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

static void check_option(const options *parsed, const given *one) {
    static const row_shape shapes[] = {{1, 2, "[MIN,]MAX"}, {2, 3, "X,Y[,Z]"}, {3, 3, "X,Y,Z"}};
    int64_t whole = 5;
    double number = 5;
    row read;
    FUZZ_HOLDS((one->value != NULL) == (one->option->value != NULL));
    FUZZ_HOLDS(options_has(parsed, one->option->name));
    if (!one->value)
        return;
    fuzz_said = 0;
    bool fine = options_integer(parsed, one->option->name, -9, 4096, &whole);
    FUZZ_HOLDS(fine == (fuzz_said == 0) && whole >= -9 && whole <= 4096);
    fine = options_number(parsed, one->option->name, &number);
    FUZZ_HOLDS(isfinite(number) && (fine || fuzz_said > 0));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        fuzz_said = 0;
        fine = row_from_option(one->option->name, one->value, shapes[i], &read);
        FUZZ_HOLDS(fine == (fuzz_said == 0));
        for (int k = 0; fine && k < read.count; k++)
            FUZZ_HOLDS(isfinite(read.numbers[k]));
    }
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
    options parsed = {0};
    fuzz_said = 0;
    if (options_parse(&parsed, command, count - 1, words + 1))
        for (int i = 0; i < parsed.count; i++)
            check_option(&parsed, &parsed.list[i]);
    else
        FUZZ_HOLDS(fuzz_said == 1);
    options_free(&parsed);
    return 0;
}
