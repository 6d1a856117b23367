/// Tables with aligned columns, and the same as CSV.
#include "support.h"

#include <stdarg.h>
#include <string.h>

void bench_table_start(bench_table *table, const char *title, const char *const *heads) {
    memset(table, 0, sizeof *table);
    snprintf(table->title, sizeof table->title, "%s", title);
    while (heads[table->columns]) {
        if (table->columns == BENCH_COLUMNS_MAX)
            bench_stop("table \"%s\" has more than %d columns", title, BENCH_COLUMNS_MAX);
        snprintf(table->cells[0][table->columns], BENCH_CELL_MAX, "%s", heads[table->columns]);
        table->columns++;
    }
}

void bench_table_row(bench_table *table) {
    if (table->rows == BENCH_ROWS_MAX)
        bench_stop("table \"%s\" has more than %d rows", table->title, BENCH_ROWS_MAX);
    table->rows++;
    table->filled = 0;
}

void bench_table_cell(bench_table *table, const char *format, ...) {
    if (table->rows == 0 || table->filled == table->columns)
        bench_stop("table \"%s\" has no space for this cell", table->title);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(table->cells[table->rows][table->filled++], BENCH_CELL_MAX, format, arguments);
    va_end(arguments);
}

static int column_width(const bench_table *table, int column) {
    int width = 0;
    for (int row = 0; row <= table->rows; row++) {
        int length = (int)strlen(table->cells[row][column]);
        width = length > width ? length : width;
    }
    return width;
}

/// The first column is text and stands left; the others are figures and stand right.
static void print_rows(const bench_table *table) {
    int widths[BENCH_COLUMNS_MAX];
    for (int column = 0; column < table->columns; column++)
        widths[column] = column_width(table, column);
    for (int row = 0; row <= table->rows; row++) {
        printf("  %-*s", widths[0], table->cells[row][0]);
        for (int column = 1; column < table->columns; column++)
            printf("  %*s", widths[column], table->cells[row][column]);
        putchar('\n');
    }
}

static void write_field(FILE *csv, const char *text) {
    fputc('"', csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    fputc('"', csv);
}

void bench_table_end(const bench_table *table, bench_report *report) {
    printf("\n%s\n", table->title);
    print_rows(table);
    fflush(stdout);
    if (!report->csv)
        return;
    for (int row = 0; row <= table->rows; row++) {
        write_field(report->csv, row == 0 ? "table" : table->title);
        for (int column = 0; column < table->columns; column++) {
            fputc(',', report->csv);
            write_field(report->csv, table->cells[row][column]);
        }
        fputc('\n', report->csv);
    }
}
