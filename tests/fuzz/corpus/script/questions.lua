local o = world.object{ parts = { { shape = 'box', label = 'b', tag = 'w' } } }
local i for k = 1, 200 do i = o:instance{ at = { k / 9, 0, 0 } } end
world.watch{ level = 'parts', stay = true, ahead = 1 }
world.on('tick', function() while true do i:move(1, 0, 0) world.ray(0, 0, 9, 0, 0, -1) world.within(0, 0, 0, 9, 9, 9) i:part('none') world.tagged('w') end end)
