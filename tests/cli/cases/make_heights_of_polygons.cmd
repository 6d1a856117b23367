landfall make park -o park.tif
