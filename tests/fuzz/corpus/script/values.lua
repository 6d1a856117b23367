local function more(n, ...) if n == 0 then return select('#', ...) end return more(n - 1, 1, 2, 3, ...) end
world.on('tick', function() while true do more(30) print(math.max(table.unpack({ 1, 2, 3 }))) end end)
