landfall make park -o park.ply
for cut in vertex balanced cost area; do landfall info park.ply --quadtree --cut $cut | awk '/default/ { print $3, $5 }'; done
landfall info park.ply --quadtree --turn --gravity=0.3,0.3,-1 | awk '/default/ { print $3, $5 }'
