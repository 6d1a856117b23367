local o = world.object{ name = "o", parameters = { n = 2 }, build = function(top, p)
    for i = 1, p.n do top:add{ shape = "box", size = { i, 1, 1 }, at = { i, 0, 0 }, tag = "t", label = "l" .. i } end
end }
local a, b = o:instance{ at = { 0, 0, 5 }, velocity = { 0, 0, -1 } }, o:instance{ parameters = { n = 3 }, scale = { 1, 2, 3 } }
local g = world.ground{ columns = 3, rows = 3, step = 5, origin = { -5, -5 }, height = function(x, y) return x - y end }
world.watch{ a = a, b = b, ahead = 2, level = "model", stay = true, on = function(e) e.a:colour(1, 0, 0) end }
world.watch{ a = { tag = "t" }, b = g, ahead = 1, on = function(e) world.send("x", e) end }
world.watch{ a = b, b = "nothing", own_parts = true }
world.on("x", function(e) b:part("l1"):turn(0, 0, 1, 0.1, "each") b:part("l2"):remove() end)
world.on("tick", function(t, dt) a:turn(1, 0, 0, 0.1) a:scale(1.1, 1, 1) b:follow(g, { base = 1, track = 1 }) end)
world.eye{ at = { 1, 2, 3 }, to = { 0, 0, 0 } }
print(world.ray(0, 0, 9, 0, 0, -1))
