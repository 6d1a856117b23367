landfall make -o park.ply
