// Bullet's GImpact as a peer: the pair test of its box sets and the triangles behind them.
#include "colliders.h"

#include <btBulletCollisionCommon.h>

#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <vector>

namespace {

struct mesh {
    std::vector<int> corners;
    std::vector<float> vertices;
    btTriangleIndexVertexArray *array;
    btGImpactMeshShape *shape;
};

void *make(const collider_shape *shape) {
    auto *made = new mesh;
    made->corners.assign(shape->corners, shape->corners + 3 * shape->triangle_count);
    made->vertices.assign(shape->singles, shape->singles + 3 * shape->vertex_count);
    made->array = new btTriangleIndexVertexArray;
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(shape->triangle_count);
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(made->corners.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(shape->vertex_count);
    part.m_vertexBase = reinterpret_cast<const unsigned char *>(made->vertices.data());
    part.m_vertexStride = 3 * sizeof(float);
    part.m_vertexType = PHY_FLOAT;
    made->array->addIndexedMesh(part);
    made->shape = new btGImpactMeshShape(made->array);
    made->shape->setMargin(0);
    made->shape->updateBound();
    return made;
}

void drop(void *model) {
    auto *made = static_cast<mesh *>(model);
    delete made->shape;
    delete made->array;
    delete made;
}

btTransform transform(const collider_pose *pose) {
    btTransform result;
    btVector3 rows[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            rows[i][k] = static_cast<btScalar>(pose->turn[i][k]);
    result.getBasis().setValue(rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1], rows[1][2],
                               rows[2][0], rows[2][1], rows[2][2]);
    for (int k = 0; k < 3; k++)
        result.getOrigin()[k] = static_cast<btScalar>(pose->shift[k]);
    return result;
}

// The narrow phase of btGImpactCollisionAlgorithm without the contact points that follow it.
int64_t pairs(void *a, const collider_pose *pose_a, void *b, const collider_pose *pose_b, bool all) {
    static btPairSet candidates;
    auto *first = static_cast<mesh *>(a)->shape->getMeshPart(0);
    auto *second = static_cast<mesh *>(b)->shape->getMeshPart(0);
    btTransform to_first = pose_a ? transform(pose_a) : btTransform::getIdentity(),
                to_second = transform(pose_b);
    candidates.resizeNoInitialize(0);
    btGImpactBoxSet::find_collision(first->getBoxSet(), to_first, second->getBoxSet(), to_second, candidates);
    int64_t count = 0;
    first->lockChildShapes();
    second->lockChildShapes();
    for (int i = 0; i < candidates.size() && (all || count == 0); i++) {
        btPrimitiveTriangle p, q;
        first->getPrimitiveTriangle(candidates[i].m_index1, p);
        second->getPrimitiveTriangle(candidates[i].m_index2, q);
        p.applyTransform(to_first);
        q.applyTransform(to_second);
        p.buildTriPlane();
        q.buildTriPlane();
        GIM_TRIANGLE_CONTACT contact;
        count += p.overlap_test_conservative(q) && p.find_triangle_collision_clip_method(q, contact);
    }
    second->unlockChildShapes();
    first->unlockChildShapes();
    return count;
}

} // namespace

const collider_kind *collider_gimpact(void) {
    static const collider_kind the = {"Bullet GImpact", make, drop, pairs};
    return &the;
}
