landfall scene run bump.lua --steps 4 --frames pictures --every 2 -q && ls pictures
landfall scene run bump.lua --steps 0 --frames fine --fine -q && ls fine
