/// Times as text.
#include "base/base.h"
#include <landfall/io.h>
#include <string.h>

typedef struct clock_text {
    const char *start, *at;
    const char *wrong; ///< what was expected where reading stopped; NULL: nothing is wrong
} clock_text;

/// So many digits as a number from low to high.
static int digits(clock_text *text, int count, int low, int high, const char *what) {
    int value = 0;
    if (text->wrong)
        return low;
    for (int i = 0; i < count; i++) {
        if (text->at[i] < '0' || text->at[i] > '9') {
            text->wrong = what;
            return low;
        }
        value = 10 * value + (text->at[i] - '0');
    }
    if (value < low || value > high) {
        text->wrong = what;
        return low;
    }
    text->at += count;
    return value;
}

static bool skip(clock_text *text, char c) {
    if (text->wrong || *text->at != c)
        return false;
    text->at++;
    return true;
}

static void expect(clock_text *text, char c, const char *what) {
    if (!text->wrong && !skip(text, c))
        text->wrong = what;
}

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/// Days from 1970-01-01 on: years are counted from March, so that the leap day is the last of its year.
static int64_t days_since_1970(int year, int month, int day) {
    int64_t years = month <= 2 ? year - 1 : year, months = month <= 2 ? month + 9 : month - 3;
    return 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 719468;
}

static double read_date(clock_text *text) {
    int year = digits(text, 4, 1000, 2999, "a year from 1000 to 2999");
    expect(text, '-', "\"-\"");
    int month = digits(text, 2, 1, 12, "a month from 01 to 12");
    expect(text, '-', "\"-\"");
    int day = digits(text, 2, 1, month_days(year, month), "a day of that month");
    return 86400.0 * (double)days_since_1970(year, month, day);
}

/// Seconds of the day.
static double read_clock(clock_text *text) {
    int hour = digits(text, 2, 0, 23, "an hour from 00 to 23");
    expect(text, ':', "\":\"");
    int minute = digits(text, 2, 0, 59, "a minute from 00 to 59");
    double seconds = 3600.0 * hour + 60.0 * minute;
    if (!skip(text, ':'))
        return seconds;
    seconds += digits(text, 2, 0, 59, "a second from 00 to 59");
    if (!skip(text, '.'))
        return seconds;
    double fraction = digits(text, 1, 0, 9, "a digit"), unit = 10;
    for (; !text->wrong && *text->at >= '0' && *text->at <= '9' && unit < 1e15; text->at++, unit *= 10)
        fraction = 10 * fraction + (*text->at - '0');
    while (!text->wrong && *text->at >= '0' && *text->at <= '9')
        text->at++; // finer than a double can tell
    return seconds + fraction / unit;
}

/// Seconds that local time is ahead of UTC.
static double read_zone(clock_text *text) {
    int sign = skip(text, '+') ? 1 : skip(text, '-') ? -1 : 0;
    if (sign == 0) {
        skip(text, 'Z');
        return 0;
    }
    int hours = digits(text, 2, 0, 23, "hours of difference to UTC"), minutes = 0;
    if (skip(text, ':') || (!text->wrong && *text->at != 0))
        minutes = digits(text, 2, 0, 59, "minutes of difference to UTC");
    return sign * (3600.0 * hours + 60.0 * minutes);
}

lf_status lf_time_read(const char *words, double *unix_seconds, lf_error *error) {
    if (!words || !unix_seconds)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "text or unix_seconds is NULL");
    clock_text text = {words, words, NULL};
    double seconds = read_date(&text);
    if (skip(&text, 'T') || skip(&text, ' ')) {
        seconds += read_clock(&text);
        seconds -= read_zone(&text);
    } else {
        skip(&text, 'Z');
    }
    if (!text.wrong && *text.at != 0)
        text.wrong = "nothing more";
    if (text.wrong)
        return lf__fail(error, LF_BAD_FORMAT, text.at - text.start,
                        "\"%.60s\" is no time such as 2026-06-21T12:00:00Z: expected %s at \"%.20s\"", words,
                        text.wrong, text.at);
    *unix_seconds = seconds;
    return LF_OK;
}
