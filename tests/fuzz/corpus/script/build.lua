local o = world.object{ parameters = { n = 1 }, build = function(top, p) for i = 1, p.n do top:add{ shape = 'box', label = 'b' .. i } end end }
o:instance{ parameters = { n = 1e308 } }
