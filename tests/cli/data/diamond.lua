-- A pebble flies past a diamond, which comes from a file.
local gem = world.object{ name = "gem", parts = { { shape = "model", file = world.setting("file", "diamond.ply") } } }
local stone = world.object{ name = "pebble", parts = { { shape = "box", size = 1 } } }
local pebble = stone:instance{ at = { -20, world.setting("y", 0), 8 }, velocity = { 10, 0, 0 } }
world.watch{ a = pebble, b = gem:instance(), level = world.setting("level", "model"), ahead = 1 }
