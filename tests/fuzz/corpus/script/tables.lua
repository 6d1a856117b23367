local t = {} for i = 1, 9000 do t[i] = i end for i = 1, 9000 do t[i] = nil end
world.on('tick', function() while true do next(t) for k, v in pairs(t) do end table.sort({ 3, 1, 2 }) table.insert(t, 1.0, 'x') end end)
