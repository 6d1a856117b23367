/// golden FILE [FOLDER]: compare all answers with those in FILE; FOLDER is where .lf files are written (".").
/// golden --record FILE [FOLDER]: write FILE.
/// Prints a line for each group that differs, and a summary; ends with 1 when a group differs by more than it may.
#include "golden.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Of numbers with a tolerance, one of so many is recorded beside the hash of all.
#define APART 7

static FILE *file;
static bool recording;
static struct {
    char name[64];
    double tolerance;
    uint64_t hash;
    int64_t count;
    uint64_t *numbers; ///< of a group with a tolerance, every APART-th
    int64_t kept, capacity;
} group;
static int same_groups, near_groups, wrong_groups;
static double worst_share;
static char worst_name[64];

static void fail(const char *what, const char *why) {
    fprintf(stderr, "golden: %s: %s\n", what, why);
    exit(2);
}

void golden_ok(lf_status status, const char *what) {
    if (status < 0)
        fail(what, lf_status_name(status));
}

static uint64_t bits_of(double number) {
    uint64_t bits;
    if (number != number)
        return UINT64_C(0x7ff8000000000000); // machines differ in the sign of NaN
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void add(uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8)
        group.hash = (group.hash ^ (bits >> shift & 255)) * UINT64_C(0x100000001b3);
    if (group.tolerance > 0 && group.count % APART == 0) {
        if (group.kept == group.capacity) {
            group.capacity = 2 * group.capacity + 1024;
            group.numbers = realloc(group.numbers, (size_t)group.capacity * sizeof *group.numbers);
            if (!group.numbers)
                fail(group.name, "out of memory");
        }
        group.numbers[group.kept++] = bits;
    }
    group.count++;
}

void golden_real(double answer) {
    add(bits_of(answer));
}

void golden_whole(int64_t answer) {
    add(bits_of((double)answer));
}

void golden_vec3(lf_vec3 answer) {
    golden_real(answer.x);
    golden_real(answer.y);
    golden_real(answer.z);
}

void golden_hit(const lf_hit *hit) {
    golden_whole((int64_t)hit->kind);
    golden_whole((int64_t)hit->reason);
    if (hit->kind == LF_HIT_NONE)
        return;
    golden_real(hit->t);
    golden_vec3(hit->point);
    golden_vec3(hit->normal);
    golden_whole(hit->element);
}

void golden_bytes(const uint8_t *bytes, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        golden_whole(bytes[i]);
}

void golden_floats(const float *numbers, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        golden_real((double)numbers[i]);
}

static void record_group(void) {
    fprintf(file, "%s %g %" PRId64 " %016" PRIx64 "\n", group.name, group.tolerance, group.count, group.hash);
    for (int64_t i = 0; group.tolerance > 0 && i < group.kept; i++)
        fprintf(file, "%016" PRIx64 "%c", group.numbers[i], i % 8 == 7 || i + 1 == group.kept ? '\n' : ' ');
}

/// The largest difference between the numbers of the group and the recorded ones, as a share of what is allowed.
static double compare_numbers(int64_t count) {
    double worst = 0;
    for (int64_t i = 0; i < (count + APART - 1) / APART; i++) {
        uint64_t bits;
        double was, is = 0;
        if (fscanf(file, "%" SCNx64, &bits) != 1)
            fail(group.name, "the recorded numbers end");
        memcpy(&was, &bits, sizeof was);
        if (i < group.kept)
            memcpy(&is, &group.numbers[i], sizeof is);
        double size = was > 1 ? was : was < -1 ? -was : 1;
        double share = (is > was ? is - was : was - is) / (group.tolerance * size);
        if (i < group.kept && group.numbers[i] != bits && !(share <= worst))
            worst = share == share ? share : LF_INFINITY;
    }
    return worst;
}

static void compare_group(void) {
    char name[64];
    double tolerance;
    int64_t count;
    uint64_t hash;
    if (fscanf(file, "%63s %lg %" SCNd64 " %" SCNx64, name, &tolerance, &count, &hash) != 4 ||
        strcmp(name, group.name) != 0)
        fail(group.name, "not the next recorded group");
    double share = tolerance > 0 ? compare_numbers(count) : hash == group.hash ? 0 : LF_INFINITY;
    if (count != group.count)
        share = LF_INFINITY;
    if (share > worst_share && share <= 1) {
        worst_share = share;
        memcpy(worst_name, name, sizeof worst_name);
    }
    if (share == 0 && hash == group.hash) {
        same_groups++;
    } else if (share <= 1) {
        printf("differs by %.2g of its tolerance: %s\n", share, name);
        near_groups++;
    } else {
        printf("WRONG: %s: %" PRId64 " answers, %" PRId64 " recorded, differ by %g of the tolerance\n", name,
               group.count, count, share);
        wrong_groups++;
    }
}

static void end_group(void) {

    if (group.name[0] == '\0')
        return;
    if (recording)
        record_group();
    else
        compare_group();
}

void golden_group(const char *name, double tolerance) {
    end_group();
    snprintf(group.name, sizeof group.name, "%s", name);
    group.tolerance = tolerance;
    group.hash = UINT64_C(0xcbf29ce484222325);
    group.count = group.kept = 0;
}

uint64_t golden_bits(golden_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double golden_between(golden_random *random, double low, double high) {
    // Rounded in two steps whatever the flags of this file: a volatile keeps them apart.
    volatile double step = (double)(golden_bits(random) >> 24) * 0x1p-40 * (high - low);
    return low + step;
}

lf_vec3 golden_point(golden_random *random, double low, double high) {
    double x = golden_between(random, low, high), y = golden_between(random, low, high);
    return (lf_vec3){x, y, golden_between(random, low, high)};
}

int main(int count, char **words) {
    recording = count > 2 && strcmp(words[1], "--record") == 0;
    if (count < 2 + recording)
        fail("usage", "golden [--record] FILE [FOLDER]");
    file = fopen(words[1 + recording], recording ? "w" : "r");
    if (!file)
        fail(words[1 + recording], "cannot be opened");
    golden_numbers();
    golden_geometry();
    golden_grids();
    golden_views();
    golden_meshes();
    golden_models();
    golden_contacts();
    golden_scenes();
    golden_globes();
    golden_stores(count > 2 + recording ? words[2 + recording] : ".");
    end_group();
    if (fclose(file) != 0)
        fail(words[1 + recording], "cannot be written");
    free(group.numbers);
    if (!recording)
        printf("golden: %d groups are the same bits, %d within their tolerance (worst %.2g of it: %s), %d "
               "wrong; %s\n",
               same_groups, near_groups, worst_share, near_groups ? worst_name : "none", wrong_groups,
               lf_isa_name(lf_isa_best()));
    return wrong_groups ? 1 : 0;
}
