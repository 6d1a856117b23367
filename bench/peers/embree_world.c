#include "embree_world.h"
#include "embree_inside.h"

#include <stdlib.h>

#define WORLD_SHAPES 16

struct bench_embree_world {
    bench_embree *embree;
    RTCScene shapes[WORLD_SHAPES];
    int shape_count;
    RTCGeometry *instances;
    int64_t count, space;
};

bench_embree_world *bench_embree_world_open(bool fast) {
    bench_embree_world *world = bench_take(1, sizeof *world);
    *world = (bench_embree_world){.embree = bench_embree_start(NULL)};
    world->embree->scene = rtcNewScene(world->embree->device);
    rtcSetSceneFlags(world->embree->scene, fast ? RTC_SCENE_FLAG_DYNAMIC : RTC_SCENE_FLAG_NONE);
    rtcSetSceneBuildQuality(world->embree->scene, fast ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_HIGH);
    return world;
}

int bench_embree_world_shape(bench_embree_world *world, const float *vertices, int64_t vertex_count,
                             const uint32_t *corners, int64_t triangle_count) {
    RTCDevice device = world->embree->device;
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, vertices, 0,
                               3 * sizeof(float), (size_t)vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, corners, 0,
                               3 * sizeof(uint32_t), (size_t)triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
    rtcCommitScene(scene);
    world->shapes[world->shape_count] = scene;
    return world->shape_count++;
}

int64_t bench_embree_world_add(bench_embree_world *world, int shape, const float matrix[12]) {
    if (world->count == world->space) {
        world->space = 2 * world->space + 1024;
        world->instances = realloc(world->instances, (size_t)world->space * sizeof *world->instances);
        if (!world->instances)
            bench_stop("no memory");
    }
    RTCGeometry instance = rtcNewGeometry(world->embree->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance, world->shapes[shape]);
    rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, matrix);
    rtcCommitGeometry(instance);
    rtcAttachGeometry(world->embree->scene, instance);
    world->instances[world->count] = instance;
    return world->count++;
}

void bench_embree_world_move(bench_embree_world *world, int64_t instance, const float matrix[12]) {
    rtcSetGeometryTransform(world->instances[instance], 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, matrix);
    rtcCommitGeometry(world->instances[instance]);
}

void bench_embree_world_build(bench_embree_world *world) {
    rtcCommitScene(world->embree->scene);
}

bench_embree *bench_embree_world_scene(bench_embree_world *world) {
    return world->embree;
}

void bench_embree_world_close(bench_embree_world *world) {
    for (int64_t i = 0; i < world->count; i++)
        rtcReleaseGeometry(world->instances[i]);
    for (int i = 0; i < world->shape_count; i++)
        rtcReleaseScene(world->shapes[i]);
    bench_embree_close(world->embree);
    free(world->instances);
    free(world);
}
