#include "answers.h"
#include "numbers.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hits_reserve(hits *hits, int64_t room) {
    if (room <= hits->room)
        return true;
    if ((uint64_t)room > SIZE_MAX / sizeof(lf_hit))
        return false;
    lf_hit *larger = realloc(hits->list, (size_t)room * sizeof(lf_hit));
    if (!larger)
        return false;
    hits->list = larger;
    hits->room = room;
    return true;
}

void hits_free(hits *hits) {
    free(hits->list);
    *hits = (struct hits){0};
}

void answer_tail(output *out, const lf_hit *hit, columns wanted, const row *asked) {
    wanted.distance = false;
    answer_far_tail(out, hit, 0, wanted, asked);
}

void answer_far_tail(output *out, const lf_hit *hit, double distance, columns wanted, const row *asked) {
    if (wanted.polygon) {
        output_char(out, ' ');
        output_integer(out, hit->element);
    }
    if (wanted.normal) {
        output_char(out, ' ');
        output_vector(out, hit->normal, ' ');
    }
    if (wanted.distance) {
        output_char(out, ' ');
        output_number(out, distance);
    }
    if (asked->rest_length > 0) {
        output_char(out, ' ');
        output_bytes(out, asked->rest, asked->rest_length);
    }
    output_char(out, '\n');
}

void answer_json_hit(json *document, const lf_hit *hit, bool with_t) {
    if (with_t)
        json_put_number(document, "t", hit->t);
    json_put_vector(document, "point", hit->point);
    json_put_vector(document, "normal", hit->normal);
    json_put_integer(document, hit->kind == LF_HIT_CELL ? "cell" : "polygon", hit->element);
}

void answer_json_tile(json *document, const lf_hit *hit) {
    lf_tile_key tile = lf_tile_unpack(hit->user);
    json_put_integer(document, "level", tile.level);
    json_put_integer(document, "column", tile.column);
    json_put_integer(document, "row", tile.row);
    json_put_number(document, "resolution", hit->resolution);
}

void answer_json_rest(json *document, const row *asked) {
    if (asked->rest_length > 0)
        json_put_bytes(document, "rest", asked->rest, asked->rest_length);
}

bool answer_digits(cli *run) {
    int64_t digits = -1;
    if (!options_integer(&run->given, "digits", 0, NUMBER_FIXED_DIGITS, &digits))
        return false;
    run->out.digits = (int)digits;
    return true;
}

bool answer_source(const cli *run, const char *option, bool *from_input) {
    bool given = options_has(&run->given, option);
    const char *second = run->given.argument_count > 1 ? run->given.arguments[1] : NULL;
    *from_input = !given;
    if (second && strcmp(second, "-") != 0)
        message_usage("\"%s\" is one argument too many: only - (standard input) may follow GROUND", second);
    else if (second && given)
        message_usage("--%s or -, not both", option);
    else
        return true;
    return false;
}

bool answer_progress(cli *run, const row_reader *reader) {
    struct stat about;
    // Answers on the same terminal would break up the bar.
    if (isatty(run->out.file) || fstat(reader->file, &about) != 0 || !S_ISREG(about.st_mode))
        return !progress_interrupted();
    return progress_report(&run->bar, "answer", reader->bytes, about.st_size);
}

row *answer_rows(const cli *run, const char *option, row_shape shape) {
    int count = options_count(&run->given, option);
    row *rows = calloc((size_t)count + 1, sizeof(row));
    if (!rows)
        message_error("out of memory");
    for (int i = 0; i < count && rows; i++) {
        if (!row_from_option(option, options_nth(&run->given, option, i), shape, &rows[i])) {
            free(rows);
            rows = NULL;
        }
    }
    return rows;
}

int answer_standard_input(cli *run, row_shape shape, answer_block *answer, void *user) {
    row_reader reader;
    bool fine = row_reader_open(&reader, STDIN_FILENO, shape);
    if (!fine)
        message_error("out of memory");
    while (fine && row_reader_next(&reader))
        fine = answer(user, reader.rows, reader.count) && output_flush(&run->out) &&
               answer_progress(run, &reader);
    fine = fine && row_reader_complain(&reader);
    row_reader_close(&reader);
    return fine ? CLI_YES : CLI_ERROR;
}
