local box = world.object{ name = "box" }
world.on("tick", function(time)
    if time > 0.2 then box:fly() end
end)
