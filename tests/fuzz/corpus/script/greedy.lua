while true do world.send("x", string.rep("y", 1000)) end
