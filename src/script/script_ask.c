/// Questions of a script about its world: all of its grounds and the shapes of its scene as one ground.
///
/// The world is a group of the grounds and the scene, made when it is first asked, and brought up to date when something has
/// changed since. Everything is charged by the counters of the script's cursor, and the update by the parts of the scene.
#include "script/script.h"
#include <landfall/sight.h>
#include <math.h>
#include <string.h>

#define TOP 1e5         ///< metres above and below the origin on a globe between which ground is looked for
#define TARGETS 1048576 ///< of viewshed_count, at most
#define LINE_COST 20    ///< of a line of sight besides its work, in instructions
#define ARGUMENTS 12    ///< at most

// ---------------------------------------------------------------------------------------------------
// The world as a ground
// ---------------------------------------------------------------------------------------------------

static lf_status make_group(lf_script *script, bool objects, lf_group **group, lf_error *error) {
    const lf__script_ground *grounds = script->grounds.items;
    lf_group_part parts[LF__SCRIPT_WORLD_PARTS] = {{.ground = NULL}};
    lf_group_def def = lf_group_def_default();
    int64_t count = 0;
    for (; count < script->grounds.count; count++)
        parts[count] = (lf_group_part){.ground = grounds[count].ground, .pose = lf_pose_identity()};
    if (count > 0)
        def.frame = lf_ground_frame(grounds[0].ground);
    if (objects)
        parts[count++] =
            (lf_group_part){.ground = lf_scene_ground(script->scene), .pose = lf_pose_identity()};
    if (objects && !parts[count - 1].ground)
        return LF_NO_MEMORY;
    def.host = (lf_host){&script->counted, NULL, NULL, NULL};
    def.parts = parts;
    def.part_count = count;
    return lf_group_create(&def, group, error);
}

void lf__script_free_world(lf_script *script) {
    lf_group_destroy(script->everything);
    lf_group_destroy(script->all_grounds);
    script->everything = script->all_grounds = NULL;
}

/// Make what is missing, and bring it up to date.
static void update_world(lua_State *L) {
    lf_script *script = lf__script_of(L);
    lf_error error = {LF_OK, -1, ""};
    if (script->grounds.count >= LF__SCRIPT_WORLD_PARTS)
        luaL_error(L, "%d grounds: at most %d can be asked as one world", (int)script->grounds.count,
                   LF__SCRIPT_WORLD_PARTS - 1);
    if (script->asking)
        luaL_error(
            L,
            "not allowed from a watch's own function, which may ask world.ray; use world.send and ask in the "
            "reaction");
    if (script->world_grounds != script->grounds.count)
        lf__script_free_world(script);
    script->world_grounds = script->grounds.count;
    if (script->everything && !script->world_stale)
        return;
    lf__script_charge(L, 10 + lf_scene_describe(script->scene).part_count);
    lf__script_check(L, lf_scene_ground(script->scene) ? LF_OK : LF_NO_MEMORY, NULL);
    if (!script->everything)
        lf__script_check(L, make_group(script, true, &script->everything, &error), &error);
    else
        lf__script_check(L, lf_group_update(script->everything), NULL);
    if (!script->all_grounds && script->grounds.count > 0)
        lf__script_check(L, make_group(script, false, &script->all_grounds, &error), &error);
    script->world_stale = false;
}

/// What is asked: {layers =, objects = false, ground = false} in the last argument, which is removed.
typedef struct asked {
    const lf_ground *ground; ///< NULL: there is nothing to ask
    lf_cursor *cursor;
    int arguments; ///< before the options
} asked;

static bool option_on(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    bool on = lua_isnil(L, -1) || lua_toboolean(L, -1);
    lua_pop(L, 1);
    return on;
}

