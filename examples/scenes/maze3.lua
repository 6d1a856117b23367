-- The maze on three floors, 20 m apart: three times the 82 things of maze.lua, which is repeated below.

local FLOORS = 3

-- A maze of 82 things, a floor and 81 walls of 4.5 x 4.5 x 0.3 m, and a walker who goes round in it. A wall that the walker would
-- bump into within half a second lights up and opens like a door.

local SIDE, WALL, THICK, CELLS = 36.6, 4.5, 0.3, 8

local floor = world.object{ name = "floor", parts = {
    { shape = "box", size = { SIDE, SIDE, THICK }, at = { SIDE / 2, SIDE / 2, -THICK / 2 }, colour = { 0.62, 0.58, 0.5 } } } }

-- A wall hangs on its left edge, so that it can open.
local wall = world.object{ name = "wall", parts = {
    { shape = "box", size = { WALL, THICK, WALL }, at = { WALL / 2, 0, WALL / 2 }, label = "leaf", tag = "wall" } } }

local function put_maze(level)
    local count, z = 0, level * 20
    floor:instance{ at = { 0, 0, z } }
    -- The outer walls, two edges at a time, then inner ones by a rule that leaves a way through.
    local function put(x, y, turned)
        if count == 81 then return end
        count = count + 1
        wall:instance{ at = { x, y, z }, turn = { 0, 0, 1, turned and math.pi / 2 or 0 },
                       colour = { 0.55 + 0.05 * ((x + y) // WALL % 4), 0.6, 0.7 } }
    end
    for i = 0, CELLS - 1 do
        put(0.3 + i * WALL, 0.3, false)
        put(0.3 + i * WALL, 0.3 + CELLS * WALL, false)
        put(0.3, 0.3 + i * WALL, true)
        put(0.3 + CELLS * WALL, 0.3 + i * WALL, true)
    end
    for ring = 1, 3 do -- a spiral of walls towards the middle
        for i = ring, CELLS - 1 - ring do
            put(0.3 + i * WALL, 0.3 + ring * WALL, false)
            put(0.3 + i * WALL, 0.3 + (CELLS - ring) * WALL, false)
            if i > ring then put(0.3 + ring * WALL, 0.3 + i * WALL, true) end
            put(0.3 + (CELLS - ring) * WALL, 0.3 + i * WALL, true)
        end
    end
    for i = 0, CELLS - 1 do -- and crosswise ones, until there are 81
        for j = 0, CELLS - 1 do
            if (i + 2 * j) % 5 == 0 then put(0.3 + i * WALL, 0.3 + j * WALL, (i + j) % 2 == 0) end
        end
    end
end

for level = 0, (FLOORS or 1) - 1 do put_maze(level) end

local walker = world.object{ name = "walker", parts = {
    { shape = "cylinder", radius = 0.35, size = { 1, 1, 1.4 }, at = { 0, 0, 0.7 }, colour = { 0.8, 0.3, 0.2 } },
    { shape = "sphere", radius = 0.25, at = { 0, 0, 1.65 }, colour = { 0.95, 0.8, 0.65 }, label = "head" } } }
local me = walker:instance{ at = { 2.5, 2.5, 0 }, motion = "measured", steps = 2 }

local open = {}

world.watch{ a = me, b = { tag = "wall" }, ahead = 0.5, on = function(e)
    local leaf = e.b
    if e.kind == "predicted" then
        leaf:colour(1, 0.75, 0.2)
        if not open[leaf] then
            open[leaf] = true
            leaf:turn(0, 0, 1, 1.4)        -- a door swings about the edge it hangs on
            leaf:scale(1, 1, 0.98)
        end
    elseif e.kind == "begin" then
        leaf:colour(0.9, 0.2, 0.15)
    elseif e.kind == "end" then
        leaf:colour(0.4, 0.8, 0.4)
    end
end }

-- The walker goes half a metre a step, and turns by six degrees at a time.
local heading, wanted = 0, 0
world.on("tick", function(time, dt)
    local x, y, z = me:position()
    local speed = 10 * dt
    if x > SIDE - 3 and heading < math.pi / 4 then wanted = math.pi / 2 end
    if y > SIDE - 3 and wanted == math.pi / 2 then wanted = math.pi end
    if x < 3 and wanted == math.pi then wanted = 3 * math.pi / 2 end
    if heading < wanted then heading = math.min(wanted, heading + math.rad(6)) end
    me:move(speed * math.cos(heading), speed * math.sin(heading), 0)
    me:part("head"):turn(0, 0, 1, 0.1)
end)

local high = (FLOORS or 1) > 1
world.eye{ at = high and { -30, -45, 85 } or { -8, -14, 30 }, to = high and { 18, 18, 20 } or { 17, 15, 0 },
           across = math.rad(50), upright = math.rad(36) }
