-- A bird flies through rings, which come from a file. Its watch looks at the shapes as they are: the hole of a ring is a hole. Where the
-- wings would touch, it folds them; where even that is not enough, it flies over the top.

local ring = world.object{ name = "ring", parts = { { shape = "model", file = "ring.obj", tag = "ring" } } }

local rings = {}
local function put_ring(x, size, colour)
    rings[#rings + 1] = ring:instance{ at = { x, 0, 6 }, scale = { 1, size, size }, colour = colour }
end
put_ring(10, 2, { 0.3, 0.6, 0.85 })    -- wide enough for a bird with its wings spread
put_ring(24, 1, { 0.95, 0.75, 0.2 })   -- for one that has folded them
put_ring(38, 0.4, { 0.85, 0.3, 0.25 }) -- for none

local SPAN = 2.4
local bird = world.object{ name = "bird", parts = {
    { shape = "sphere", radius = 0.5, transforms = { { "scale", 1.6, 0.7, 0.6 } }, colour = { 0.9, 0.9, 0.95 }, label = "body" },
    { shape = "path", vertices = { { -0.4, 0, 0 }, { 0.5, 0, 0 }, { 0, SPAN, 0 }, { -0.5, SPAN, 0 } }, label = "left" },
    { shape = "path", vertices = { { 0.5, 0, 0 }, { -0.4, 0, 0 }, { -0.5, -SPAN, 0 }, { 0, -SPAN, 0 } }, label = "right" } } }
local me = bird:instance{ at = { 0, 0, 6 }, velocity = { 6, 0, 0 }, colour = { 0.45, 0.5, 0.62 } }

local folded, height = false, 6 -- are the wings folded, and how high it wants to be
local danger, since             -- the ring that it would touch, and since when that has been predicted

-- Wings change their shape: their tips are vertices.
local function wings(span)
    local out = 0.35
    me:part("left"):vertex(3, -out, span, 0)
    me:part("left"):vertex(4, -out - 0.5, span, 0)
    me:part("right"):vertex(3, -out - 0.5, -span, 0)
    me:part("right"):vertex(4, -out, -span, 0)
    folded = span < SPAN
end

world.watch{ a = me, b = { tag = "ring" }, level = "model", ahead = 1.2, on = function(e)
    if e.kind == "predicted" then
        world.say(string.format("the wings would touch in %.2f s: fold", e.wait))
        wings(0.9)
        danger, since = e.b, world.time()
    elseif e.kind == "cleared" then
        danger = nil
    elseif e.kind == "begin" then
        error("the bird hit a ring")
    end
end }

world.on("tick", function(time, dt)
    local x, y, z = me:position()
    local behind = 0 -- the ring that was passed last
    for _, r in ipairs(rings) do
        local low, _, _, high = r:box()
        if x > high + 2 then behind = high end
    end
    if folded and behind > 0 and x < behind + 3 then wings(SPAN) end
    if danger and time > since + 0.1 then -- folding was not enough
        local _, _, _, _, _, top = danger:box()
        height = top + 0.8
    end
    me:motion("carried", { 6, 0, z < height and 5 or 0 })
    world.eye{ at = { x - 7, -7, 11 }, to = { x + 8, 1, 5 } }
    if x > 46 then world.stop() end
end)

world.eye{ at = { -7, -7, 11 }, to = { 8, 1, 5 }, across = math.rad(62), upright = math.rad(40) }
