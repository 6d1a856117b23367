landfall scene run wrong.lua --dt 0.1; echo $?
echo 'x = = 1' > syntax.lua; landfall scene run syntax.lua; echo $?
echo 'while true do end' > loop.lua; landfall scene run loop.lua; echo $?
landfall scene run nowhere.lua; echo $?
landfall scene walk bump.lua; echo $?
landfall scene run bump.lua --dt 0; echo $?
landfall scene run bump.lua --dt 1e308; echo $?
landfall scene run nowhere.lua --frames made; echo $?
landfall scene run bump.lua --frames ridge.asc; echo $?
printf '\033Lua' > compiled.lua; landfall scene run compiled.lua; echo $?
ls -d made 2>/dev/null || echo none made
