landfall make park -o park.xyz
landfall make park -o -
