landfall info yard.obj --quadtree --cut diagonal
landfall info yard.obj --quadtree -o q.jpg
landfall info yard.obj -o q.png
landfall info yard.obj --cut cost
landfall info yard.obj --quadtree --width 300
landfall info yard.obj --quadtree -o q.png --width 3
ls q.png q.jpg 2>/dev/null
