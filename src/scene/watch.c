/// Watches: made and ended.
#include "scene/scene.h"

void lf__watches_start(lf_scene *scene) {
    lf__pool_start(&scene->watches, sizeof(lf__slot));
}

void lf__watches_free(lf_scene *scene) {
    lf__pool_free(&scene->watches, &scene->allocator);
}
