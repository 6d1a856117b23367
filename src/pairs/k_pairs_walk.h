/// Traversals of packed trees, written once and compiled once per instruction set, by means of
///     LANES(node, box)   a bit for each of the node's boxes that overlaps the box
///     NAMED(name)        the name of a function
///     TARGET             its attribute

typedef struct NAMED(spot) {
    int64_t node;
    int level;
} NAMED(spot);

/// The node of level 0 that comes last in a subtree.
TARGET static inline int64_t NAMED(last_leaf)(int64_t node, int level) {
    return ((node + 1) << (3 * level)) - 1;
}

TARGET static void NAMED(query)(const lf__flat *flat, const lf__flat_box *box, lf__pairs_sink *sink) {
    NAMED(spot) stack[LF__FLAT_STACK];
    int depth = 0;
    if (flat->levels > 0)
        stack[depth++] = (NAMED(spot)){0, flat->levels - 1};
    while (depth > 0) {
        NAMED(spot) at = stack[--depth];
        unsigned lanes = LANES(&flat->nodes[flat->first[at.level] + at.node], box);
        if (at.level == 0) {
            if (!lf__pairs_sink_reserve(sink))
                return;
            uint64_t *keys = sink->keys.items;
            for (; lanes; lanes &= lanes - 1)
                keys[sink->keys.count++] = flat->items[at.node * LF__FLAT_WIDTH + __builtin_ctz(lanes)];
            continue;
        }
        for (; lanes; lanes &= lanes - 1)
            stack[depth++] = (NAMED(spot)){at.node * LF__FLAT_WIDTH + __builtin_ctz(lanes), at.level - 1};
    }
}

TARGET static void NAMED(scan)(const lf__flat_node *nodes, const uint32_t *items, int64_t count,
                               const lf__flat_box *box, lf__pairs_sink *sink) {
    for (int64_t i = 0; i < count; i += LF__FLAT_WIDTH) {
        unsigned lanes = LANES(&nodes[i / LF__FLAT_WIDTH], box);
        if (!lanes)
            continue;
        if (!lf__pairs_sink_reserve(sink))
            return;
        uint64_t *keys = sink->keys.items;
        for (; lanes; lanes &= lanes - 1)
            keys[sink->keys.count++] = items[i + __builtin_ctz(lanes)];
    }
}

/// The overlapping pairs of two nodes of level 0; of one and the same, each pair once.
TARGET static inline bool NAMED(meet)(const lf__flat *a, int64_t node_a, const lf__flat *b, int64_t node_b,
                                      unsigned lanes_a, lf__pairs_sink *sink) {
    if (!lf__pairs_sink_reserve(sink))
        return false;
    uint64_t *keys = sink->keys.items;
    int64_t count = sink->keys.count;
    bool same = a == b && node_a == node_b;
    for (; lanes_a; lanes_a &= lanes_a - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes_a);
        const lf__flat_node *from = &a->nodes[node_a];
        lf__flat_box box = {{from->low[0][lane], from->low[1][lane], from->low[2][lane]},
                            {from->high[0][lane], from->high[1][lane], from->high[2][lane]}};
        unsigned lanes = LANES(&b->nodes[node_b], &box);
        lanes &= same ? ~0u << (lane + 1) : ~0u;
        uint64_t item = a->items[node_a * LF__FLAT_WIDTH + lane];
        for (; lanes; lanes &= lanes - 1) {
            uint64_t other = b->items[node_b * LF__FLAT_WIDTH + __builtin_ctz(lanes)];
            keys[count++] = item < other ? item << 32 | other : other << 32 | item;
        }
    }
    sink->keys.count = count;
    return true;
}

/// One node of level 0 of a against all of b that may touch it.
TARGET static inline bool NAMED(join_node)(const lf__flat *a, int64_t node_a, const lf__flat_box *around,
                                           const lf__flat *b, lf__pairs_sink *sink) {
    NAMED(spot) stack[LF__FLAT_STACK];
    int depth = 0;
    stack[depth++] = (NAMED(spot)){0, b->levels - 1};
    while (depth > 0) {
        NAMED(spot) at = stack[--depth];
        const lf__flat_node *node = &b->nodes[b->first[at.level] + at.node];
        if (at.level == 0) {
            lf__flat_box other = lf__flat_around(b, at.node);
            unsigned lanes_a = LANES(&a->nodes[node_a], &other);
            if (lanes_a && !NAMED(meet)(a, node_a, b, at.node, lanes_a, sink))
                return false;
            continue;
        }
        for (unsigned lanes = LANES(node, around); lanes; lanes &= lanes - 1) {
            int64_t child = at.node * LF__FLAT_WIDTH + __builtin_ctz(lanes);
            if (a != b || NAMED(last_leaf)(child, at.level - 1) >= node_a)
                stack[depth++] = (NAMED(spot)){child, at.level - 1};
        }
    }
    return true;
}

TARGET static void NAMED(join)(const lf__flat *a, const lf__flat *b, lf__pairs_sink *sink) {
    if (a->levels == 0 || b->levels == 0)
        return;
    for (int64_t node = 0; node < a->first[1]; node++) {
        lf__flat_box around = lf__flat_around(a, node);
        if (!NAMED(join_node)(a, node, &around, b, sink))
            return;
    }
}