static asked world_asked(lua_State *L) {
    lf_script *script = lf__script_of(L);
    int top = lua_gettop(L);
    double layers = UINT32_MAX;
    bool objects = true, ground = true;
    if (top > ARGUMENTS)
        luaL_error(L, "%d arguments: expected at most %d", top, ARGUMENTS);
    if (top > 0 && lua_istable(L, top)) {
        lf__script_field_number(L, top, "layers", &layers);
        objects = option_on(L, top, "objects");
        ground = option_on(L, top, "ground");
        lua_settop(L, --top);
    }
    if (!(layers >= 0 && layers <= UINT32_MAX) || layers != floor(layers))
        luaL_error(L, "layers: expected a whole number, 0 .. 4294967295");
    update_world(L);
    lf_cursor_set_layers(script->cursor, (uint32_t)layers);
    asked a = {NULL, script->cursor, top};
    a.ground = objects && ground ? lf_group_ground(script->everything)
               : ground          ? lf_group_ground(script->all_grounds)
               : objects         ? lf_scene_ground(script->scene)
                                 : NULL;
    return a;
}

/// A query is over: charge for it, and ask for everything again.
static void end_ask(lua_State *L, lf_status status) {
    lf_cursor_set_layers(lf__script_of(L)->cursor, UINT32_MAX);
    lf__script_check(L, status, NULL);
    lf__script_charge_cursor(L);
}

static int push_none(lua_State *L) {
    lua_pushnil(L);
    return 1;
}

static void push_vector(lua_State *L, lf_vec3 v) {
    lua_pushnumber(L, v.x + 0.0); // not -0.0
    lua_pushnumber(L, v.y + 0.0);
    lua_pushnumber(L, v.z + 0.0);
}

/// The instance and the part of a hit, or two times nil.
static void push_thing(lua_State *L, const asked *a, const lf_hit *hit) {
    lf_script *script = lf__script_of(L);
    bool alone = a->ground != lf_group_ground(script->everything);
    int64_t number = alone ? hit->part : hit->inner;
    bool object = !lf_group_ground(script->all_grounds) || a->ground != lf_group_ground(script->all_grounds);
    object = object && (alone || hit->part == script->grounds.count);
    lf_part part = object ? lf_scene_part_of(script->scene, number) : (lf_part){0, 0};
    lf_part_info info;
    if (!object || lf_part_describe(script->scene, part, &info) != LF_OK) {
        lua_pushnil(L);
        lua_pushnil(L);
        return;
    }
    lf__handle_push(L, LF__HANDLE_INSTANCE, info.instance.index, info.instance.generation);
    lf__handle_push(L, LF__HANDLE_PART, part.index, part.generation);
}

static bool on_globe(const lf_ground *ground) {
    return ground && lf_ground_frame(ground).kind != LF_FRAME_GRAVITY;
}

/// Ground along the z axis: at or below a point (z INFINITY: the topmost), or at or above it.
static lf_status ask_height(const lf_ground *ground, lf_vec3 point, bool down, lf_hit *hit,
                            lf_cursor *cursor) {
    if (!on_globe(ground))
        return lf_ground_height(ground, point, down ? LF_VERTICAL_DOWN : LF_VERTICAL_UP, hit, cursor);
    if (isinf(point.z))
        point.z = TOP;
    lf_ray ray = {point, {0, 0, down ? -1 : 1}, 0, fmax(down ? point.z + TOP : TOP - point.z, 0)};
    return lf_ground_ray_first(ground, &ray, hit, cursor);
}

int lf__script_push_height(lua_State *L, const lf_ground *ground, lf_vec3 point) {
    lf_hit hit;
    lf__script_check(L, ask_height(ground, point, true, &hit, lf__script_of(L)->cursor), NULL);
    lf__script_charge_cursor(L);
    if (hit.kind == LF_HIT_NONE)
        return push_none(L);
    lua_pushnumber(L, hit.point.z);
    return 1;
}

/// X, y and, if there is one, z; without it INFINITY: the topmost ground.
static lf_vec3 point_of(lua_State *L, const asked *a) {
    return (lf_vec3){luaL_checknumber(L, 1), luaL_checknumber(L, 2),
                     a->arguments >= 3 ? luaL_checknumber(L, 3) : LF_INFINITY};
}

// ---------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------

