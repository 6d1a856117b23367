landfall make parc -o park.ply
