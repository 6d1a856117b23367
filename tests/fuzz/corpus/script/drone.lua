-- A drone flies over a valley towards a mountain, feels the ground three seconds ahead, and pulls up before it. Its rotors turn, and its
-- landing gear comes out when the ground is near.

local function mountain(x, y)
    local near = math.exp(-((x - 420) ^ 2 + (y - 20) ^ 2) / 20000)
    return 160 * near + 12 * math.sin(x / 50) * math.sin(y / 60) + 6 * math.cos(x / 23 + y / 31)
end

local land = world.ground{ columns = 161, rows = 81, step = 5, origin = { -50, -200 }, height = mountain }

local drone = world.object{ name = "drone", parts = {
    { shape = "box", size = { 3, 2, 0.8 }, colour = { 0.9, 0.4, 0.15 } },
    { shape = "sphere", radius = 0.6, at = { 1.4, 0, -0.4 }, colour = { 0.2, 0.25, 0.3 }, label = "camera" },
    { label = "rotors", parts = {
        { shape = "box", size = { 3.4, 0.3, 0.1 }, at = { 2, 2, 0.6 }, tag = "rotor" },
        { shape = "box", size = { 3.4, 0.3, 0.1 }, at = { 2, -2, 0.6 }, tag = "rotor" },
        { shape = "box", size = { 3.4, 0.3, 0.1 }, at = { -2, 2, 0.6 }, tag = "rotor" },
        { shape = "box", size = { 3.4, 0.3, 0.1 }, at = { -2, -2, 0.6 }, tag = "rotor" } } } } }

local me = drone:instance{ at = { 120, 0, 40 }, velocity = { 30, 0, 0 } }
local climb, warned = 0, false

world.watch{ a = me, b = land, ahead = 3, on = function(e)
    if e.kind == "predicted" then
        if not warned then world.say(string.format("ground in %.2f s: pull up", e.wait)) end
        warned = true
        climb = 18
        me:colour(0.95, 0.1, 0.1)
        if not me:part("gear") then
            me:top():add{ label = "gear", parts = {
                { shape = "cylinder", radius = 0.12, size = { 1, 1, 1.6 }, at = { 1, 0.8, -1 } },
                { shape = "cylinder", radius = 0.12, size = { 1, 1, 1.6 }, at = { 1, -0.8, -1 } },
                { shape = "cylinder", radius = 0.12, size = { 1, 1, 1.6 }, at = { -1, 0, -1 } } } }
        end
    elseif e.kind == "cleared" then
        climb = 0
        me:colour(0.9, 0.4, 0.15)
        local gear = me:part("gear")
        if gear then gear:remove() end
    elseif e.kind == "begin" then
        error("the drone hit the ground")
    end
end }

world.on("tick", function(time, dt)
    local vx, vy, vz = me:velocity()
    vz = vz + math.max(-12 * dt, math.min(12 * dt, climb - vz))
    me:motion("carried", { vx, vy, vz })
    for _, rotor in ipairs(world.tagged("rotor")) do rotor:turn(0, 0, 1, 0.9, "each") end
    local x, y, z = me:position()
    world.eye{ at = { x - 35, y - 45, z + 22 }, to = { x + 25, y, z } }
    if x > 700 then world.stop() end
end)

world.eye{ at = { 85, -45, 62 }, to = { 145, 0, 40 }, across = math.rad(58), upright = math.rad(38) }
