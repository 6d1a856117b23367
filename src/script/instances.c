/// Instances, for scripts.
#include "script/script.h"
#include <math.h>
#include <string.h>

static lf_scene *scene_of(lua_State *L) {
    return lf__script_of(L)->scene;
}

static lf_motion motion_of(lua_State *L, const char *word) {
    static const char *const words[] = {"measured", "given", "carried"};
    for (int k = 0; k < 3; k++)
        if (strcmp(word, words[k]) == 0)
            return (lf_motion)(LF_MOTION_MEASURED + k);
    luaL_error(L, "a motion is \"measured\", \"given\" or \"carried\", not \"%s\"", word);
    return LF_MOTION_MEASURED;
}

/// turn = {x, y, z, angle}: about the instance's own origin.
static void read_turn(lua_State *L, int table, lf_pose *pose) {
    if (lua_getfield(L, table, "turn") != LUA_TNIL) {
        lf_vec3 axis = lf__script_vec(L, -1, "turn");
        lua_geti(L, -1, 4);
        double angle = luaL_checknumber(L, -1);
        lua_pop(L, 1);
        if (lf_pose_turn((lf_vec3){0, 0, 0}, axis, angle, pose) != LF_OK)
            luaL_error(L, "turn wants {x, y, z, angle}, finite, with an axis");
    }
    lua_pop(L, 1);
}

/// parameters = {name = number}: into the order that the object has them in. Names that it does not have are told.
static int read_parameters(lua_State *L, int table, double *values) {
    lua_getiuservalue(L, 1, 1);
    int names = lua_gettop(L), count = (int)lua_rawlen(L, names), used = 0, given = 0;
    if (lua_getfield(L, table, "parameters") != LUA_TNIL) {
        lf__script_charge_table(L, lua_gettop(L));
        for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
            given++;
        for (int i = 0; i < count; i++) {
            lua_rawgeti(L, names, i + 1);
            lua_gettable(L, -2);
            used += !lua_isnil(L, -1);
            values[i] = lua_isnil(L, -1) ? LF_NAN : luaL_checknumber(L, -1);
            lua_pop(L, 1);
        }
        if (used != given)
            luaL_error(L, "parameters has a name that the object has not");
    } else {
        count = 0;
    }
    lua_settop(L, names - 1);
    return count;
}

/// object:instance{at =, turn =, scale =, colour =, velocity =, spin =, motion =, steps =, parameters =}
static int object_instance(lua_State *L) {
    lf__handle *object = lf__handle_check(L, 1, LF__HANDLE_OBJECT);
    lf_instance_def def = lf_instance_def_default();
    double parameters[LF_OBJECT_PARAMETERS + 1], steps = 1;
    lf_error error = {LF_OK, -1, ""};
    lf_instance instance;
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_newtable(L);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    def.object = (lf_object){object->index, object->generation};
    read_turn(L, 2, &def.pose);
    lf__script_field_vec(L, 2, "at", &def.pose.translation);
    lf__script_field_vec(L, 2, "scale", &def.scale);
    lf__script_field_paint(L, 2, "colour", &def.colour);
    bool moves = lf__script_field_vec(L, 2, "velocity", &def.velocity);
    moves = lf__script_field_vec(L, 2, "spin", &def.spin) || moves;
    const char *word = lf__script_field_text(L, 2, "motion");
    def.motion = word ? motion_of(L, word) : moves ? LF_MOTION_CARRIED : LF_MOTION_MEASURED;
    if (lf__script_field_number(L, 2, "steps", &steps))
        def.velocity_steps = steps >= 1 && steps <= LF_VELOCITY_STEPS ? (int)steps : 0;
    def.parameter_count = read_parameters(L, 2, parameters);
    def.parameters = parameters;
    lf__script_check(L, lf_instance_create(scene_of(L), &def, &instance, &error), &error);
    lf__handle_push(L, LF__HANDLE_INSTANCE, instance.index, instance.generation);
    return 1;
}

static lf_instance_info describe(lua_State *L) {
    lf_instance_info info;
    lf__script_check(L, lf_instance_describe(scene_of(L), lf__instance_at(L, 1), &info), NULL);
    return info;
}

static int push_vec(lua_State *L, lf_vec3 v) {
    lua_pushnumber(L, v.x);
    lua_pushnumber(L, v.y);
    lua_pushnumber(L, v.z);
    return 3;
}

static int instance_move(lua_State *L) {
    lf__script_check(L, lf_instance_move(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2)), NULL);
    return 0;
}

static int instance_turn(lua_State *L) {
    lf__script_check(
        L,
        lf_instance_turn(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2), luaL_checknumber(L, 5)),
        NULL);
    return 0;
}

static int instance_scale(lua_State *L) {
    lf__script_check(L, lf_instance_scale(scene_of(L), lf__instance_at(L, 1), lf__script_three(L, 2)), NULL);
    return 0;
}

/// Where it should be: x, y, z and, if given, a heading about z in place of how it is turned.
static lf_pose wanted_pose(lua_State *L) {
    lf_pose pose = describe(L).pose;
    if (!lua_isnoneornil(L, 5) &&
        lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, luaL_checknumber(L, 5), &pose) != LF_OK)
        luaL_error(L, "a heading that is no number");
    pose.translation = lf__script_three(L, 2);
    return pose;
}

