landfall scene run bump.lua --steps 4 --frames pictures --every 2 -q && ls pictures
