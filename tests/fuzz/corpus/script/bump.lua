-- A box flies into a wall, and bounces once.
local box = world.object{ name = "box", parts = { { shape = "box", size = { 1, 1, 1 }, label = "cube" } } }
local wall = box:instance{ at = { 4, 0, 0 } }
local me = box:instance{ velocity = { 2, 0, 0 } }
world.watch{ a = me, b = wall, ahead = 1, on = function(e)
    if e.kind == "begin" then
        world.say("bump", e.time)
        me:motion("carried", { -2, 0, 0 })
        me:part("cube"):scale(1, 1, 0.5)
    end
end }
