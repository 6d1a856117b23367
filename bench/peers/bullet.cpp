#include "bullet.h"

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

struct bench_bullet {
    const bench_field *field;
    std::unique_ptr<btHeightfieldTerrainShape> shape;
    btVector3 middle; ///< of the field, in Bullet's axes: the shape lies around the origin
};

struct bench_bullet_rays {
    struct ray {
        btVector3 from, to;
        double t_max, t_far;
    };
    std::vector<ray> rays;
};

namespace {

/// x stays, y becomes z, z becomes y.
btVector3 turned(lf_vec3 a) {
    return btVector3(btScalar(a.x), btScalar(a.z), btScalar(a.y));
}

/// The nearest hit so far; Bullet passes over triangles that are farther.
struct first_hit : btTriangleRaycastCallback {
    const bench_field *field;
    long long cell = -1;

    first_hit(const btVector3 &from, const btVector3 &to, const bench_field *on)
        : btTriangleRaycastCallback(from, to), field(on) {}

    btScalar reportHit(const btVector3 &, btScalar fraction, int column, int row) override {
        cell = (long long)row * (field->samples - 1) + column;
        return fraction;
    }
};

/// Where a ray leaves the box, or a little beyond its start when it misses it.
double leave_box(const bench_field *field, const lf_ray &ray) {
    double extent = bench_field_extent(field), leave = ray.t_max;
    const double low[3] = {0.0, 0.0, field->low}, high[3] = {extent, extent, field->high};
    const double origin[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    const double direction[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
    for (int i = 0; i < 3; i++)
        if (direction[i] != 0.0)
            leave = std::fmin(leave, ((direction[i] > 0.0 ? high[i] : low[i]) - origin[i]) / direction[i]);
    return std::fmax(leave * (1.0 + 1e-6), 1.0);
}

} // namespace

const char *bench_bullet_name(void) {
    static char name[32];
    std::snprintf(name, sizeof name, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return name;
}

bench_bullet *bench_bullet_open(const bench_field *field) {
    bench_bullet *bullet = new bench_bullet;
    bullet->field = field;
    double middle = 0.5 * bench_field_extent(field);
    bullet->middle = btVector3(btScalar(middle), btScalar(0.5 * (field->low + field->high)), btScalar(middle));
    return bullet;
}

void bench_bullet_build(bench_bullet *bullet) {
    const bench_field *field = bullet->field;
    bullet->shape.reset(new btHeightfieldTerrainShape(int(field->samples), int(field->samples), field->heights,
                                                      btScalar(field->low), btScalar(field->high), 1, false));
    bullet->shape->setLocalScaling(btVector3(btScalar(BENCH_SPACING), 1, btScalar(BENCH_SPACING)));
    bullet->shape->buildAccelerator();
}

void bench_bullet_close(bench_bullet *bullet) {
    delete bullet;
}

bench_bullet_rays *bench_bullet_rays_make(const bench_bullet *bullet, const bench_rays *rays) {
    bench_bullet_rays *made = new bench_bullet_rays;
    made->rays.reserve(size_t(rays->count));
    for (int64_t i = 0; i < rays->count; i++) {
        const lf_ray &ray = rays->rays[i];
        double far = leave_box(bullet->field, ray);
        lf_vec3 to = lf_vec3_along(ray.origin, far, ray.direction);
        made->rays.push_back({turned(ray.origin) - bullet->middle, turned(to) - bullet->middle, ray.t_max, far});
    }
    return made;
}

void bench_bullet_rays_close(bench_bullet_rays *rays) {
    delete rays;
}

void bench_bullet_first(bench_bullet *bullet, const bench_bullet_rays *rays, bench_answer *answers) {
    for (size_t i = 0; i < rays->rays.size(); i++) {
        const bench_bullet_rays::ray &ray = rays->rays[i];
        first_hit hit(ray.from, ray.to, bullet->field);
        bullet->shape->performRaycast(&hit, ray.from, ray.to);
        answers[i].item = hit.cell;
        answers[i].t = hit.cell < 0 ? ray.t_max : double(hit.m_hitFraction) * ray.t_far;
    }
}
