landfall collide diamond.ply yard.obj --turn-b x,90 --at-b 0,0,-4
landfall collide diamond.ply yard.obj --turn-b x,90 --at-b 0,0,-4 --method field --sectors 4
landfall collide diamond.ply yard.obj --turn-b x,90 --at-b 0,0,-4 --method shells
landfall collide diamond.ply yard.obj --turn-b x,90 --at-b 0,0,-4 --method tree --json
