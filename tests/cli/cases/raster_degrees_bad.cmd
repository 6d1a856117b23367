landfall ray coast.asc --from 12.1,57.7,500 --dir 0,0,-1
echo '12.1 57.7 500 0 0 -1' | landfall ray coast.asc --directions
landfall walk coast.asc --from 12.1,57.7 --to 12.2,57.7 --step 1
landfall place coast.asc --at 12.1,57.7 --wheels 3,2
landfall shadow coast.asc --at 12.1,57.7 --light 1,0,-1
landfall ray valley.asc --ground-crs EPSG:3006 --crs EPSG:4326 --from 1,2,3 --dir 1,0,0