/// world.height(x, y[, z]): the height, and the instance if it is one; or nil.
static int ask_world_height(lua_State *L) {
    asked a = world_asked(L);
    lf_vec3 point = point_of(L, &a);
    lf_hit hit = {.kind = LF_HIT_NONE};
    end_ask(L, a.ground ? ask_height(a.ground, point, true, &hit, a.cursor) : LF_OK);
    if (hit.kind == LF_HIT_NONE)
        return push_none(L);
    lua_pushnumber(L, hit.point.z);
    push_thing(L, &a, &hit);
    lua_pop(L, 1); // the part
    return 2;
}

/// world.place(x, y[, z]): the place on the ground below, and its normal; or nil.
static int ask_world_place(lua_State *L) {
    asked a = world_asked(L);
    lf_vec3 point = point_of(L, &a);
    lf_hit hit = {.kind = LF_HIT_NONE};
    end_ask(L, a.ground ? ask_height(a.ground, point, true, &hit, a.cursor) : LF_OK);
    if (hit.kind == LF_HIT_NONE)
        return push_none(L);
    push_vector(L, hit.point);
    push_vector(L, hit.normal);
    return 6;
}

/// world.locale(x, y, z): the heights of floor and ceiling, where there are both; or nil.
static int ask_world_locale(lua_State *L) {
    asked a = world_asked(L);
    lf_vec3 point = lf__script_three(L, 1);
    lf_hit floor = {.kind = LF_HIT_NONE}, ceiling = floor;
    lf_status status = a.ground ? ask_height(a.ground, point, true, &floor, a.cursor) : LF_OK;
    if (status == LF_OK && a.ground)
        status = ask_height(a.ground, point, false, &ceiling, a.cursor);
    end_ask(L, status);
    if (floor.kind == LF_HIT_NONE || ceiling.kind == LF_HIT_NONE)
        return push_none(L);
    lua_pushnumber(L, floor.point.z);
    lua_pushnumber(L, ceiling.point.z);
    return 2;
}

/// A ray from a watch's own function: only the scene as it is in the middle of the step.
static int ray_in_step(lua_State *L) {
    lf_script *script = lf__script_of(L);
    lf_ray ray = lf_ray_towards(lf__script_three(L, 1), lf__script_three(L, 4));
    lf_part_info info;
    lf_hit hit;
    lf__script_check(L, lf_scene_ray_first(script->scene, &ray, &hit, script->cursor), NULL);
    lf__script_charge_cursor(L);
    lf_part part = lf_scene_part_of(script->scene, hit.part);
    if (lf_part_describe(script->scene, part, &info) != LF_OK)
        return push_none(L);
    lf__handle_push(L, LF__HANDLE_INSTANCE, info.instance.index, info.instance.generation);
    lf__handle_push(L, LF__HANDLE_PART, part.index, part.generation);
    lua_pushnumber(L, hit.t);
    return 3;
}

/// world.ray(x, y, z, dx, dy, dz): what is met first: the instance, the part (nil, nil: ground) and t; or nil.
static int ask_world_ray(lua_State *L) {
    if (lf__script_of(L)->asking)
        return ray_in_step(L);
    asked a = world_asked(L);
    lf_ray ray = lf_ray_towards(lf__script_three(L, 1), lf__script_three(L, 4));
    lf_hit hit = {.kind = LF_HIT_NONE};
    end_ask(L, a.ground ? lf_ground_ray_first(a.ground, &ray, &hit, a.cursor) : LF_OK);
    if (hit.kind == LF_HIT_NONE)
        return push_none(L);
    push_thing(L, &a, &hit);
    lua_pushnumber(L, hit.t);
    return 3;
}

