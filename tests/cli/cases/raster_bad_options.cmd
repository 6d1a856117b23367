landfall height valley.asc --surface round --at 5,5
landfall height valley.asc --encoding base64 --at 5,5
landfall height valley.asc --encoding terrarium --at 5,5
landfall height valley.asc --encoding terrarium --band 2 --at 5,5
landfall height valley.asc --band 2 --at 5,5
landfall height valley.asc --band 0 --at 5,5
landfall height valley.asc --nodata nan --at 5,5
landfall height valley.asc --z-scale 0 --at 5,5
landfall height valley.asc --z-unit cubits --at 5,5
landfall height valley.asc --window 1,2,3 --at 5,5
landfall height valley.asc --window 1,2,3,4.5 --at 5,5
landfall height valley.asc --window 1,2,3,4 --at 5,5
landfall height valley.asc --ground-crs Atlantis --at 5,5 2>&1 | cut -c 1-60
landfall height valley.asc --crs EPSG:4326 --at 5,5
landfall height valley.asc --only hills --at 5,5
landfall height valley.asc --gravity 0,0,1 --at 5,5,5
landfall info valley.asc --quadtree
landfall height yard.obj --band 1 --at 0,0
landfall height yard.obj --crs EPSG:4326 --at 0,0
landfall info yard.obj --pyramid