static int instance_place(lua_State *L) {
    lf_pose pose = wanted_pose(L);
    lf__script_check(L, lf_instance_place(scene_of(L), lf__instance_at(L, 1), &pose), NULL);
    return 0;
}

static int instance_jump(lua_State *L) {
    lf_pose pose = wanted_pose(L);
    lf__script_check(L, lf_instance_jump(scene_of(L), lf__instance_at(L, 1), &pose), NULL);
    return 0;
}

static int instance_position(lua_State *L) {
    return push_vec(L, describe(L).pose.translation);
}

/// Where its x axis points.
static int instance_heading(lua_State *L) {
    lf_pose pose = describe(L).pose;
    return push_vec(L, (lf_vec3){pose.rows[0].x, pose.rows[1].x, pose.rows[2].x});
}

static int instance_velocity(lua_State *L) {
    return push_vec(L, describe(L).velocity);
}

/// instance:motion("carried", {vx, vy, vz}[, {sx, sy, sz}])
static int instance_motion(lua_State *L) {
    lf_instance instance = lf__instance_at(L, 1);
    lf_motion motion = motion_of(L, luaL_checkstring(L, 2));
    lf_vec3 velocity = {0, 0, 0}, spin = {0, 0, 0};
    if (!lua_isnoneornil(L, 3))
        velocity = lf__script_vec(L, 3, "velocity");
    if (!lua_isnoneornil(L, 4))
        spin = lf__script_vec(L, 4, "spin");
    lf__script_check(L, lf_instance_set_motion(scene_of(L), instance, motion, velocity, spin), NULL);
    return 0;
}

static int instance_colour(lua_State *L) {
    lf_part top = describe(L).top;
    lf_vec3 rgb = lf__script_three(L, 2);
    lf_paint paint = {(float)rgb.x, (float)rgb.y, (float)rgb.z, (float)luaL_optnumber(L, 5, 1)};
    lf__script_check(L, lf_part_set_colour(scene_of(L), top, paint), NULL);
    return 0;
}

static int instance_box(lua_State *L) {
    lf_box box;
    lf__script_check(L, lf_instance_box(scene_of(L), lf__instance_at(L, 1), &box), NULL);
    if (lf_box_is_empty(box))
        return 0;
    return push_vec(L, box.low) + push_vec(L, box.high);
}

static int instance_top(lua_State *L) {
    lf_part top = describe(L).top;
    lf__handle_push(L, LF__HANDLE_PART, top.index, top.generation);
    return 1;
}

static int instance_part(lua_State *L) {
    lf_part found = lf__script_find(L, describe(L).top, luaL_checkstring(L, 2));
    lf__handle_push(L, LF__HANDLE_PART, found.index, found.generation);
    return 1;
}

static int instance_name(lua_State *L) {
    lua_pushstring(L, describe(L).name);
    return 1;
}

static int instance_parameter(lua_State *L) {
    double value;
    lf__script_check(
        L, lf_instance_parameter(scene_of(L), lf__instance_at(L, 1), luaL_checkstring(L, 2), &value), NULL);
    lua_pushnumber(L, value);
    return 1;
}

static int instance_remove(lua_State *L) {
    lf__script_check(L, lf_instance_remove(scene_of(L), lf__instance_at(L, 1)), NULL);
    return 0;
}

/// instance:follow(ground, {base =, track =, lift =}), instance:follow(nil)
static int instance_follow(lua_State *L) {
    lf_instance instance = lf__instance_at(L, 1);
    double base = 2, track = 1, lift = 0;
    if (lua_isnil(L, 2)) {
        lf__script_check(L, lf_instance_follow(scene_of(L), instance, NULL, NULL, 0), NULL);
        return 0;
    }
    const lf_ground *ground = lf__script_ground_at(L, 2);
    if (!lua_isnoneornil(L, 3)) {
        luaL_checktype(L, 3, LUA_TTABLE);
        lf__script_field_number(L, 3, "base", &base);
        lf__script_field_number(L, 3, "track", &track);
        lf__script_field_number(L, 3, "lift", &lift);
    }
    lf_footprint footprint = lf_footprint_wheels(base, track);
    footprint.reach = 1000; // wheels that a step has sunk into a slope come up again
    lf__script_check(L, lf_instance_follow(scene_of(L), instance, ground, &footprint, lift), NULL);
    return 0;
}

void lf__script_open_instances(lua_State *L) {
    static const luaL_Reg methods[] = {{"position", instance_position},
                                       {"heading", instance_heading},
                                       {"velocity", instance_velocity},
                                       {"box", instance_box},
                                       {"top", instance_top},
                                       {"part", instance_part},
                                       {"name", instance_name},
                                       {"parameter", instance_parameter},
                                       {NULL, NULL}};
    static const luaL_Reg changes[] = {{"move", instance_move},     {"turn", instance_turn},
                                       {"scale", instance_scale},   {"place", instance_place},
                                       {"jump", instance_jump},     {"motion", instance_motion},
                                       {"colour", instance_colour}, {"remove", instance_remove},
                                       {"follow", instance_follow}, {NULL, NULL}};
    static const luaL_Reg object_changes[] = {{"instance", object_instance}, {NULL, NULL}};
    lf__handle_methods(L, LF__HANDLE_INSTANCE, methods);
    lf__handle_changes(L, LF__HANDLE_INSTANCE, changes);
    lf__handle_changes(L, LF__HANDLE_OBJECT, object_changes);
}
