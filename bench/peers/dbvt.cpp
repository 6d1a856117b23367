#include "dbvt.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <cstdio>
#include <LinearMath/btScalar.h>
#include <vector>

struct bench_dbvt {
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
};

namespace {

btVector3 narrowed(lf_vec3 a) {
    return btVector3(btScalar(a.x), btScalar(a.y), btScalar(a.z));
}

struct gather : btDbvt::ICollide {
    int64_t *items;
    int64_t count = 0;

    explicit gather(int64_t *to) : items(to) {}

    void Process(const btDbvtNode *leaf) override { items[count++] = leaf->dataAsInt; }
};

} // namespace

const char *bench_dbvt_name(void) {
    static char name[32];
    snprintf(name, sizeof name, "Bullet %d.%02d", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100);
    return name;
}

bench_dbvt *bench_dbvt_open(const lf_box *boxes, int64_t count) {
    bench_dbvt *dbvt = new bench_dbvt;
    for (int64_t i = 0; i < count; i++) {
        btDbvtNode *leaf =
            dbvt->tree.insert(btDbvtVolume::FromMM(narrowed(boxes[i].low), narrowed(boxes[i].high)), nullptr);
        leaf->dataAsInt = int(i);
        dbvt->leaves.push_back(leaf);
    }
    dbvt->tree.optimizeTopDown();
    return dbvt;
}

void bench_dbvt_close(bench_dbvt *dbvt) {
    delete dbvt;
}

void bench_dbvt_move(bench_dbvt *dbvt, int64_t item, const lf_box *box) {
    btDbvtVolume volume = btDbvtVolume::FromMM(narrowed(box->low), narrowed(box->high));
    dbvt->tree.update(dbvt->leaves[size_t(item)], volume);
}

void bench_dbvt_settle(bench_dbvt *dbvt) {
    dbvt->tree.optimizeIncremental(1);
}

int64_t bench_dbvt_cull(bench_dbvt *dbvt, const lf_plane *planes, int plane_count, int64_t *items) {
    btVector3 normals[32];
    btScalar offsets[32];
    for (int k = 0; k < plane_count; k++) {
        normals[k] = -narrowed(planes[k].normal);
        offsets[k] = btScalar(planes[k].offset);
    }
    gather found(items);
    btDbvt::collideKDOP(dbvt->tree.m_root, normals, offsets, plane_count, found);
    return found.count;
}
