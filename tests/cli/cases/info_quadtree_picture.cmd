landfall info yard.obj --quadtree -o q.png --width 300 >/dev/null && od -An -tu1 -j1 -N3 q.png && od -An -tu1 -j16 -N8 q.png
landfall info yard.obj --quadtree -o q.png --width 300 --axis=5,5,-20,1,0,0,in >/dev/null && od -An -tu1 -j16 -N4 q.png
landfall info yard.obj --quadtree -o nowhere/q.png
