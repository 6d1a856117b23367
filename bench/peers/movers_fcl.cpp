// FCL as a peer: the broad phase of a dynamic tree of boxes, and continuous collision.
#include "movers.h"

#include <fcl/fcl.h>
#include <memory>
#include <vector>

namespace {

struct world {
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<fcl::CollisionObjectd *> movers;
    fcl::DynamicAABBTreeCollisionManagerd moving, still;
    uint64_t *keys;
    int64_t count, capacity;
};

fcl::Vector3d middle(const double *box) {
    return fcl::Vector3d(0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5]));
}

void *make(const double *boxes, int64_t movers, int64_t stills) {
    world *made = new world;
    for (int64_t i = 0; i < movers + stills; i++) {
        const double *box = boxes + 6 * i;
        auto shape = std::make_shared<fcl::Boxd>(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
        fcl::Transform3d at = fcl::Transform3d::Identity();
        at.translation() = middle(box);
        made->objects.emplace_back(new fcl::CollisionObjectd(shape, at));
        made->objects.back()->setUserData(reinterpret_cast<void *>(i));
        if (i < movers)
            made->movers.push_back(made->objects.back().get());
    }
    std::vector<fcl::CollisionObjectd *> others;
    for (size_t i = size_t(movers); i < made->objects.size(); i++)
        others.push_back(made->objects[i].get());
    made->moving.registerObjects(made->movers);
    made->still.registerObjects(others);
    made->moving.setup();
    made->still.setup();
    return made;
}

void drop(void *user) {
    delete static_cast<world *>(user);
}

bool note(fcl::CollisionObjectd *p, fcl::CollisionObjectd *q, void *user) {
    world *it = static_cast<world *>(user);
    if (!p->getAABB().overlap(q->getAABB()))
        return false;
    uint64_t a = reinterpret_cast<uint64_t>(p->getUserData()),
             b = reinterpret_cast<uint64_t>(q->getUserData());
    if (it->count < it->capacity)
        it->keys[it->count] = a < b ? a << 32 | b : b << 32 | a;
    it->count++;
    return false;
}

int64_t step(void *user, const double *boxes, uint64_t *keys, int64_t capacity) {
    world *it = static_cast<world *>(user);
    for (size_t i = 0; i < it->movers.size(); i++) {
        it->movers[i]->setTranslation(middle(boxes + 6 * i));
        it->movers[i]->computeAABB();
    }
    it->moving.update();
    it->keys = keys;
    it->capacity = capacity;
    it->count = 0;
    it->moving.collide(it, note);
    if (!it->still.empty())
        it->moving.collide(&it->still, it, note);
    return it->count;
}

// ---------------------------------------------------------------------------------------------------
// Casts
// ---------------------------------------------------------------------------------------------------

struct casts {
    struct one {
        std::unique_ptr<fcl::Boxd> a, b;
        fcl::Transform3d from_a, to_a, from_b, to_b;
    };
    std::vector<one> all;
};

fcl::Transform3d transform(const cast_box *box, const double *at) {
    fcl::Transform3d made = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            made.linear()(i, k) = box->turn[i][k];
        made.translation()(i) = at[i];
    }
    return made;
}

std::unique_ptr<fcl::Boxd> shape(const cast_box *box) {
    std::unique_ptr<fcl::Boxd> made(new fcl::Boxd(2 * box->half[0], 2 * box->half[1], 2 * box->half[2]));
    made->computeLocalAABB();
    return made;
}

void *make_casts(const cast_box *a, const cast_box *b, int64_t count) {
    casts *made = new casts;
    for (int64_t i = 0; i < count; i++)
        made->all.push_back({shape(a + i), shape(b + i), transform(a + i, a[i].from),
                             transform(a + i, a[i].to), transform(b + i, b[i].from),
                             transform(b + i, b[i].to)});
    return made;
}

void drop_casts(void *user) {
    delete static_cast<casts *>(user);
}

void cast(void *user, double *times, fcl::CCDSolverType solver) {
    casts *it = static_cast<casts *>(user);
    fcl::ContinuousCollisionRequestd request;
    request.ccd_solver_type = solver;
    request.ccd_motion_type = fcl::CCDM_TRANS;
    request.gjk_solver_type = fcl::GST_LIBCCD;
    for (size_t i = 0; i < it->all.size(); i++) {
        casts::one &one = it->all[i];
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(one.a.get(), one.from_a, one.to_a, one.b.get(), one.from_b, one.to_b, request,
                               result);
        times[i] = result.is_collide ? result.time_of_contact : -1;
    }
}

void cast_default(void *user, double *times) {
    cast(user, times, fcl::CCDC_NAIVE);
}

void cast_advancement(void *user, double *times) {
    cast(user, times, fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
}

} // namespace

const movers_kind *movers_fcl(void) {
    static const movers_kind the = {"FCL DynamicAABBTree", make, drop, step};
    return &the;
}

const cast_kind *cast_fcl_default(void) {
    static const cast_kind the = {"FCL default", make_casts, drop_casts, cast_default};
    return &the;
}

const cast_kind *cast_fcl_advancement(void) {
    static const cast_kind the = {"FCL advancement", make_casts, drop_casts, cast_advancement};
    return &the;
}
