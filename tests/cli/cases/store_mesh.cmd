landfall build yard.obj -o yard.lf | grep -v 'producer\|bytes'
landfall height yard.obj <points.txt >a; landfall height yard.lf <points.txt | diff a -
landfall shadow yard.obj --light 1,0,-1 --at 2.5,5 >a; landfall shadow yard.lf --light 1,0,-1 --at 2.5,5 | diff a -
landfall export yard.lf -o again.obj && landfall info again.obj | grep polygons
landfall build diamond.ply --as model -o diamond.lf | grep 'holds\|polygons'
landfall collide diamond.lf diamond.ply
landfall height diamond.lf --at 0,0
