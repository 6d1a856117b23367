// FCL as a peer: bounding volume trees over triangles, tree against tree.
#include "colliders.h"

#include <fcl/fcl.h>
#include <limits>
#include <vector>

namespace {

template <typename Volume> void *make(const collider_shape *shape) {
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (int64_t i = 0; i < shape->vertex_count; i++)
        vertices.emplace_back(shape->vertices[3 * i], shape->vertices[3 * i + 1], shape->vertices[3 * i + 2]);
    for (int64_t i = 0; i < shape->triangle_count; i++)
        triangles.emplace_back(shape->corners[3 * i], shape->corners[3 * i + 1], shape->corners[3 * i + 2]);
    auto *model = new fcl::BVHModel<Volume>;
    model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

template <typename Volume> void drop(void *model) {
    delete static_cast<fcl::BVHModel<Volume> *>(model);
}

fcl::Transform3d transform(const collider_pose *pose) {
    fcl::Transform3d result = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            result.linear()(i, k) = pose->turn[i][k];
        result.translation()(i) = pose->shift[i];
    }
    return result;
}

template <typename Volume>
int64_t pairs(void *a, const collider_pose *pose_a, void *b, const collider_pose *pose_b, bool all) {
    fcl::CollisionRequestd request(all ? std::numeric_limits<int>::max() : 1, false);
    fcl::CollisionResultd result;
    static const fcl::Transform3d still = fcl::Transform3d::Identity();
    fcl::Transform3d moved;
    if (pose_a)
        moved = transform(pose_a);
    fcl::collide(static_cast<fcl::BVHModel<Volume> *>(a), pose_a ? moved : still,
                 static_cast<fcl::BVHModel<Volume> *>(b), transform(pose_b), request, result);
    return static_cast<int64_t>(result.numContacts());
}

template <typename Volume> const collider_kind kind(const char *name) {
    return {name, make<Volume>, drop<Volume>, pairs<Volume>};
}

} // namespace

const collider_kind *collider_fcl_obbrss(void) {
    static const collider_kind the = kind<fcl::OBBRSSd>("FCL OBBRSS");
    return &the;
}

const collider_kind *collider_fcl_kdop(void) {
    static const collider_kind the = kind<fcl::KDOPd<18>>("FCL kDOP18");
    return &the;
}
