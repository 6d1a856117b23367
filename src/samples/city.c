/// A city: streets, kerbs, and blocks of houses with many-sided roofs.
#include "samples/park.h"
#include <math.h>

#define BLOCK 64.0   // metres from street to street
#define PAVEMENT 5.0 // half a street
#define KERB 0.15

typedef struct lot {
    lf__maker *maker;
    uint64_t bits;
    double x, y; ///< middle
    double half; ///< of its side
} lot;

static double share(uint64_t bits, int shift) {
    return lf__unit(bits << shift);
}

static void add_level(lf__maker *maker, const char *name, double west, double south, double size, double z) {
    lf__patch patch = {{west, south, z}, {size, 0, 0}, {0, size, 0}, 1, 1};
    lf__maker_patch(maker, lf__maker_name(maker, name), &patch);
}

/// The outline of a house: a box, or a regular polygon of 6 to 12 sides, or an oval of many.
static int outline(const lot *lot, lf_vec2 corners[16]) {
    double size = lot->half * (0.72 + 0.2 * share(lot->bits, 3));
    int kind = (int)(lot->bits % 5), sides = kind < 3 ? 4 : kind == 3 ? 6 + (int)(lot->bits >> 8 & 7) : 16;
    double wide = kind < 3 ? size * 1.38 : size, deep = wide * (kind == 4 ? 0.66 : 1);
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        corners[i].x = lot->x + wide * lf__cosine(turns);
        corners[i].y = lot->y + deep * lf__sine(turns);
        if (kind < 3) { // exactly along the streets
            corners[i].x = lot->x + (i == 0 || i == 3 ? size : -size);
            corners[i].y = lot->y + (i < 2 ? size : -size);
        }
    }
    return sides;
}

/// Walls in storeys, from the ground to the roof, and the roof as one polygon or as a tent.
static void add_house(const lot *lot) {
    lf_vec2 corners[16];
    int64_t below[16], above[16];
    lf__maker *maker = lot->maker;
    int sides = outline(lot, corners), storeys = 2 + (int)(lot->bits >> 20 & 7);
    if (lot->bits % 23 == 0)
        storeys += 12;
    int64_t wall = lf__maker_name(maker, "wall"), roof = lf__maker_name(maker, "roof");
    for (int i = 0; i < sides; i++)
        below[i] = lf__maker_vertex(maker, corners[i].x, corners[i].y, KERB);
    for (int storey = 1; storey <= storeys; storey++) {
        for (int i = 0; i < sides; i++)
            above[i] = lf__maker_vertex(maker, corners[i].x, corners[i].y, KERB + 3.2 * storey);
        for (int i = 0; i < sides; i++) {
            int next = (i + 1) % sides;
            int64_t quad[4] = {below[i], below[next], above[next], above[i]};
            lf__maker_quad(maker, wall, quad);
        }
        for (int i = 0; i < sides; i++)
            below[i] = above[i];
    }
    if (lot->bits >> 30 & 1) {
        lf__maker_polygon(maker, roof, above, sides);
        return;
    }
    int64_t tip = lf__maker_vertex(maker, lot->x, lot->y, KERB + 3.2 * storeys + 0.5 * lot->half);
    for (int i = 0; i < sides; i++)
        lf__maker_triangle(maker, roof, above[i], above[(i + 1) % sides], tip);
}

/// The raised pavement of a block with its kerb; every seventh block is a green.
static void add_block(lf__maker *maker, uint64_t seed, int64_t i, int64_t j) {
    uint64_t bits = lf__hash(seed, i, j);
    double west = (double)i * BLOCK + PAVEMENT, south = (double)j * BLOCK + PAVEMENT,
           size = BLOCK - 2 * PAVEMENT;
    lf__patch kerbs[4] = {{{west, south, 0}, {size, 0, 0}, {0, 0, KERB}, 1, 1},
                          {{west + size, south, 0}, {0, size, 0}, {0, 0, KERB}, 1, 1},
                          {{west + size, south + size, 0}, {-size, 0, 0}, {0, 0, KERB}, 1, 1},
                          {{west, south + size, 0}, {0, -size, 0}, {0, 0, KERB}, 1, 1}};
    for (int k = 0; k < 4; k++)
        lf__maker_patch(maker, lf__maker_name(maker, "kerb"), &kerbs[k]);
    add_level(maker, bits % 7 == 0 ? "meadow" : "pavement", west, south, size, KERB);
    if (bits % 7 == 0)
        return;
    int64_t lots = 1 + (int64_t)(bits >> 9 & 1) + (int64_t)(bits >> 10 & 1);
    for (int64_t b = 0; b < lots; b++)
        for (int64_t a = 0; a < lots; a++) {
            double half = 0.5 * size / (double)lots;
            lot lot = {maker, lf__hash(bits, a, b), west + half * (double)(2 * a + 1),
                       south + half * (double)(2 * b + 1), half};
            add_house(&lot);
        }
}

/// Blocks row by row, each on its square of street, until there are enough polygons: as near as a block comes.
void lf__make_city(lf__maker *maker, uint64_t seed, int64_t count) {
    seed = lf__hash(0x63697479u, (int64_t)seed, 0);
    double guess = sqrt((double)count / 190.0); // a block has so many polygons on average
    int64_t columns = guess < 1 ? 1 : lf__floor(guess + 0.5), before = 0;
    for (int64_t block = 0; maker->status == LF_OK; block++) {
        int64_t made = lf__maker_count(maker);
        if (made + (made - before) / 2 >= count && made > 0)
            return;
        before = made;
        int64_t i = block % columns, j = block / columns;
        add_level(maker, "street", (double)i * BLOCK, (double)j * BLOCK, BLOCK, 0);
        add_block(maker, seed, i, j);
    }
}
