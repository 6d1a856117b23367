#include "questions.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 18)        // bytes asked of one read
#define LONGEST_LINE ((size_t)1 << 24) // a line beyond this is not a list of points

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/// Behind a column: blanks, with at most one comma among them.
static const char *skip_separator(const char *p, const char *end) {
    p = skip_blanks(p, end);
    if (p < end && *p == ',')
        p = skip_blanks(p + 1, end);
    return p;
}

static const char *column_end(const char *p, const char *end) {
    while (p < end && !is_blank(*p) && *p != ',')
        p++;
    return p;
}

/// Does a column look like a number? Names of NaN and infinity do: they are refused, not overlooked.
static bool starts_like_number(const char *p, const char *end) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    size_t length = (size_t)(column_end(p, end) - p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && strncasecmp(p, words[i], length) == 0)
            return true;
    return p < end && (*p == '-' || *p == '+' || *p == '.' || (*p >= '0' && *p <= '9'));
}

/// Text for a message: the column, cut at 40 characters, no control characters.
static void quote(char *text, size_t size, const char *p, const char *end) {
    size_t length = (size_t)(column_end(p, end) - p);
    size_t shown = length < 40 ? length : 40;
    size_t used = 0;
    for (size_t i = 0; i < shown && used + 1 < size; i++)
        text[used++] = (unsigned char)p[i] < ' ' || p[i] == 127 ? '?' : p[i];
    text[used] = '\0';
}

bool row_parse(const char *p, const char *end, row_shape shape, row *read, char *fault, size_t size) {
    read->count = 0;
    p = skip_blanks(p, end);
    while (read->count < shape.most) {
        const char *stop = p;
        if (read->count >= shape.least && !starts_like_number(p, end))
            break;
        number_fault found = number_read(p, end, &read->numbers[read->count], &stop);
        if (found == NUMBER_FINE && stop != column_end(p, end))
            found = NUMBER_BAD;
        if (found != NUMBER_FINE) {
            char shown[48];
            quote(shown, sizeof shown, p, end);
            if (p == end)
                snprintf(fault, size, "%d number%s: expected %s", read->count, read->count == 1 ? "" : "s",
                         shape.spelling);
            else
                snprintf(fault, size, "\"%s\" is %s: expected %s", shown,
                         found == NUMBER_BAD ? "not a number" : "too large a number", shape.spelling);
            return false;
        }
        read->count++;
        p = skip_separator(stop, end);
    }
    while (end > p && is_blank(end[-1]))
        end--;
    read->rest = p;
    read->rest_length = (size_t)(end - p);
    return true;
}

// ---- Standard input -----------------------------------------------------------------------------

static bool fail_line(row_reader *reader, int64_t line, const char *reason) {
    reader->failed = true;
    snprintf(reader->fault, sizeof reader->fault, "%s, line %lld: %s", reader->source, (long long)line,
             reason);
    return false;
}

/// Space for one more chunk behind what is still unread.
static bool make_space(row_reader *reader) {
    memmove(reader->buffer, reader->buffer + reader->taken, reader->used - reader->taken);
    reader->used -= reader->taken;
    reader->taken = 0;
    if (reader->capacity - reader->used >= CHUNK)
        return true;
    if (reader->used > LONGEST_LINE)
        return fail_line(reader, reader->line + 1, "longer than 16 MB");
    reader->capacity *= 2;
    reader->buffer = allocate_more(reader->buffer, reader->capacity, 1);
    return true;
}

/// Read once; at the end of the input, a last line without its newline gets one.
static bool fill_buffer(row_reader *reader) {
    if (!make_space(reader))
        return false;
    ssize_t got = -1;
    do {
        if (!progress_wait(reader->file)) {
            reader->failed = true; // without a message: main reports interrupts
            return false;
        }
        got = read(reader->file, reader->buffer + reader->used, CHUNK - 1);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        snprintf(reader->fault, sizeof reader->fault, "%s: %s", reader->source, strerror(errno));
        reader->failed = true;
        return false;
    }
    if (got == 0) {
        reader->ended = true;
        if (reader->used > 0)
            reader->buffer[reader->used++] = '\n';
        return true;
    }
    reader->used += (size_t)got;
    reader->bytes += got;
    return true;
}

