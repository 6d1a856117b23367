landfall make park -o nowhere/park.ply
landfall make park -o nowhere/park.png
