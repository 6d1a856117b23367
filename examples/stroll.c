/// On foot and on wheels: a yard with a lift in it. How a cart stands, how far one can walk, what is inside, where shadow falls.
///
///     stroll
#include <landfall/landfall.h>
#include <stdio.h>

/// A floor with a slope at its end, four metres wide; and a roof over its first half.
static const lf_vec3 yard_vertices[] = {{0, 0, 0},  {10, 0, 0}, {10, 4, 0}, {0, 4, 0}, {20, 0, 2},
                                        {20, 4, 2}, {0, 0, 3},  {5, 0, 3},  {5, 4, 3}, {0, 4, 3}};
static const int64_t yard_starts[] = {0, 4, 8, 12}, yard_corners[] = {0, 1, 2, 3, 1, 4, 5, 2, 6, 7, 8, 9};
/// A platform, which goes up and down behind the slope.
static const lf_vec3 lift_vertices[] = {{20, 0, 0}, {24, 0, 0}, {24, 4, 0}, {20, 4, 0}};
static const int64_t lift_starts[] = {0, 4}, lift_corners[] = {0, 1, 2, 3};

static lf_polygons yard_polygons(void) {
    lf_polygons polygons = {.vertices = yard_vertices,
                            .vertex_count = 10,
                            .starts = yard_starts,
                            .corners = yard_corners,
                            .polygon_count = 3};
    return polygons;
}

static lf_status make_ground(lf_polygons polygons, lf_mesh **mesh, const lf_ground **ground) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = polygons;
    lf_status status = lf_mesh_create(&def, mesh, NULL);
    *ground = status == LF_OK ? lf_mesh_ground(*mesh) : NULL;
    return status;
}

static void stand(const lf_ground *ground) {
    lf_footprint cart = lf_footprint_wheels(2, 1);
    lf_stance stance;
    lf_vec3 at = {15, 2, 9}, east = {1, 0, 0};
    if (lf_ground_stand(ground, &cart, at, east, &stance, NULL) == LF_OK)
        printf("the cart stands at %.2f m, its nose %.1f degrees up\n", stance.position.z,
               stance.pitch * 180 / 3.14159265358979);
}

/// Out of the yard, up the slope and onto the lift, wherever that is.
static void walk(const char *when, const lf_ground *ground) {
    static const char *const ends[] = {"arrives", "finds no ground", "meets a step up", "meets a step down"};
    lf_walker walker = lf_walker_default(0.2);
    lf_walk way;
    lf_vec3 from = {1, 2, 0}, to = {23, 2, 0};
    if (lf_ground_walk(ground, &walker, from, to, &way, NULL, NULL) == LF_OK)
        printf("%s one %s at x = %.1f\n", when, ends[way.end], way.position.x);
}

static void look_inside(const lf_ground *ground) {
    lf_locale house = {"under the roof", ground, NULL};
    lf_locales *locales = NULL;
    lf_crossing crossings[4];
    int64_t count = 0;
    if (lf_locales_create(&house, 1, NULL, &locales, NULL) != LF_OK)
        return;
    lf_vec3 from = {1, 2, 1}, to = {9, 2, 1};
    if (lf_locales_cross(locales, from, to, crossings, 4, &count, NULL) == LF_OK && count == 1)
        printf("one leaves \"%s\" at x = %.1f\n", lf_locales_name(locales, crossings[0].locale),
               crossings[0].point.x);
    lf_locales_destroy(locales);
}

static void shine(lf_vec3 light) {
    lf_shadow_def def = lf_shadow_def_default();
    lf_shadow *shadow = NULL;
    lf_vec3 place = {2, 2, 0};
    bool lit;
    lf_hit by;
    def.polygons = yard_polygons();
    def.light = lf_light_along(light);
    if (lf_shadow_create(&def, &shadow, NULL) == LF_OK &&
        lf_shadow_at(shadow, place, &lit, &by, NULL) == LF_OK)
        printf("light along %.0f,%.0f,%.0f: the floor is %s\n", light.x, light.y, light.z,
               lit ? "lit" : "in the shadow of the roof");
    lf_shadow_destroy(shadow);
}

int main(void) {
    lf_mesh *yard = NULL, *lift = NULL;
    const lf_ground *yard_ground = NULL, *lift_ground = NULL, *ground = NULL;
    lf_group *group = NULL;
    lf_polygons platform = {.vertices = lift_vertices,
                            .vertex_count = 4,
                            .starts = lift_starts,
                            .corners = lift_corners,
                            .polygon_count = 1};
    lf_status status = make_ground(yard_polygons(), &yard, &yard_ground);
    if (status == LF_OK)
        status = make_ground(platform, &lift, &lift_ground);
    if (status == LF_OK) {
        lf_group_part parts[] = {{.ground = yard_ground, .pose = lf_pose_identity()},
                                 {.ground = lift_ground, .pose = lf_pose_identity()}};
        lf_group_def def = lf_group_def_default();
        def.parts = parts;
        def.part_count = 2;
        status = lf_group_create(&def, &group, NULL);
    }
    if (status == LF_OK)
        ground = lf_group_ground(group);
    if (status == LF_OK) {
        stand(ground);
        walk("with the lift down", ground);
        lf_pose up = lf_pose_identity();
        up.translation.z = 2;
        status = lf_group_set_pose(group, 1, &up);
        walk("with the lift up", ground);
        look_inside(yard_ground);
        shine((lf_vec3){0, 0, -1});
        shine((lf_vec3){-2, 0, -1});
    }
    lf_group_destroy(group);
    lf_mesh_destroy(lift);
    lf_mesh_destroy(yard);
    if (status != LF_OK)
        fprintf(stderr, "stroll: %s\n", lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
