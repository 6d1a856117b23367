# Edges and corners belong to the ground; on a shared edge the lowest polygon answers.
landfall height yard.obj --all --at 0,0 --at 4,4 --at 10,10 --at 5,4
