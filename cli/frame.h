/// Pictures of a scene: quick ones, by triangles through a depth buffer, and fine ones, by rays alone.
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include <landfall/landfall.h>

/// What there is to be drawn.
typedef struct frame_view {
    lf_scene *scene;
    const lf_ground *const *grounds;
    int64_t ground_count;
    lf_eye eye;
} frame_view;

/// What drawing took.
typedef struct frame_work {
    int64_t frames;
    int64_t drawn, culled; ///< instances
    int64_t triangles;
} frame_work;

/// A box around all instances; empty when there are none.
lf_box frame_box(lf_scene *scene);

/// An eye from which all of a scene is seen.
lf_eye frame_whole_scene(lf_scene *scene);

/// Draw a scene and write it as a PNG file; adds to work.
lf_status frame_write(const frame_view *view, const char *path, frame_work *work, lf_error *error);

/// The same by rays, with shadows and haze, as `landfall render` draws; on the tasks of the host.
lf_status frame_render(const frame_view *view, const lf_host *host, const char *path, frame_work *work,
                       lf_error *error);

#endif
