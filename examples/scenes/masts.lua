-- Masts in a row across whatever ground there is, and a balloon that drifts towards the highest and rises over it:
--   landfall scene run masts.lua --ground hills.tif
--   landfall render hills.tif --scene masts.lua --steps 40 -o masts.png

local land = world.land() or error("this world needs ground: --ground FILE")
local x0, y0, z0, x1, y1, z1 = land:box()
local wide = x1 - x0
local tall = 0.04 * wide -- of a mast

local mast = world.object{ name = "mast", parts = {
    { shape = "cylinder", radius = 0.04 * tall, size = { 1, 1, tall }, at = { 0, 0, 0.5 * tall }, colour = { 0.85, 0.2, 0.15 } },
    { shape = "sphere", radius = 0.15 * tall, at = { 0, 0, tall }, colour = { 0.95, 0.95, 0.9 } } } }

local top, place = -math.huge, nil
for i = 1, 9 do
    local x, y = x0 + wide * i / 10, (y0 + y1) / 2
    local z = land:height(x, y)
    if z then
        mast:instance{ at = { x, y, z } }
        if z > top then top, place = z, { x, y, z + tall } end
    end
end
if not place then error("there is no ground along the middle") end

local balloon = world.object{ name = "balloon", parts = {
    { shape = "sphere", radius = 0.5 * tall, colour = { 0.2, 0.5, 0.9, 0.6 } } } }:instance{
    at = { place[1] - 5 * tall, place[2], place[3] }, velocity = { 0.5 * tall, 0, 0 }, motion = "carried" }

world.watch{ a = balloon, b = "anything", ahead = 4, on = function(e)
    if e.kind == "predicted" then balloon:motion("carried", { 0.5 * tall, 0, 0.4 * tall }) end
end }
