landfall collide diamond.ply diamond.ply --at-b 3,1,2 --method auto --one
landfall collide diamond.ply diamond.ply --at-b 3,1,2 --method tree --one --json
landfall collide diamond.ply diamond.ply --at-b 12,1,2 --turn-b z,30 --method field --centre mass --layers 1
landfall collide diamond.ply diamond.ply --at-b 12,1,2 --turn-b y,-25 --method field --centre seeing --sectors 2
landfall collide diamond.ply diamond.ply --at-b 12,1,2 --turn-b x,400.5 --method field --centre 1,2,3 --layers 16
landfall collide diamond.ply diamond.ply --at-b 30,1,2 --distance --digits 2; echo $?
landfall collide diamond.ply diamond.ply --at-b 30,1,2 --margin 9.9 --method shells; echo $?
landfall collide diamond.ply diamond.ply --at-b 30,1,2 --margin 11; echo $?
landfall collide diamond.ply diamond.ply --margin 0 --distance --one
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >inside.obj; landfall collide diamond.ply inside.obj --distance; echo $?
