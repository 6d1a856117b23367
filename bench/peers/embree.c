#include "embree_inside.h"

#include <stdlib.h>

static void on_error(void *user, enum RTCError code, const char *text) {
    (void)user;
    bench_stop("Embree: error %d: %s", (int)code, text);
}

static bool on_memory(void *user, ssize_t bytes, bool sample) {
    (void)sample;
    bench_embree_memory *memory = user;
    memory->bytes += bytes;
    memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
    return true;
}

/// One thread for building as well, so that build times compare.
static RTCDevice open_device(const char *isa) {
    char config[80];
    snprintf(config, sizeof config, "threads=1,user_threads=1%s%s", isa ? ",isa=" : "", isa ? isa : "");
    RTCDevice device = rtcNewDevice(config);
    if (!device)
        bench_stop("Embree: no device, error %d", (int)rtcGetDeviceError(NULL));
    rtcSetDeviceErrorFunction(device, on_error, NULL);
    return device;
}

/// Embree does not say which of its kernels it took: the widest packets that it offers and the processor do.
static const char *isa_of(RTCDevice device) {
    if (rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED))
        return "avx512";
    if (!rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED))
        return "128 bits wide";
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        return "avx";
#endif
    return "avx2";
}

int bench_embree_width(void) {
    RTCDevice device = open_device(NULL);
    int width = rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED)  ? 16
                : rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) ? 8
                                                                                          : 4;
    rtcReleaseDevice(device);
    return width;
}

const char *bench_embree_name(void) {
    static char name[64];
    RTCDevice device = open_device(NULL);
    const char *isa = isa_of(device);
    snprintf(name, sizeof name, "Embree %ld.%ld.%ld (%s)",
             (long)rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR),
             (long)rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR),
             (long)rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH), isa);
    rtcReleaseDevice(device);
    return name;
}

bench_embree *bench_embree_start(const char *isa) {
    bench_embree *embree = bench_take(1, sizeof *embree);
    embree->device = open_device(isa);
    rtcSetDeviceMemoryMonitorFunction(embree->device, on_memory, &embree->memory);
    return embree;
}

bench_embree *bench_embree_open(const bench_terrain *terrain, bool robust) {
    bench_embree *embree = bench_embree_start(NULL);
    embree->vertices = terrain->singles;
    embree->vertex_count = terrain->vertex_count;
    embree->corners = terrain->corners;
    embree->triangle_count = terrain->triangle_count;
    embree->robust = robust;
    return embree;
}

/// The vertices, and triangles or grids, stay in the caller's arrays.
static void attach_geometry(bench_embree *embree) {
    RTCGeometry geometry =
        rtcNewGeometry(embree->device, embree->grid ? RTC_GEOMETRY_TYPE_GRID : RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, embree->vertices, 0,
                               3 * sizeof(float), (size_t)embree->vertex_count);
    if (embree->grid)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_GRID, 0, RTC_FORMAT_GRID, embree->grid, 0,
                                   sizeof *embree->grid, 1);
    else
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, embree->corners, 0,
                                   3 * sizeof(uint32_t), (size_t)embree->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(embree->scene, geometry);
    rtcReleaseGeometry(geometry);
}

static void drop_scene(bench_embree *embree) {
    if (embree->scene)
        rtcReleaseScene(embree->scene);
    embree->scene = NULL;
}

void bench_embree_build(bench_embree *embree) {
    drop_scene(embree);
    embree->memory.peak = embree->memory.bytes;
    embree->scene = rtcNewScene(embree->device);
    rtcSetSceneBuildQuality(embree->scene, RTC_BUILD_QUALITY_HIGH);
    rtcSetSceneFlags(embree->scene, embree->robust ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_NONE);
    attach_geometry(embree);
    rtcCommitScene(embree->scene);
}

bench_embree_memory bench_embree_describe(const bench_embree *embree) {
    return embree->memory;
}

void bench_embree_close(bench_embree *embree) {
    if (!embree)
        return;
    drop_scene(embree);
    rtcReleaseDevice(embree->device);
    free(embree->own_corners);
    free(embree->own_vertices);
    free(embree->grid);
    free(embree);
}

bench_embree_rays *bench_embree_rays_make(const bench_rays *rays) {
    bench_embree_rays *made = bench_take(1, sizeof *made);
    made->count = rays->count;
    made->rays = aligned_alloc(64, ((size_t)rays->count * sizeof *made->rays + 63) / 64 * 64);
    if (!made->rays)
        bench_stop("no memory for %lld rays", (long long)rays->count);
    for (int64_t i = 0; i < rays->count; i++) {
        const lf_ray *ray = &rays->rays[i];
        struct RTCRay single = {.org_x = (float)ray->origin.x,
                                .org_y = (float)ray->origin.y,
                                .org_z = (float)ray->origin.z,
                                .tnear = (float)ray->t_min,
                                .dir_x = (float)ray->direction.x,
                                .dir_y = (float)ray->direction.y,
                                .dir_z = (float)ray->direction.z,
                                .tfar = (float)ray->t_max,
                                .mask = 0xffffffffu};
        made->rays[i] = single;
    }
    return made;
}

void bench_embree_rays_close(bench_embree_rays *rays) {
    if (!rays)
        return;
    free(rays->rays);
    free(rays);
}

void bench_embree_first(bench_embree *embree, const bench_embree_rays *rays, bench_answer *answers) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit asked = {0};
    for (int64_t i = 0; i < rays->count; i++) {
        asked.ray = rays->rays[i];
        asked.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(embree->scene, &context, &asked);
        answers[i].t = asked.ray.tfar;
        answers[i].item = asked.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1 : (int64_t)asked.hit.primID;
    }
}

void bench_embree_any(bench_embree *embree, const bench_embree_rays *rays, bool *blocked) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (int64_t i = 0; i < rays->count; i++) {
        struct RTCRay asked = rays->rays[i];
        rtcOccluded1(embree->scene, &context, &asked);
        blocked[i] = asked.tfar < 0.0f;
    }
}
