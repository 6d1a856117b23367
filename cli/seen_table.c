#include "seen_table.h"
#include "file_output.h"
#include <string.h>

static int64_t posts_of(const seen_table *table) {
    return table->window.columns * table->window.rows;
}

static bool sees(const seen_table *table, int64_t observer, int64_t post) {
    return (table->planes[observer / 8 * posts_of(table) + post] >> (observer % 8) & 1) != 0;
}

static int64_t count_at(const seen_table *table, int64_t post) {
    int64_t count = 0;
    if (table->counts)
        return table->counts[post] == UINT32_MAX ? 0 : table->counts[post];
    for (int64_t first = 0; first < table->observers->count; first += 8)
        count += __builtin_popcount(table->planes[first / 8 * posts_of(table) + post]);
    return count;
}

int64_t seen_table_count(const seen_table *table, int64_t observer) {
    int64_t seen = 0;
    for (int64_t post = 0; table->planes && post < posts_of(table); post++)
        seen += sees(table, observer, post);
    return seen;
}

/// The names of those who see a post, in one cell; a `;` within a name is written as `\;`.
static void put_names(output *out, const seen_table *table, int64_t post) {
    bool first = true, quoted = false;
    const observers *all = table->observers;
    for (int64_t k = 0; k < all->count && !quoted; k++)
        quoted = all->names[k] && sees(table, k, post) && strpbrk(all->names[k], ",\"\r\n");
    if (quoted)
        output_char(out, '"');
    for (int64_t k = 0; k < all->count; k++) {
        if (!sees(table, k, post))
            continue;
        if (!first)
            output_char(out, ';');
        first = false;
        if (!all->names[k])
            output_integer(out, k);
        for (const char *c = all->names[k]; c && *c; c++) {
            if (*c == '"' || *c == ';')
                output_char(out, *c == ';' ? '\\' : '"');
            output_char(out, *c);
        }
    }
    if (quoted)
        output_char(out, '"');
}

static void put_post(output *out, const seen_table *table, int64_t post, int64_t count) {
    double i = (double)(table->window.column + post % table->window.columns);
    double j = (double)(table->window.row + post / table->window.columns);
    lf_vec2 at = lf_placing_at(&table->geotransform, i, j);
    output_number(out, at.x);
    output_char(out, ',');
    output_number(out, at.y);
    output_char(out, ',');
    output_integer(out, count);
    if (table->planes) {
        output_char(out, ',');
        put_names(out, table, post);
    }
    output_char(out, '\n');
}

void seen_table_put(output *out, const seen_table *table) {
    output_text(out, table->planes ? "x,y,count,observers\n" : "x,y,count\n");
    for (int64_t post = 0; post < posts_of(table); post++) {
        int64_t count = count_at(table, post);
        if (count > 0)
            put_post(out, table, post, count);
    }
}

bool seen_table_write(const cli *run, const seen_table *table, const char *path) {
    file_output file;
    if (!file_output_open(&file, path))
        return false;
    file.out.digits = run->out.digits;
    seen_table_put(&file.out, table);
    return file_output_close(&file, true);
}
