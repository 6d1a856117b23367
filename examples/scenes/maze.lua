-- A maze of 82 things, a floor of 36.6 m and 81 walls of 4.5 x 4.5 x 0.3 m, and somebody who walks in it from a corner to the middle. The only
-- sense is the watch: where a wall would be run into within a fifth of a second, it lights up, gets a sign, and the walker turns left.
--
--   landfall scene run maze.lua --steps 800
--   landfall scene run maze.lua --steps 800 --set floors=3              three such floors, 80 m apart
--   landfall scene run maze.lua --steps 800 --set view=walker --frames pictures

local FLOORS = world.setting("floors", 1)
local VIEW = world.setting("view", "above")
local SIDE, WALL, THICK, CELLS, APART = 36.6, 4.5, 0.3, 8, 80
if FLOORS < 1 or FLOORS > 9 then error("floors wants 1 to 9") end
if VIEW ~= "above" and VIEW ~= "walker" then error("view wants above or walker") end

local floor = world.object{ name = "floor", parts = {
    { shape = "box", size = { SIDE, SIDE, THICK }, at = { SIDE / 2, SIDE / 2, -THICK / 2 }, colour = { 0.62, 0.58, 0.5 } } } }
local wall = world.object{ name = "wall", parts = {
    { shape = "box", size = { WALL, THICK, WALL }, at = { WALL / 2, 0, WALL / 2 }, label = "leaf", tag = "wall" } } }

-- The way: from cell to cell, straight on as long as there is a new one, then left. It passes all 64.
local function way_through()
    local number, x, y, dx, dy = {}, 0, 0, 1, 0
    for i = 0, CELLS * CELLS - 1 do
        number[x .. "," .. y] = i
        local nx, ny = x + dx, y + dy
        if nx < 0 or ny < 0 or nx >= CELLS or ny >= CELLS or number[nx .. "," .. ny] then dx, dy = -dy, dx end
        x, y = x + dx, y + dy
    end
    return number
end
local number = way_through()

-- Cells that do not follow each other have a wall between them, and the border has one all round: 32 + 49.
local function put_floor(z)
    local function put(i, j, turned)
        local shade = 0.55 + 0.05 * ((i + j) % 4)
        wall:instance{ at = { THICK + i * WALL, THICK + j * WALL, z }, turn = { 0, 0, 1, turned and math.pi / 2 or 0 },
                       colour = { shade, 0.6, 0.7 } }
    end
    local function apart(a, b) return not a or not b or math.abs(a - b) ~= 1 end
    floor:instance{ at = { 0, 0, z } }
    for i = 0, CELLS do
        for j = 0, CELLS do
            local here = number[i .. "," .. j]
            if i < CELLS and apart(here, number[i .. "," .. j - 1]) then put(i, j, false) end
            if j < CELLS and apart(here, number[i - 1 .. "," .. j]) then put(i, j, true) end
        end
    end
end
for level = 0, FLOORS - 1 do put_floor(level * APART) end

local walker = world.object{ name = "walker", parts = {
    { shape = "cylinder", radius = 0.35, size = { 1, 1, 1.4 }, at = { 0, 0, 0.7 }, colour = { 0.8, 0.3, 0.2 } },
    { shape = "sphere", radius = 0.25, at = { 0, 0, 1.65 }, colour = { 0.95, 0.8, 0.65 } },
    { shape = "cylinder", radius = 0.12, size = { 1, 1, 0.3 }, transforms = { { "turn", 0, 1, 0, math.pi / 2 } },
      at = { 0.3, 0, 1.65 }, colour = { 0.9, 0.5, 0.2 } } } }

local records = {} -- of walkers: by number, and by handle
for level = 0, FLOORS - 1 do
    local middle = THICK + WALL / 2
    local me = walker:instance{ at = { middle, middle, level * APART }, motion = "measured" }
    local record = { handle = me, heading = 0, turns = 0, walked = 0 }
    records[#records + 1] = record
    records[me] = record
end

-- A sign on a wall that has been met: an arrow to the left, on the side that the walker comes from. A wall runs along its own x axis.
local function put_sign(leaf, quarter)
    local along = quarter == 0 or quarter == 3 -- left is the way that the wall runs
    leaf:colour(1, 0.75, 0.2)
    leaf:instance():top():add{ label = "sign", shape = "path", colour = { 0.1, 0.35, 0.2 },
        vertices = { { -1, -0.3, 0 }, { 0, -0.3, 0 }, { 0, -0.8, 0 }, { 1, 0, 0 }, { 0, 0.8, 0 }, { 0, 0.3, 0 }, { -1, 0.3, 0 } },
        transforms = { { "turn", 1, 0, 0, math.pi / 2 }, { "turn", 0, 0, 1, along and 0 or math.pi } },
        at = { WALL / 2, along and 0.2 or -0.2, 2.2 } }
end

for _, me in ipairs(records) do
    world.watch{ a = me.handle, b = { tag = "wall" }, ahead = 0.2, on = function(e)
        if e.kind == "predicted" then
            if me.walked < WALL / 2 and me.turns > 1 then
                world.say(string.format("arrived after %d turns", me.turns - 1))
                me.arrived = true
                return
            end
            if not e.b:instance():part("sign") then put_sign(e.b, me.turns % 4) end
            me.turns, me.turning, me.walked = me.turns + 1, 15, 0
        elseif e.kind == "begin" then
            error("the walker ran into a wall")
        end
    end }
end

-- Half a metre a step, or a turn of six degrees.
local function walk(me)
    if me.turning then
        me.handle:turn(0, 0, 1, math.rad(6))
        me.turning = me.turning > 1 and me.turning - 1 or nil
    else
        local heading = me.turns * math.pi / 2
        me.handle:move(0.5 * math.cos(heading), 0.5 * math.sin(heading), 0)
        me.walked = me.walked + 0.5
    end
end

world.on("tick", function()
    local going = 0
    for _, me in ipairs(records) do
        if not me.arrived then
            walk(me)
            going = going + 1
        end
    end
    if VIEW == "walker" then
        local x, y, z = records[1].handle:position()
        local hx, hy = records[1].handle:heading()
        world.eye{ at = { x + 0.5 * hx, y + 0.5 * hy, z + 2 }, to = { x + hx, y + hy, z + 2 } }
    end
    if going == 0 then world.stop() end
end)

if VIEW == "walker" then
    world.eye{ at = { 2.5, 2.5, 2 }, to = { 3.5, 2.5, 2 }, across = math.rad(110), upright = math.rad(80) }
elseif FLOORS > 1 then
    local high = (FLOORS - 1) * APART
    world.eye{ at = { -90, -115, 1.4 * high + 60 }, to = { 18, 18, 0.52 * high }, across = math.rad(32), upright = math.rad(40) }
else
    world.eye{ at = { -11, -20, 45 }, to = { 17, 14.5, 0 }, across = math.rad(50), upright = math.rad(36) }
end
