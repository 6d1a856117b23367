landfall height coast.asc --at 12.1,57.8 --at 372.1,57.8 --at -347.9,57.8
landfall height coast.asc --crs EPSG:32633 --at 327292.5,6409893.4 --digits 2
landfall height coast.asc --crs EPSG:32633 --at 0,0 --at 1e12,1e12 --digits 2
printf '12.1 57.8 a\n12.3 57.7 b\n' | landfall height coast.asc --crs OGC:CRS84 --json --digits 3
landfall height coast.asc --crs Atlantis --at 1,1 2>&1 | cut -c 1-40
