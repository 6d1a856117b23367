landfall height yard.obj <points.txt
