printf '1 1 1\n2 2 north\n' | landfall height diamond.ply --gravity 0,-1,0
