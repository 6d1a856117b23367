landfall horizon ridge.asc
landfall horizon ridge.asc --at 5,35 --sky 8 -o out.tif
landfall horizon ridge.asc --at 5,35 --step 0
landfall horizon ridge.asc --at 5,35 --step 5 --azimuth 5
landfall horizon ridge.asc --at 5,35 --azimuth north
landfall horizon ridge.asc --at 5,35 -o out.tif
landfall horizon ridge.asc --at 5,35 --range 0
landfall horizon ridge.asc --at 75,65
landfall horizon ridge.asc --map 90
landfall horizon ridge.asc --map 90,east -o out.tif
landfall horizon ridge.asc --map 90 --step 4 -o out.tif
landfall horizon ridge.asc --sky 0 -o out.tif
landfall horizon yard.obj --at 5,35
ls out* 2>/dev/null
