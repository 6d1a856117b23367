cat > own.lua <<'END'
local box = world.object{ name = "box", parts = { { shape = "box", size = { 1, 1, 1 } } } }
local a, b = box:instance{}, box:instance{ at = { 0.5, 0, 0 } }
world.watch{ a = a, b = b, own = function(x, y)
    world.watch{ a = x, b = y }
    return 0
end }
END
landfall scene run own.lua --steps 3; echo $?
sed 's/world.watch{ a = x, b = y }/world.send("met", x)/' own.lua > sent.lua
echo 'world.on("met", function(x) if x == a then x:remove(); a = nil end end)' >> sent.lua
landfall scene run sent.lua --steps 3 --dt 0.5; echo $?
