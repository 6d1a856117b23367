// Bullet as a peer: the broad phase of a dynamic tree, and convex casts.
#include "movers.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btSubSimplexConvexCast.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <memory>
#include <vector>

namespace {

struct world {
    btDbvtBroadphase broad;
    std::vector<btBroadphaseProxy *> proxies;
    int64_t movers;
};

btVector3 vector(const double *a) {
    return btVector3(btScalar(a[0]), btScalar(a[1]), btScalar(a[2]));
}

void *make(const double *boxes, int64_t movers, int64_t stills) {
    world *made = new world;
    made->movers = movers;
    for (int64_t i = 0; i < movers + stills; i++) {
        bool moves = i < movers;
        int group = moves ? btBroadphaseProxy::DefaultFilter : btBroadphaseProxy::StaticFilter;
        int mask = moves ? btBroadphaseProxy::AllFilter : btBroadphaseProxy::DefaultFilter;
        made->proxies.push_back(made->broad.createProxy(vector(boxes + 6 * i), vector(boxes + 6 * i + 3),
                                                        BOX_SHAPE_PROXYTYPE, reinterpret_cast<void *>(i),
                                                        group, mask, nullptr));
    }
    return made;
}

void drop(void *user) {
    world *it = static_cast<world *>(user);
    for (btBroadphaseProxy *proxy : it->proxies)
        it->broad.destroyProxy(proxy, nullptr);
    delete it;
}

int64_t step(void *user, const double *boxes, uint64_t *keys, int64_t capacity) {
    world *it = static_cast<world *>(user);
    for (int64_t i = 0; i < it->movers; i++)
        it->broad.setAabb(it->proxies[size_t(i)], vector(boxes + 6 * i), vector(boxes + 6 * i + 3), nullptr);
    it->broad.calculateOverlappingPairs(nullptr);
    const btBroadphasePairArray &pairs = it->broad.getOverlappingPairCache()->getOverlappingPairArray();
    int64_t count = 0;
    for (int i = 0; i < pairs.size(); i++) {
        const btBroadphaseProxy *p = pairs[i].m_pProxy0, *q = pairs[i].m_pProxy1;
        if (!TestAabbAgainstAabb2(p->m_aabbMin, p->m_aabbMax, q->m_aabbMin, q->m_aabbMax))
            continue;
        uint64_t a = reinterpret_cast<uint64_t>(p->m_clientObject),
                 b = reinterpret_cast<uint64_t>(q->m_clientObject);
        if (count < capacity)
            keys[count] = a < b ? a << 32 | b : b << 32 | a;
        count++;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------
// Casts
// ---------------------------------------------------------------------------------------------------

struct casts {
    struct one {
        std::unique_ptr<btBoxShape> a, b;
        btTransform from_a, to_a, from_b, to_b;
    };
    std::vector<one> all;
};

btTransform transform(const cast_box *box, const double *at) {
    btMatrix3x3 turn;
    for (int i = 0; i < 3; i++)
        turn[i] = vector(box->turn[i]);
    return btTransform(turn, vector(at));
}

std::unique_ptr<btBoxShape> shape(const cast_box *box) {
    std::unique_ptr<btBoxShape> made(new btBoxShape(vector(box->half)));
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

void cast_subsimplex(void *user, double *times) {
    casts *it = static_cast<casts *>(user);
    for (size_t i = 0; i < it->all.size(); i++) {
        casts::one &one = it->all[i];
        btVoronoiSimplexSolver simplex;
        btSubsimplexConvexCast cast(one.a.get(), one.b.get(), &simplex);
        btConvexCast::CastResult result;
        bool hit = cast.calcTimeOfImpact(one.from_a, one.to_a, one.from_b, one.to_b, result);
        times[i] = hit ? double(result.m_fraction) : -1;
    }
}

void cast_continuous(void *user, double *times) {
    casts *it = static_cast<casts *>(user);
    btGjkEpaPenetrationDepthSolver depth;
    for (size_t i = 0; i < it->all.size(); i++) {
        casts::one &one = it->all[i];
        btVoronoiSimplexSolver simplex;
        btContinuousConvexCollision cast(one.a.get(), one.b.get(), &simplex, &depth);
        btConvexCast::CastResult result;
        bool hit = cast.calcTimeOfImpact(one.from_a, one.to_a, one.from_b, one.to_b, result);
        times[i] = hit ? double(result.m_fraction) : -1;
    }
}

} // namespace

const movers_kind *movers_bullet(void) {
    static const movers_kind the = {"Bullet dbvt", make, drop, step};
    return &the;
}

const cast_kind *cast_bullet_subsimplex(void) {
    static const cast_kind the = {"Bullet subsimplex", make_casts, drop_casts, cast_subsimplex};
    return &the;
}

const cast_kind *cast_bullet_continuous(void) {
    static const cast_kind the = {"Bullet continuous", make_casts, drop_casts, cast_continuous};
    return &the;
}