static bool take_line(row_reader *reader, const char *line, const char *end) {
    char reason[128];
    reader->line++;
    if (reader->line == 1 && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; // the mark that some editors put before UTF-8
    if (end > line && end[-1] == '\r')
        end--;
    const char *first = skip_blanks(line, end);
    if (first == end || *first == '#')
        return true;
    reader->rows = reserve(reader->rows, &reader->row_capacity, reader->count + 1, sizeof(row));
    row *read = &reader->rows[reader->count];
    if (!row_parse(line, end, reader->shape, read, reason, sizeof reason))
        return fail_line(reader, reader->line, reason);
    read->line = reader->line;
    reader->count++;
    return true;
}

static bool next_block(row_reader *reader) {
    reader->count = 0;
    while (reader->count == 0 && !reader->ended && !reader->failed) {
        if (!fill_buffer(reader))
            break;
        const char *end = reader->buffer + reader->used;
        const char *line = reader->buffer + reader->taken;
        const char *newline;
        while (!reader->failed && (newline = memchr(line, '\n', (size_t)(end - line)))) {
            take_line(reader, line, newline);
            line = newline + 1;
        }
        reader->taken = (size_t)(line - reader->buffer);
    }
    return reader->count > 0;
}

void row_reader_refuse(row_reader *reader, const row *bad, const char *reason) {
    reader->count = bad - reader->rows;
    fail_line(reader, bad->line, reason);
}

bool rows_read(const char *path, row_shape shape, row_block *take, void *user) {
    bool input = strcmp(path, "-") == 0;
    row_reader reader = {.file = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
                         .source = input ? "standard input" : path,
                         .shape = shape,
                         .capacity = 2 * CHUNK};
    if (reader.file < 0)
        return failed("%s: %s", path, strerror(errno));
    reader.buffer = allocate(reader.capacity, 1);
    bool fine = true;
    while (fine && next_block(&reader))
        fine = take(user, &reader);
    if (fine && reader.failed && reader.fault[0])
        message_error("%s", reader.fault);
    if (!input)
        close(reader.file);
    return fine && !reader.failed;
}

// ---- Questions ----------------------------------------------------------------------------------

/// What answers rows, and whose run it is.
typedef struct asking {
    cli *run;
    row_block *answer;
    void *user;
} asking;

/// The progress of a batch, by bytes of standard input where that is a file. False after an interrupt.
static bool report(cli *run, const row_reader *reader) {
    struct stat about;
    // Answers on the same terminal would break up the bar.
    if (isatty(run->out.file) || fstat(reader->file, &about) != 0 || !S_ISREG(about.st_mode))
        return !progress_interrupted();
    return progress_report(&run->bar, "answer", reader->bytes, about.st_size);
}

static bool answer_block(void *user, row_reader *reader) {
    asking *asking = user;
    return asking->answer(asking->user, reader) && output_flush(&asking->run->out) &&
           report(asking->run, reader);
}

int questions_from_input(cli *run, row_shape shape, row_block *answer, void *user) {
    asking asking = {run, answer, user};
    return rows_read("-", shape, answer_block, &asking) ? CLI_YES : CLI_ERROR;
}

row questions_row(const cli *run, const char *option, int i) {
    const char *text = options_nth(&run->given, option, i);
    row read;
    row_parse(text, text + strlen(text), options_shape(run, option), &read, NULL, 0);
    return read;
}

row questions_ends(const options *given, const char *end) {
    row read = {.count = 6};
    lf_vec3 to = options_vector(given, end, (lf_vec3){0, 0, 0});
    options_numbers(given, "from", 0, read.numbers);
    read.numbers[3] = to.x, read.numbers[4] = to.y, read.numbers[5] = to.z;
    return read;
}

int questions_answer(cli *run, const char *option, row_block *answer, void *user) {
    int count = options_count(&run->given, option);
    row_shape shape = options_shape(run, option);
    if (count == 0)
        return questions_from_input(run, shape, answer, user);
    row_reader reader = {.rows = allocate((size_t)count, sizeof(row)), .count = count};
    for (int i = 0; i < count; i++)
        reader.rows[i] = questions_row(run, option, i);
    return answer(user, &reader) ? CLI_YES : CLI_ERROR;
}

void hits_reserve(hits *hits, int64_t count) {
    hits->list = reserve(hits->list, &hits->capacity, count, sizeof(lf_hit));
}
