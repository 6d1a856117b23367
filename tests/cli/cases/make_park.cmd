landfall make park -o park.ply && landfall info park.ply | grep -v bytes
cksum <park.ply