/// world.sight(x, y, z, X, Y, Z): true; or false and where it is blocked, 0 .. 1; or nil where a void leaves it unknown.
static int ask_world_sight(lua_State *L) {
    asked a = world_asked(L);
    lf_vec3 from = lf__script_three(L, 1), to = lf__script_three(L, 4);
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight = {.verdict = LF_VERDICT_CLEAR, .t = 1};
    end_ask(L, a.ground ? lf_sight_between(a.ground, &rules, from, to, &sight, a.cursor) : LF_OK);
    if (sight.verdict == LF_VERDICT_UNKNOWN)
        return push_none(L);
    lua_pushboolean(L, sight.verdict == LF_VERDICT_CLEAR);
    if (sight.verdict == LF_VERDICT_CLEAR)
        return 1;
    lua_pushnumber(L, sight.t);
    return 2;
}

/// world.sweep(x, y, z, radius, dx, dy, dz): the part of the way, 0 .. 1, until a sphere touches something, the normal, the
/// instance and the part (nil, nil: ground); or nil where it touches nothing.
static int ask_world_sweep(lua_State *L) {
    asked a = world_asked(L);
    lf_sweep sweep = lf_sweep_sphere(lf__script_three(L, 1), luaL_checknumber(L, 4), lf__script_three(L, 5));
    lf_hit hit = {.kind = LF_HIT_NONE};
    end_ask(L, a.ground ? lf_ground_sweep(a.ground, &sweep, &hit, a.cursor) : LF_OK);
    if (hit.kind == LF_HIT_NONE)
        return push_none(L);
    lua_pushnumber(L, hit.t);
    push_vector(L, hit.normal);
    push_thing(L, &a, &hit);
    return 6;
}

/// world.walk(x, y, z, X, Y, Z, step): whether it arrives, the last place, and why it ended.
static int ask_world_walk(lua_State *L) {
    static const char *const ends[] = {"arrived", "no ground", "step up", "step down"};
    asked a = world_asked(L);
    lf_vec3 from = lf__script_three(L, 1), to = lf__script_three(L, 4);
    lf_walker walker = lf_walker_default(luaL_checknumber(L, 7));
    lf_walk walk = {.end = LF_WALK_NO_GROUND, .position = from};
    end_ask(L, a.ground ? lf_ground_walk(a.ground, &walker, from, to, &walk, NULL, a.cursor) : LF_OK);
    lua_pushboolean(L, walk.end == LF_WALK_ARRIVED);
    push_vector(L, walk.position);
    lua_pushstring(L, ends[walk.end]);
    return 5;
}

/// world.stand(x, y, z, heading, base, track): the position, pitch and roll of something on four wheels, and how many of them have
/// ground; or nil.
static int ask_world_stand(lua_State *L) {
    asked a = world_asked(L);
    lf_vec3 point = lf__script_three(L, 1);
    double heading = luaL_checknumber(L, 4);
    lf_footprint wheels = lf_footprint_wheels(luaL_checknumber(L, 5), luaL_checknumber(L, 6));
    lf_stance stance = {.stands = false};
    lf_vec3 forward = {cos(heading), sin(heading), 0};
    end_ask(L, a.ground ? lf_ground_stand(a.ground, &wheels, point, forward, &stance, a.cursor) : LF_OK);
    if (!stance.stands)
        return push_none(L);
    push_vector(L, stance.position);
    lua_pushnumber(L, stance.pitch + 0.0);
    lua_pushnumber(L, stance.roll + 0.0);
    lua_pushinteger(L, stance.grounded);
    return 6;
}

static int64_t read_count(lua_State *L, int table, const char *name) {
    double count = 0;
    lf__script_field_number(L, table, name, &count);
    if (!(count >= 1 && count <= TARGETS) || count != floor(count))
        luaL_error(L, "%s: expected a whole number, 1 .. %d", name, TARGETS);
    return (int64_t)count;
}

