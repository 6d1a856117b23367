-- Crates on the ground of the world that names this scene, and a pane of glass in layer 2.
local land = world.land()
local crate = world.object{ name = "crate", parts = { { shape = "box", size = { 4, 4, 6 } } } }
local pane = world.object{ name = "pane", parts = { { shape = "box", size = { 0.1, 30, 20 }, layers = 2 } } }
for i = 0, 4 do
    local x, y = 30 + 12 * i, 60
    crate:instance{ at = { x, y, land:height(x, y) + 3 } }
end
pane:instance{ at = { 150, 60, land:height(150, 60) + 10 } }
