landfall scene run wrong.lua --dt 0.1; echo $?
echo 'x = = 1' > syntax.lua; landfall scene run syntax.lua; echo $?
echo 'while true do end' > loop.lua; landfall scene run loop.lua; echo $?
landfall scene run nowhere.lua; echo $?
landfall scene walk bump.lua; echo $?
landfall scene run bump.lua --dt 0; echo $?
