#include "quantized_make.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(quantized_bytes *bytes, const void *data, size_t size) {
    if (bytes->size + size > bytes->space) {
        bytes->space = 2 * (bytes->size + size);
        bytes->data = realloc(bytes->data, bytes->space);
        assert_non_null(bytes->data);
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_whole(quantized_bytes *bytes, uint32_t value, int size) {
    for (int i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)(value >> 8 * i);
        put(bytes, &byte, 1);
    }
}

static void put_double(quantized_bytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_whole(bytes, (uint32_t)bits, 4);
    put_whole(bytes, (uint32_t)(bits >> 32), 4);
}

static void put_float(quantized_bytes *bytes, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_whole(bytes, bits, 4);
}

static void put_head(quantized_bytes *bytes, const quantized_plan *plan) {
    for (int i = 0; i < 3; i++)
        put_double(bytes, 1000.0 * (i + 1));
    put_float(bytes, plan->low);
    put_float(bytes, plan->high);
    for (int i = 0; i < 4; i++)
        put_double(bytes, 2000.0 * (i + 1));
    for (int i = 0; i < 3; i++)
        put_double(bytes, 0.5);
}

/// Differences, the sign in the lowest bit.
static void put_steps(quantized_bytes *bytes, const int32_t *values, int64_t count) {
    int32_t before = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t step = values[i] - before;
        put_whole(bytes, (uint32_t)(step < 0 ? -2 * step - 1 : 2 * step), 2);
        before = values[i];
    }
}

/// Vertices in the order in which the triangles first use them, as the coding of corners asks for.
typedef struct net {
    int side; // vertices along a border
    int64_t count;
    int64_t *number_of; // in that order, or -1
    int32_t *u, *v, *h;
    int64_t fresh;
} net;

static int64_t net_vertex(net *net, int column, int row) {
    int64_t *number = &net->number_of[row * net->side + column];
    if (*number < 0)
        *number = net->fresh++;
    return *number;
}

static void put_corner(quantized_bytes *bytes, net *net, int64_t *highest, int column, int row) {
    int64_t vertex = net->number_of[row * net->side + column];
    put_whole(bytes, (uint32_t)(*highest - vertex), net->count > 65536 ? 4 : 2);
    *highest += *highest == vertex;
}

/// The corners of the two triangles of a cell, as steps from its south-western one.
static const int cell_corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};

static void place_vertices(net *net, const quantized_plan *plan) {
    test_random random = {plan->salt};
    double cell = 32767.0 / plan->cells;
    for (int row = 0; row < net->side; row++)
        for (int column = 0; column < net->side; column++) {
            int64_t i = net_vertex(net, column, row);
            bool inside = column > 0 && column < plan->cells && row > 0 && row < plan->cells;
            double wobble = inside && cell > 4 ? 0.2 * cell : 0;
            net->u[i] = (int32_t)lround(column * cell + test_random_between(&random, -1, 1) * wobble);
            net->v[i] = (int32_t)lround(row * cell + test_random_between(&random, -1, 1) * wobble);
            double share = test_random_between(&random, 0, 1), range = (double)plan->high - (double)plan->low;
            if (plan->height && range > 0)
                share =
                    (plan->height(plan->user, net->u[i] / 32767.0, net->v[i] / 32767.0) - (double)plan->low) /
                    range;
            net->h[i] = (int32_t)lround(fmin(fmax(share, 0), 1) * 32767);
        }
}

static void put_sides(quantized_bytes *bytes, net *net) {
    for (int side = 0; side < 4; side++) {
        bytes->sides_at[side] = bytes->size;
        put_whole(bytes, (uint32_t)net->side, 4);
        for (int i = 0; i < net->side; i++) {
            int last = net->side - 1;
            int column = side == 0 ? 0 : side == 2 ? last : i, row = side == 1 ? 0 : side == 3 ? last : i;
            put_whole(bytes, (uint32_t)net->number_of[row * net->side + column], net->count > 65536 ? 4 : 2);
        }
    }
}

static void put_extension(quantized_bytes *bytes, int kind, uint32_t length, bool big) {
    put_whole(bytes, (uint32_t)kind, 1);
    if (big)
        length = length >> 24 | (length >> 8 & 0xff00) | (length << 8 & 0xff0000) | length << 24;
    put_whole(bytes, length, 4);
}

/// The numbering: first use by the triangles, cell by cell.
static net net_start(const quantized_plan *plan) {
    net net = {.side = plan->cells + 1};
    net.count = (int64_t)net.side * net.side;
    net.number_of = test_space(net.count, sizeof(int64_t));
    net.u = test_space(net.count, sizeof(int32_t));
    net.v = test_space(net.count, sizeof(int32_t));
    net.h = test_space(net.count, sizeof(int32_t));
    memset(net.number_of, 0xff, (size_t)net.count * sizeof(int64_t));
    for (int cell = 0; cell < plan->cells * plan->cells; cell++)
        for (int k = 0; k < 6; k++)
            net_vertex(&net, cell % plan->cells + cell_corners[k][0],
                       cell / plan->cells + cell_corners[k][1]);
    return net;
}

quantized_bytes quantized_make(const quantized_plan *plan) {
    quantized_bytes bytes = {0};
    net net = net_start(plan);
    place_vertices(&net, plan);
    put_head(&bytes, plan);
    bytes.vertices_at = bytes.size;
    put_whole(&bytes, (uint32_t)net.count, 4);
    put_steps(&bytes, net.u, net.count);
    put_steps(&bytes, net.v, net.count);
    put_steps(&bytes, net.h, net.count);
    if (net.count > 65536 && bytes.size % 4)
        put_whole(&bytes, 0, 2);
    bytes.triangles_at = bytes.size;
    put_whole(&bytes, (uint32_t)(2 * plan->cells * plan->cells), 4);
    int64_t highest = 0;
    for (int cell = 0; cell < plan->cells * plan->cells; cell++)
        for (int k = 0; k < 6; k++)
            put_corner(&bytes, &net, &highest, cell % plan->cells + cell_corners[k][0],
                       cell / plan->cells + cell_corners[k][1]);
    put_sides(&bytes, &net);
    if (plan->unknown) {
        put_extension(&bytes, 255, 3, plan->big);
        put(&bytes, "abc", 3);
    }
    if (plan->normals) {
        put_extension(&bytes, 1, (uint32_t)(2 * net.count), plan->big);
        for (int64_t i = 0; i < net.count; i++)
            put_whole(&bytes, 0x8080, 2);
    }
    free(net.h);
    free(net.v);
    free(net.u);
    free(net.number_of);
    return bytes;
}
