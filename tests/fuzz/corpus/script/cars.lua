-- Cars on hills. Each drives along its lane and brakes before it runs into the one ahead; brake lights come and go, and bodies dip.

local function hills(x, y)
    return 4 * math.sin(x / 31) * math.cos(y / 27) + 2 * math.sin(x / 11 + y / 17)
end

local land = world.ground{ columns = 161, rows = 61, step = 2, origin = { -20, -60 }, height = hills }

local car = world.object{ name = "car", parameters = { length = 4.2 },
    build = function(top, p)
        local l = p.length
        top:tag("car")
        top:add{ label = "body", parts = {
            { shape = "box", size = { l, 1.8, 0.7 }, at = { 0, 0, 0.75 } },
            { shape = "path", label = "cabin", vertices = { { -1.2, 0, 1.1 }, { 1.2, 0, 1.1 }, { 0.6, 0, 1.7 }, { -0.9, 0, 1.7 } } },
            { shape = "box", size = { 0.5 * l, 1.5, 0.6 }, at = { -0.2, 0, 1.4 }, colour = { 0.3, 0.4, 0.5 } } } }
        for _, x in ipairs{ -0.32 * l, 0.32 * l } do
            for _, y in ipairs{ -0.85, 0.85 } do
                top:add{ shape = "cylinder", radius = 0.38, size = { 1, 1, 0.25 }, tag = "wheel", colour = { 0.12, 0.12, 0.12 },
                         transforms = { { "turn", 1, 0, 0, math.pi / 2 } }, at = { x, y, 0.38 } }
            end
        end
    end }

local cars = {} -- a list, and each one's record by its handle

local function put_car(x, y, speed, colour, length)
    local c = car:instance{ at = { x, y, hills(x, y) }, colour = colour, motion = "measured", steps = 3,
                            parameters = { length = length } }
    c:follow(land, { base = 2.7, track = 1.7 })
    local record = { handle = c, speed = speed, wish = speed }
    cars[#cars + 1] = record
    cars[c] = record
end

put_car(0, -10, 14, { 0.85, 0.2, 0.15 }, 4.2)
put_car(40, -10, 6, { 0.2, 0.45, 0.8 }, 5.5)
put_car(75, -10, 3, { 0.9, 0.75, 0.2 }, 4.2)
put_car(0, 6, 10, { 0.3, 0.65, 0.3 }, 3.6)
put_car(60, 6, 4, { 0.9, 0.9, 0.9 }, 7)

-- A light that is there only while its car brakes.
local function brake_light(c, on)
    local light = c.handle:part("brake")
    if on and not light then
        c.handle:top():add{ shape = "box", size = { 0.1, 1.6, 0.2 }, at = { -2.2, 0, 1 }, label = "brake", colour = { 1, 0.1, 0.05 } }
    elseif not on and light then
        light:remove()
    end
end

world.watch{ a = { tag = "car" }, b = { tag = "car" }, ahead = 3, slack = 0.4, on = function(e)
    -- The one behind is the one that has to slow down.
    local a, b = cars[e.a:instance()], cars[e.b:instance()]
    local behind = a.handle:position() < b.handle:position() and a or b
    local ahead = behind == a and b or a
    if e.kind == "predicted" then
        behind.limit = ahead
        brake_light(behind, true)
    elseif e.kind == "cleared" then
        behind.limit = nil
        brake_light(behind, false)
    elseif e.kind == "begin" then
        error("a crash")
    end
end }

world.on("tick", function(time, dt)
    for _, c in ipairs(cars) do
        local goal = c.limit and 0.85 * c.limit.speed or c.wish
        local change = math.max(-8 * dt, math.min(2 * dt, goal - c.speed))
        c.speed = c.speed + change
        local x, y, z = c.handle:position()
        c.handle:move(c.speed * dt, 0, 0)
        c.handle:part("body"):reset{ transforms = { { "turn", 0, 1, 0, -0.4 * change / dt / 60 } } }
    end
    for _, wheel in ipairs(world.tagged("wheel")) do
        wheel:turn(0, 1, 0, 0.3, "each")
    end
end)

world.eye{ at = { 22, -55, 22 }, to = { 58, -2, 0 }, across = math.rad(52), upright = math.rad(34) }
