// Lists of points as the command reads them: every line is refused by its number, or its numbers are finite
// and the text behind them is part of it; and a line reads the same as the value of an option.
#include "messages.h"
#include "polygon_file.h"
#include "questions.h"
#include <math.h>

static const row_shape shapes[] = {
    {2, 2, "X,Y"}, {2, 3, "X,Y[,Z]"}, {4, 4, "TIME,X,Y,Z"}, {4, 6, "X,Y[,H],X,Y[,H]"}, {6, 6, "SIX"}};

static void check_option(const row *read, row_shape shape) {
    char text[512];
    size_t used = 0;
    row again;
    for (int i = 0; i < read->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%.17g" : "%.17g", read->numbers[i]);
    FUZZ_HOLDS(row_parse(text, text + used, shape, &again, NULL, 0) && again.count == read->count);
    FUZZ_HOLDS(memcmp(again.numbers, read->numbers, (size_t)read->count * sizeof(double)) == 0);
}

/// `user` is the number of the last line before the block.
static bool check_rows(void *user, row_reader *reader) {
    int64_t *last_line = user;
    for (int64_t i = 0; i < reader->count; i++) {
        const row *read = &reader->rows[i];
        FUZZ_HOLDS(read->line > *last_line && read->line <= reader->line);
        FUZZ_HOLDS(read->count >= reader->shape.least && read->count <= reader->shape.most);
        FUZZ_HOLDS(read->rest >= reader->buffer &&
                   read->rest + read->rest_length < reader->buffer + reader->used);
        FUZZ_HOLDS(!memchr(read->rest, '\n', read->rest_length));
        for (int k = 0; k < read->count; k++)
            FUZZ_HOLDS(isfinite(read->numbers[k]));
        check_option(read, reader->shape);
        *last_line = read->line;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    char name[512];
    int64_t last_line = 0;
    fuzz_path(name, sizeof name, "points.txt");
    fuzz_write(name, data + 1, size - 1);
    fuzz_said = 0;
    bool fine = rows_read(name, shapes[data[0] % (sizeof shapes / sizeof *shapes)], check_rows, &last_line);
    FUZZ_HOLDS(fine == (fuzz_said == 0));
    FUZZ_HOLDS(fine || strstr(fuzz_message, "points.txt, line "));
    free_all();
    remove(name);
    return 0;
}
