/// Round numbers for axes, and numbers as text whatever the locale.
#include <landfall/picture.h>
#include <string.h>

static double power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent) && i < 400; i++)
        power *= 10;
    return exponent < 0 ? 1 / power : power;
}

lf_ticks lf_ticks_of(double low, double high, int wanted) {
    lf_ticks ticks = {0, 0, 0, 0};
    double span = high - low;
    if (!isfinite(span) || !(span > 0) || !(span >= 1e-12 * fmax(fabs(low), fabs(high))) || span < 1e-280)
        return ticks;
    wanted = wanted < 1 ? 1 : wanted > 100 ? 100 : wanted;
    int exponent = (int)floor(log10(span / wanted));
    double step = power_of_ten(exponent), rough = span / wanted / step;
    step *= rough <= 1.000001 ? 1 : rough <= 2 ? 2 : rough <= 5 ? 5 : 10;
    double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
    ticks.first = first * step;
    ticks.step = step;
    ticks.count = last >= first ? (int)(last - first) + 1 : 0;
    exponent += rough > 5 ? 1 : 0;
    ticks.decimals = exponent < 0 ? (exponent > -15 ? -exponent : 15) : 0;
    return ticks;
}

typedef struct writer {
    char *text;
    size_t capacity, used;
} writer;

static void put(writer *writer, char character) {
    if (writer->used + 1 < writer->capacity)
        writer->text[writer->used++] = character;
}

static void put_word(writer *writer, const char *word) {
    while (*word)
        put(writer, *word++);
}

static void put_whole(writer *writer, uint64_t value, int least_digits) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 || count < least_digits);
    while (count > 0)
        put(writer, digits[--count]);
}

/// value >= 0 and below 1e16
static void put_fixed(writer *writer, double value, int decimals) {
    double whole = floor(value), unit = power_of_ten(decimals);
    double rest = floor((value - whole) * unit + 0.5);
    if (rest >= unit) {
        whole += 1;
        rest = 0;
    }
    put_whole(writer, (uint64_t)whole, 1);
    if (decimals > 0) {
        put(writer, '.');
        put_whole(writer, (uint64_t)rest, decimals);
    }
}

static bool rounds_to_zero(double value, int decimals) {
    return fabs(value) * power_of_ten(decimals) < 0.5;
}

void lf_number_text(double value, int decimals, char *text, size_t capacity) {
    writer writer = {text, capacity, 0};
    if (!text || capacity == 0)
        return;
    decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
    if (value < 0 && !rounds_to_zero(value, decimals))
        put(&writer, '-');
    double size = fabs(value);
    if (value != value) {
        put_word(&writer, "nan");
    } else if (size > 1.7976931348623157e308) {
        put_word(&writer, "inf");
    } else if (size < 1e15) {
        put_fixed(&writer, size, decimals);
    } else {
        int exponent = (int)floor(log10(size));
        double mantissa = size / power_of_ten(exponent);
        if (mantissa * power_of_ten(decimals) + 0.5 >= power_of_ten(decimals + 1)) {
            mantissa /= 10;
            exponent++;
        }
        put_fixed(&writer, mantissa, decimals);
        put_word(&writer, "e+");
        put_whole(&writer, (uint64_t)exponent, 2);
    }
    text[writer.used] = 0;
}
