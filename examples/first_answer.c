/// The shortest way to an answer: read a mesh, drop a point onto it, send a ray through it.
///
///     first_answer park.ply 100 100
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const lf_error *error) {
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 2;
}

static void say(const char *question, const lf_hit *hit) {
    if (hit->kind == LF_HIT_NONE)
        printf("%s: %s\n", question, lf_reason_name(hit->reason));
    else
        printf("%s: polygon %lld at %.2f %.2f %.2f\n", question, (long long)hit->element, hit->point.x,
               hit->point.y, hit->point.z);
}

static bool read_number(const char *word, double *value) {
    const char *end = word + strlen(word);
    return lf_number_read(word, end, value) == end;
}

static void ask(const lf_ground *ground, double x, double y) {
    lf_hit hit;
    lf_vec3 above = {x, y, LF_INFINITY};
    if (lf_ground_height(ground, above, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK)
        say("ground", &hit);
    lf_box box = lf_ground_box(ground);
    lf_ray ray = lf_ray_between((lf_vec3){box.low.x, box.low.y, box.high.z}, (lf_vec3){x, y, box.low.z});
    if (lf_ground_ray_first(ground, &ray, &hit, NULL) == LF_OK)
        say("ray", &hit);
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: first_answer MESH X Y\n");
        return 2;
    }
    lf_error error;
    lf_polygon_file *file = NULL;
    lf_mesh *mesh = NULL;
    lf_polygon_file_def from = lf_polygon_file_def_default();
    lf_mesh_def def = lf_mesh_def_default();
    int status = 0;
    double x, y;
    if (!read_number(words[2], &x) || !read_number(words[3], &y)) {
        fprintf(stderr, "X and Y are numbers, not %s and %s\n", words[2], words[3]);
        return 2;
    }
    if (lf_polygon_file_read(words[1], &from, &file, &error) != LF_OK)
        return fail(words[1], &error);
    def.polygons = lf_polygon_file_polygons(file);
    if (lf_mesh_create(&def, &mesh, &error) != LF_OK)
        status = fail(words[1], &error);
    else
        ask(lf_mesh_ground(mesh), x, y);
    lf_mesh_destroy(mesh);
    lf_polygon_file_close(file);
    return status;
}
