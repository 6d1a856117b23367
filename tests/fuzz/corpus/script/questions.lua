local g = world.ground{ columns = 5, rows = 5, step = 3, height = function(x, y) return x * y / 9 end }
local o = world.object{ parts = { { shape = "sphere", radius = 2 }, { shape = "box", size = 3, at = { 4, 0, 0 } } } }
local i = o:instance{ at = { 5, 5, 5 } }
print(world.height(5, 5), world.height(5, 5, 3, { objects = false }), world.height(1e300, -1e300))
print(world.place(5, 5), world.locale(5, 5, 5), world.ray(0, 0, 50, 1, 1, -9), world.ray(0, 0, 50, 0, 0, 1, { ground = false }))
print(world.sight(0, 0, 9, 9, 9, 9), world.sweep(0, 0, 9, 1, 9, 9, -9, { layers = 1 }), world.walk(0, 0, 9, 9, 9, 9, 1))
print(world.stand(5, 5, 9, 1, 2, 1), world.to_lonlat(0, 0, 0), world.from_lonlat(1, 2, 3))
print(world.viewshed_count{ at = { 5, 5, 20 }, origin = { 0, 0 }, step = 1, columns = 9, rows = 9, target = 1 })
world.on("tick", function() i:move(0, 0, -1) print(world.height(5, 5)) i:remove() print(world.height(5, 5)) end)
