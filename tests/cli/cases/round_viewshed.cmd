# The same posts from the same place, wherever the seam is: 12 columns of the second file lie to the west of those of the first.
{ printf 'ncols 24\nnrows 6\nxllcorner -180\nyllcorner -45\ncellsize 15\n'; sed 1,5d world.asc | awk '{ for (i = 0; i < 24; i++) printf "%s ", $((i + 12) % 24 + 1); print "" }'; } >rolled.asc
cp world.prj rolled.prj
roll() { sed 1,6d "$1" | awk '{ for (i = 0; i < 24; i++) printf "%s ", $((i + 12) % 24 + 1); print "" }'; }
plain() { sed 1,6d "$1" | awk '{ for (i = 0; i < 24; i++) printf "%s ", $(i + 1); print "" }'; }
landfall viewshed world.asc --at 359,2 --eye 30 --range 6000000 --cc 0 -o a.asc
landfall viewshed rolled.asc --at=-1,2 --eye 30 --range 6000000 --cc 0 -o b.asc -q
roll a.asc >a.txt; plain b.asc >b.txt; cmp a.txt b.txt && cat a.txt
landfall build world.asc -o world.lf -q >/dev/null
landfall viewshed world.lf --at 719,2 --eye 30 --range 6000000 --cc 0 -o c.png -q && landfall info world.lf | grep -E '^(columns|wraps)'
landfall shadow world.asc --sun 90,0.0005 --cc 0 -o s.asc -q && landfall shadow rolled.asc --sun 90,0.0005 --cc 0 -o t.asc -q
roll s.asc >s.txt; plain t.asc >t.txt; cmp s.txt t.txt
