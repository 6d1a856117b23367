landfall height valley.asc --nodata none --at 35,15
landfall height valley.asc --nodata 21 --at 18,18 --at 22,22 --at 20,4
landfall height valley.asc --z-scale -2 --at 5,25
landfall height valley.asc --z-unit ft --at 5,25
landfall height valley.asc --window 1,1,2,2 --at 15,15 --at 5,15
landfall height valley.asc --band 1 --at 5,25
