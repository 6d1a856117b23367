-- A room with things that fly about in it. They bounce off the walls, light up where they touch, and grow a little at each bump
-- until they burst into two smaller ones.

local SIDE, HEIGHT = 20, 8

local wall = world.object{ name = "wall", parameters = { x = 1, y = 1, z = 1 },
    build = function(top, p)
        top:add{ shape = "box", size = { p.x, p.y, p.z }, tag = "wall" }
    end }

local function put_wall(x, y, z, sx, sy, sz, colour)
    return wall:instance{ at = { x, y, z }, parameters = { x = sx, y = sy, z = sz }, colour = colour }
end

local grey, blue = { 0.75, 0.75, 0.72 }, { 0.55, 0.62, 0.75 }
put_wall(0, 0, -0.2, SIDE, SIDE, 0.4, { 0.5, 0.45, 0.4 })
put_wall(0, 0, HEIGHT + 0.2, SIDE, SIDE, 0.4, { 1, 1, 1, 0 })
put_wall(-SIDE / 2, 0, HEIGHT / 2, 0.4, SIDE, HEIGHT, blue)
put_wall(SIDE / 2, 0, HEIGHT / 2, 0.4, SIDE, HEIGHT, { 1, 1, 1, 0.1 })
put_wall(0, -SIDE / 2, HEIGHT / 2, SIDE, 0.4, HEIGHT, { 1, 1, 1, 0.1 })
put_wall(0, SIDE / 2, HEIGHT / 2, SIDE, 0.4, HEIGHT, grey)

-- A flyer is a body with two wings that flap, and a nose.
local flyer = world.object{ name = "flyer", parameters = { radius = 0.5 },
    build = function(top, p)
        local r = p.radius
        top:tag("flyer")
        top:add{ shape = "sphere", radius = r, label = "body" }
        top:add{ shape = "rectangle", size = { r, 2.4 * r, 1 }, at = { 0, 1.8 * r, 0 }, label = "left", tag = "wing",
                 colour = { 0.95, 0.95, 0.85 } }
        top:add{ shape = "rectangle", size = { r, 2.4 * r, 1 }, at = { 0, -1.8 * r, 0 }, label = "right", tag = "wing",
                 colour = { 0.95, 0.95, 0.85 } }
        top:add{ shape = "cylinder", radius = 0.25 * r, size = { 1, 1, 0.8 * r }, label = "nose",
                 transforms = { { "turn", 0, 1, 0, math.pi / 2 } }, at = { 1.2 * r, 0, 0 } }
    end }

local bumps = {} -- of each flyer

local function put_flyer(at, velocity, radius, colour)
    local f = flyer:instance{ at = at, velocity = velocity, spin = { 0, 0, 0.6 },
                              parameters = { radius = radius }, colour = colour }
    bumps[f] = 0
    return f
end

for i = 0, 5 do
    local turn = i * math.pi / 3
    put_flyer({ 4 * math.cos(turn), 4 * math.sin(turn), 2 + 0.7 * i },
              { -5 * math.sin(turn), 5 * math.cos(turn), 1.5 - 0.6 * i }, 0.5,
              { 0.9 - 0.12 * i, 0.35, 0.2 + 0.12 * i })
end

-- Which way a flyer leaves a box: through the side that it is in the least.
local function bounce(f, other)
    local ax, ay, az, bx, by, bz = f:box()
    local cx, cy, cz, dx, dy, dz = other:box()
    local vx, vy, vz = f:velocity()
    local px, py, pz = math.min(bx - cx, dx - ax), math.min(by - cy, dy - ay), math.min(bz - cz, dz - az)
    if px <= py and px <= pz then
        vx = (ax + bx < cx + dx) and -math.abs(vx) or math.abs(vx)
    elseif py <= pz then
        vy = (ay + by < cy + dy) and -math.abs(vy) or math.abs(vy)
    else
        vz = (az + bz < cz + dz) and -math.abs(vz) or math.abs(vz)
    end
    f:motion("carried", { vx, vy, vz }, { 0, 0, 0.6 })
end

local function burst(f)
    local x, y, z = f:position()
    local vx, vy, vz = f:velocity()
    bumps[f] = nil
    f:remove()
    put_flyer({ x, y, z }, { vy, -vx, vz }, 0.3, { 1, 0.8, 0.2 })
    put_flyer({ x, y, z }, { -vy, vx, -vz }, 0.3, { 0.2, 0.8, 1 })
end

world.watch{ a = { tag = "wall" }, ahead = 0.4, on = function(e)
    if e.kind ~= "predicted" and e.kind ~= "begin" then return end -- what has burst is gone by its end
    local hit = e.b:instance()
    if not bumps[hit] then return end
    if e.kind == "predicted" then
        hit:colour(1, 0.9, 0.3)
    elseif e.kind == "begin" then
        bounce(hit, e.a)
        bumps[hit] = bumps[hit] + 1
        hit:scale(1.06, 1.06, 1.06)
        hit:colour(0.9, 0.25, 0.2)
        if bumps[hit] == 6 then world.send("burst", hit) end
    end
end, b = { tag = "flyer" } }

world.on("burst", burst)

world.on("tick", function(time)
    for f in pairs(bumps) do
        if not f:top():find("body") then error("a flyer without a body") end
        local lift = 0.5 * math.sin(12 * time)
        f:part("left"):reset{ transforms = { { "turn", 1, 0, 0, lift } }, at = { 0, 0.9, 0 } }
        f:part("right"):reset{ transforms = { { "turn", 1, 0, 0, -lift } }, at = { 0, -0.9, 0 } }
    end
end)

world.eye{ at = { 16, -22, 13 }, to = { 0, 0, 3 }, across = math.rad(52), upright = math.rad(36) }
