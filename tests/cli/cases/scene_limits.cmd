# Greedy scripts end with the limit and the line.
echo 'local s = "x" while true do s = s .. s end' > greedy.lua; landfall scene run greedy.lua; echo $?
printf 'local o = world.object{ parameters = { n = 1 }, build = function(top, p)\nfor i = 1, p.n do top:add{ shape = "box", label = "b" .. i } end end }\no:instance{ parameters = { n = 1e308 } }\n' > greedy.lua; landfall scene run greedy.lua; echo $?
printf 'local o = world.object{ parts = { { shape = "box" } } }\nfor i = 1, 1500 do o:instance() end\nworld.watch{}\n' > greedy.lua; landfall scene run greedy.lua; echo $?
echo 'while true do print("again") end' > greedy.lua; landfall scene run greedy.lua > printed; echo $?; wc -c < printed
echo 'local t = {} for i = 1, 9000 do t[i * 16383] = 1 end while true do local x = t[7] end' > greedy.lua; landfall scene run greedy.lua --time-limit 0.1; echo $?
landfall scene run bump.lua --time-limit 0 | tail -n 1
landfall scene run bump.lua --time-limit -1; echo $?
landfall scene run bump.lua --time-limit nan; echo $?
