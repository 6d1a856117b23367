/// The command line of a benchmark, its bars and its CSV file.
#include "support.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void bench_stop(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void *bench_take(size_t count, size_t item) {
    void *block = calloc(count ? count : 1, item);
    if (!block)
        bench_stop("no memory for %zu items of %zu bytes", count, item);
    return block;
}

static void usage(FILE *stream, const char *program, const char *about) {
    fprintf(stream,
            "usage: %s [--large] [--quick] [--rounds N] [--only TEXT] [--csv FILE]\n"
            "%s\n\n"
            "  --large      also the terrains that take minutes\n"
            "  --quick      small terrains and few rays, to try the benchmark itself\n"
            "  --rounds N   timed rounds per measurement (1 to %d, 5 by default)\n"
            "  --only TEXT  only what has this text in its name, such as camera or oahu\n"
            "  --csv FILE   write every table to a file as well\n"
            "\n"
            "A value may follow its option or be joined to it: --only=camera.\n",
            program, about, BENCH_ROUNDS_MAX);
}

/// The value of an option given as "--name value" or "--name=value"; NULL when this word is not that option.
static const char *value_of(const char *name, int argc, char **argv, int *at) {
    size_t length = strlen(name);
    if (strncmp(argv[*at], name, length) != 0)
        return NULL;
    if (argv[*at][length] == '=')
        return argv[*at] + length + 1;
    if (argv[*at][length] != '\0')
        return NULL;
    if (*at + 1 >= argc)
        bench_stop("%s wants a value", name);
    return argv[++*at];
}

static int rounds_of(const char *text) {
    char *end;
    long rounds = strtol(text, &end, 10);
    if (end == text || *end || rounds < 1 || rounds > BENCH_ROUNDS_MAX)
        bench_stop("--rounds wants a number from 1 to %d, not \"%s\"", BENCH_ROUNDS_MAX, text);
    return (int)rounds;
}

static void open_csv(bench_report *report) {
    int length = snprintf(report->csv_part, sizeof report->csv_part, "%s.part", report->csv_path);
    if (length < 0 || (size_t)length >= sizeof report->csv_part)
        bench_stop("--csv: the name is too long");
    report->csv = fopen(report->csv_part, "w");
    if (!report->csv)
        bench_stop("%s: %s", report->csv_part, strerror(errno));
}

void bench_report_start(bench_report *report, int argc, char **argv, const char *about) {
    memset(report, 0, sizeof *report);
    report->rounds = 5;
    for (int at = 1; at < argc; at++) {
        const char *value;
        if (strcmp(argv[at], "--large") == 0) {
            report->large = true;
        } else if (strcmp(argv[at], "--quick") == 0) {
            report->quick = true;
        } else if ((value = value_of("--rounds", argc, argv, &at))) {
            report->rounds = rounds_of(value);
        } else if ((value = value_of("--only", argc, argv, &at))) {
            report->only = value;
        } else if ((value = value_of("--csv", argc, argv, &at))) {
            report->csv_path = value;
        } else if (strcmp(argv[at], "--help") == 0) {
            usage(stdout, argv[0], about);
            exit(0);
        } else {
            fprintf(stderr, "bench: unknown option \"%s\"\n", argv[at]);
            usage(stderr, argv[0], about);
            exit(2);
        }
    }
    if (report->csv_path)
        open_csv(report);
}

bool bench_wanted(const bench_report *report, const char *name) {
    return !report->only || strstr(name, report->only);
}

void bench_bar(bench_report *report, const char *name, double measured, double wanted) {
    if (report->bar_count == BENCH_BARS_MAX)
        bench_stop("more than %d bars", BENCH_BARS_MAX);
    bench_bar_line *bar = &report->bars[report->bar_count++];
    snprintf(bar->name, sizeof bar->name, "%s", name);
    bar->measured = measured;
    bar->wanted = wanted;
}

void bench_bar_relaxed(bench_report *report, const char *name, double measured, double wanted, double share) {
    char relaxed[sizeof report->bars[0].name];
    bench_bar(report, name, measured, wanted);
    if (share >= 1)
        return;
    snprintf(relaxed, sizeof relaxed, "%.80s-relaxed-to-%g-without-AVX-512", name, share);
    bench_bar(report, relaxed, measured, share * wanted);
}

static bool close_csv(bench_report *report) {
    bool written = !ferror(report->csv);
    written = fclose(report->csv) == 0 && written;
    report->csv = NULL;
    if (written && rename(report->csv_part, report->csv_path) == 0)
        return true;
    fprintf(stderr, "bench: %s: %s\n", report->csv_path, strerror(errno));
    remove(report->csv_part);
    return false;
}

int bench_report_end(bench_report *report) {
    int status = !report->csv || close_csv(report) ? 0 : 2;
    for (int i = 0; i < report->bar_count; i++) {
        const bench_bar_line *bar = &report->bars[i];
        printf("bar %s %.7g %.7g %s\n", bar->name, bar->measured, bar->wanted,
               bar->measured >= bar->wanted ? "ok" : "short");
    }
    return status;
}
