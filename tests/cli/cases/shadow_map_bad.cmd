landfall shadow ridge.asc -o out.tif
landfall shadow ridge.asc --sun 90,30 --time 2026-06-21 -o out.tif
landfall shadow ridge.asc --sun 90,95 -o out.tif
landfall shadow ridge.asc --sun 90 -o out.tif
landfall shadow ridge.asc --time 2026-06-21T12:00Z -o out.tif
landfall shadow coast.asc --time yesterday -o out.tif
landfall shadow ridge.asc --sun 90,30 --at 5,5 -o out.tif
landfall shadow ridge.asc --sun 90,30 --light 1,2,3 --at 5,5
landfall shadow yard.obj --time 2026-06-21T12:00Z --at 1,1
landfall shadow yard.obj --sun 90,30 -o out.tif
ls out* 2>/dev/null
