/// Marks as text: a line each, columns in a fixed order or as a first line of names says.
#include "raster/marks.h"
#include <math.h>
#include <string.h>

#define MOST_COLUMNS 64 // that are looked at

/// A column of a line, quotes taken off.
typedef struct column {
    const char *text;
    size_t length;
} column;

typedef struct reader {
    const char *path;
    lf_points *marks;
    int64_t line;
    int places[LF__MARK_FIELDS]; ///< which column it is; -1: none
    bool started;                ///< the first line that counts has been seen
} reader;

/// Blanks split columns only in lines that have nothing better.
static bool has_commas(const char *p, const char *end) {
    for (bool quoted = false; p < end; p++) {
        quoted ^= *p == '"';
        if (!quoted && (*p == ',' || *p == ';' || *p == '\t'))
            return true;
    }
    return false;
}

static bool splits(char c, bool commas) {
    return c == ',' || c == ';' || c == '\t' || (c == ' ' && !commas);
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/// Behind a column: blanks with at most one comma, semicolon or tab among them.
static const char *skip_separator(const char *p, const char *end, bool commas) {
    while (p < end && *p == ' ')
        p++;
    if (p < end && splits(*p, commas))
        p++;
    while (p < end && *p == ' ')
        p++;
    return p;
}

static int split(const char *p, const char *end, column *columns) {
    int count = 0;
    bool commas = has_commas(p, end);
    p = skip_blanks(p, end);
    while (p < end && count < MOST_COLUMNS) {
        bool quoted = *p == '"';
        const char *start = p + quoted;
        for (p = start; p < end && (quoted ? *p != '"' : !splits(*p, commas));)
            p++;
        const char *stop = p;
        while (!quoted && stop > start && stop[-1] == ' ')
            stop--;
        columns[count++] = (column){start, (size_t)(stop - start)};
        p = skip_separator(p + (quoted && p < end), end, commas);
    }
    return count;
}

static bool number_of(column column, double *value) {
    const char *end = column.text + column.length;
    return lf_number_read(column.text, end, value) == end && column.length > 0 && isfinite(*value);
}

/// A first line of names says what the columns are.
static lf_status take_names(reader *reader, const column *columns, int count, lf_error *error) {
    for (int i = 0; i < LF__MARK_FIELDS; i++)
        reader->places[i] = -1;
    for (int i = 0; i < count; i++) {
        lf__mark_field field = lf__mark_meaning(columns[i].text, columns[i].length);
        if (field < LF__MARK_FIELDS && reader->places[field] < 0)
            reader->places[field] = i;
    }
    if (reader->places[LF__MARK_X] >= 0 && reader->places[LF__MARK_Y] >= 0)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, reader->line,
                    "%s, line %lld: neither numbers nor names of columns with x and y among them",
                    reader->path, (long long)reader->line);
}

static lf_status number_at(const reader *reader, const column *columns, int count, lf__mark_field field,
                           double *value, lf_error *error) {
    static const char *const words[] = {"x", "y", "height"};
    int place = reader->places[field];
    bool wanted = field != LF__MARK_HEIGHT;
    *value = LF_NAN;
    if (place < 0 || (!wanted && (place >= count || columns[place].length == 0)))
        return LF_OK;
    if (place < count && number_of(columns[place], value))
        return LF_OK;
    if (place >= count)
        return lf__fail(error, LF_BAD_FORMAT, reader->line, "%s, line %lld: has no %s", reader->path,
                        (long long)reader->line, words[field]);
    return lf__fail(error, LF_BAD_FORMAT, reader->line, "%s, line %lld: \"%.*s\" is no %s", reader->path,
                    (long long)reader->line, (int)(columns[place].length < 40 ? columns[place].length : 40),
                    columns[place].text, words[field]);
}

static lf_status take_mark(reader *reader, const column *columns, int count, lf_error *error) {
    lf_vec2 at;
    double height;
    lf_status status = number_at(reader, columns, count, LF__MARK_X, &at.x, error);
    if (status == LF_OK)
        status = number_at(reader, columns, count, LF__MARK_Y, &at.y, error);
    if (status == LF_OK)
        status = number_at(reader, columns, count, LF__MARK_HEIGHT, &height, error);
    if (status != LF_OK)
        return status;
    int place = reader->places[LF__MARK_NAME];
    column name = place >= 0 && place < count ? columns[place] : (column){NULL, 0};
    status = lf__marks_add(reader->marks, at, height, name.text, name.length);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static lf_status take_line(reader *reader, const char *line, const char *end, lf_error *error) {
    column columns[MOST_COLUMNS];
    double first;
    reader->line++;
    if (reader->line == 1 && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; // the mark that some editors put before UTF-8
    if (end > line && end[-1] == '\r')
        end--;
    int count = split(line, end, columns);
    if (count == 0 || columns[0].text[0] == '#')
        return LF_OK;
    bool names = !reader->started && !number_of(columns[0], &first);
    reader->started = true;
    return names ? take_names(reader, columns, count, error) : take_mark(reader, columns, count, error);
}

lf_status lf__marks_text(const char *path, lf_points *marks, lf_error *error) {
    reader reader = {.path = path, .marks = marks, .places = {0, 1, 2, 3}};
    lf_map map = {0};
    lf_status status = lf_map_open(path, &map, error);
    const char *line = map.data, *end = line ? line + map.size : NULL;
    while (status == LF_OK && line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        status = take_line(&reader, line, stop, error);
        line = newline ? newline + 1 : end;
    }
    lf_map_close(&map);
    return status;
}