/// world.viewshed_count{at =, origin = {x, y}, step =, columns =, rows =, target =, ...}: how many targets of a lattice, each so high
/// above the topmost ground, are visible, and how many there are.
static int ask_world_viewshed_count(lua_State *L) {
    lf_vec3 at = {0, 0, 0}, origin = {0, 0, 0};
    double step = 1, high = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lf__script_field_vec(L, 1, "at", &at))
        return luaL_error(L, "at: expected {x, y, z}");
    if (lua_getfield(L, 1, "origin") != LUA_TTABLE)
        return luaL_error(L, "origin: expected {x, y}");
    lua_geti(L, -1, 1);
    lua_geti(L, -2, 2);
    origin = (lf_vec3){luaL_checknumber(L, -2), luaL_checknumber(L, -1), LF_INFINITY};
    lua_settop(L, 1);
    lf__script_field_number(L, 1, "step", &step);
    lf__script_field_number(L, 1, "target", &high);
    int64_t columns = read_count(L, 1, "columns"), rows = read_count(L, 1, "rows"), seen = 0, count = 0;
    if (columns * rows > TARGETS)
        return luaL_error(L, "%d targets: expected at most %d", (int)(columns * rows), TARGETS);
    asked a = world_asked(L);
    lf_sight_rules rules = lf_sight_rules_default();
    lf_status status = LF_OK;
    for (int64_t i = 0; i < columns * rows && status >= LF_OK && a.ground; i++) {
        lf_vec3 point = {origin.x + (double)(i % columns) * step, origin.y + (double)(i / columns) * step,
                         origin.z};
        lf_verdict verdict = LF_VERDICT_UNKNOWN;
        lf_hit hit;
        lf__script_charge_cursor(L);
        lf__script_charge(L, LINE_COST);
        status = ask_height(a.ground, point, true, &hit, a.cursor);
        if (status < LF_OK || hit.kind == LF_HIT_NONE)
            continue;
        hit.point.z += high;
        status = lf_sight_verdict(a.ground, &rules, at, hit.point, &verdict, a.cursor);
        count++;
        seen += verdict == LF_VERDICT_CLEAR;
    }
    end_ask(L, status);
    lua_pushinteger(L, seen);
    lua_pushinteger(L, count);
    return 2;
}

// ---------------------------------------------------------------------------------------------------
// Places on a globe
// ---------------------------------------------------------------------------------------------------

/// world.to_lonlat(x, y, z): longitude, latitude and height; or nil where the ground is no globe.
static int world_to_lonlat(lua_State *L) {
    const lf_script *script = lf__script_of(L);
    lf_vec3 point = lf__script_three(L, 1);
    if (!script->on_globe)
        return push_none(L);
    lf_geodetic place = lf_ellipsoid_to_geodetic(&script->ellipsoid, lf_pose_to_world(&script->place, point));
    lua_pushnumber(L, place.lon_deg);
    lua_pushnumber(L, place.lat_deg);
    lua_pushnumber(L, place.height);
    return 3;
}

/// world.from_lonlat(lon, lat[, height]): x, y and z; or nil where the ground is no globe.
static int world_from_lonlat(lua_State *L) {
    const lf_script *script = lf__script_of(L);
    lf_geodetic place = {luaL_checknumber(L, 1), luaL_checknumber(L, 2), luaL_optnumber(L, 3, 0)};
    if (!script->on_globe)
        return push_none(L);
    if (!(fabs(place.lat_deg) <= 90) || !isfinite(place.lon_deg) || !isfinite(place.height))
        return luaL_error(
            L, "longitude %f, latitude %f, height %f: expected finite numbers, latitudes within 90",
            place.lon_deg, place.lat_deg, place.height);
    push_vector(L, lf_pose_to_local(&script->place, lf_ellipsoid_to_centred(&script->ellipsoid, place)));
    return 3;
}

void lf__script_open_questions(lua_State *L) {
    static const luaL_Reg functions[] = {{"height", ask_world_height},
                                         {"place", ask_world_place},
                                         {"locale", ask_world_locale},
                                         {"ray", ask_world_ray},
                                         {"sight", ask_world_sight},
                                         {"sweep", ask_world_sweep},
                                         {"walk", ask_world_walk},
                                         {"stand", ask_world_stand},
                                         {"viewshed_count", ask_world_viewshed_count},
                                         {"to_lonlat", world_to_lonlat},
                                         {"from_lonlat", world_from_lonlat},
                                         {NULL, NULL}};
    lua_getglobal(L, "world");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
