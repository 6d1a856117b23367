run="landfall scene run diamond.lua --dt 0.5 --steps 8 --digits 3"
$run
$run --set y=8 | head -n 1
$run --set y=8 --set=level=boxes | head -n 4
mkdir below && cp diamond.ply below/gem.PLY && landfall build diamond.ply -o below/gem.lf >build.txt
$run --set file=below/gem.PLY | head -n 1
$run --set file=below/gem.lf | head -n 1
cd below && landfall scene run ../diamond.lua --dt 0.5 --steps 8 --digits 3 | head -n 1
