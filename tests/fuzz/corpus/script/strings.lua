local s = string.rep('x', 6000) local z = string.rep('\0', 6000)
world.on('tick', function() while true do local x = s .. 'a' == s .. 'b' or z < z or s:lower() == s:reverse()
x = tonumber(s:sub(2)) or string.format('%s%99s%.99f%q', s:upper(), 'a', 1e308, 'b') end end)
