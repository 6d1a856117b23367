landfall scene run bump.lua --steps 8 --dt 0.25 --json --digits 3
