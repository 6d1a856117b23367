landfall scene run bump.lua --steps 20 --dt 0.25
