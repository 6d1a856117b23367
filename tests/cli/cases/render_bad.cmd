landfall render ridge.asc
landfall render ridge.asc -o view.jpg
landfall render ridge.asc -o nowhere/view.png
landfall render ridge.asc -o view.png --size 64
landfall render ridge.asc -o view.png --size 15,40
landfall render ridge.asc -o view.png --eye 1,2
landfall render ridge.asc -o view.png --eye 35,35,5 --look 35,35,5
landfall render ridge.asc -o view.png --eye 1e308,0,0
landfall render ridge.asc -o view.png --fov 0
landfall render ridge.asc -o view.png --haze 2
landfall render ridge.asc -o view.png --sun 180,-3
landfall render ridge.asc -o view.png --sun 180,30 --time 2026-06-21T12:00Z
landfall render ridge.asc -o view.png --exaggerate 0
landfall render ridge.asc -o view.png --samples 9
landfall render ridge.asc -o view.png --overlay nowhere.tif
landfall render yard.obj -o view.png --time 2026-06-21T12:00Z
landfall map ridge.asc
landfall map ridge.asc -o map.png --contours -1
landfall map yard.obj -o map.png --contours 5
landfall map nowhere.tif -o map.png
ls *.png 2>/dev/null
landfall render ridge.asc -o view.png --model nowhere.ply --at 35,20
landfall render ridge.asc -o view.png --at 35,20
landfall render ridge.asc -o view.png --model yard.obj --at 35
landfall render ridge.asc -o view.png --model yard.obj --at 1000,20
landfall render ridge.asc -o view.png --model yard.obj --at 35,20 --scale 0
landfall render ridge.asc -o view.png --model yard.obj --at 35,20 --heading west
landfall render ridge.asc -o view.png --model yard.obj --at 35,20 --up x
ls *.png 2>/dev/null
landfall render ridge.asc -o view.png --steps 3
landfall render ridge.asc -o view.png --scene nowhere.lua
landfall render ridge.asc -o view.png --scene wrong.lua --steps 10
landfall scene run bump.lua --ground nowhere.tif
landfall scene run bump.lua --ground coast.asc
landfall make planet --size 19 -o planet.tif -q
landfall globe build planet.tif -o planet.lf -q
landfall render planet.lf -o view.png --eye 0,91,100
landfall render planet.lf -o view.png --exaggerate 2
landfall render planet.lf -o view.png --time 2026-06-21T12:00Z
landfall render planet.lf -o view.png --overlay ridge.asc
landfall render planet.lf -o view.png --model yard.obj --at 10,95
landfall map planet.lf -o view.png
ls *.png 2>/dev/null
