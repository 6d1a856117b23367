landfall render ridge.asc --size 64,40 -o view.png
landfall render ridge.asc --size 64,40 --eye 35,-80,60 --look 35,35,5 --fov 50 --sun 200,30 --json -o view.png
landfall viewshed ridge.asc --at 5,35 -o seen.tif -q
landfall render ridge.asc --size 64,40 --overlay seen.tif --no-shadows --samples 1 -o painted.png
landfall render yard.obj --size 64,40 -o yard.png
landfall map ridge.asc --contours 5 --overlay seen.tif --width 300 -o map.png
landfall map yard.obj --width 300 -o map_yard.png
ls *.png
landfall make sphere --size 80 -o ball.ply -q
landfall render ridge.asc --size 64,40 --model ball.ply --at 35,20 --scale 5 --model yard.obj --at 60,60,30 --heading 0 --up y -o things.png
cmp -s view.png things.png || echo "the models are in the picture"
cat > post.lua <<'LUA'
local land = world.land()
local n = world.setting("posts", 1)
local post = world.object{ name = "post", parts = { { shape = "box", size = { 4, 4, 30 } } } }
for i = 1, n do post:instance{ at = { 20 * i, 20, land:height(20 * i, 20) }, velocity = { 0, 5, 0 }, motion = "carried" } end
LUA
landfall render ridge.asc --size 64,40 --scene post.lua -o one.png
landfall render ridge.asc --size 64,40 --scene post.lua --set posts=2 -o two.png
landfall render ridge.asc --size 64,40 --scene post.lua --steps 20 --dt 0.1 -o later.png
landfall scene run post.lua --ground ridge.asc --steps 1
for a in one two later view; do for b in one two later view; do [ $a = $b ] || ! cmp -s $a.png $b.png || echo "$a.png is $b.png"; done; done
landfall make planet --size 19 -o planet.tif -q
landfall globe build planet.tif -o planet.lf -q
landfall render planet.lf --size 64,40 -o planet.png
landfall render planet.lf --size 64,40 --eye 10,20,900000 --look 12,25,0 --overlay planet.tif --json -o near.png
landfall render planet.lf --size 64,40 --eye 10,20,900000 --model ball.ply --at 10,20 --scale 200000 -o ball.png
cmp -s planet.png near.png && echo "the eye is not heeded"
