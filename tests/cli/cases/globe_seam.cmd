# World rasters whose cell size has few digits (360/54 = 6.666.., 180/27): the globe closes at the seam and at the poles, and says what was done.
grid() { # columns, rows, cell size, south
    printf 'ncols %s\nnrows %s\nxllcorner -180\nyllcorner %s\ncellsize %s\n' "$1" "$2" "$4" "$3"
    awk -v n="$1" -v m="$2" 'BEGIN { for (j = 0; j < m; j++) { for (i = 0; i < n; i++) printf "%d ", 100 + i; print "" } }'
}
grid 54 27 6.667 -90 >world.asc
landfall globe build world.asc -o world.lf
landfall height world.lf --at 180,7 --at=-180,7 --at 179.9,-60 --at 5,90 --at 5,-90 --digits 4
landfall ray world.lf --from 180,7,9000 --to 180,7,-9000 --digits 3
# One that leaves a gap all the same.
grid 53 27 6.667 -90 >gap.asc
landfall globe build gap.asc -o gap.lf
landfall height gap.lf --at 180,7; echo $?
# One that does not reach the poles, and the same over one that does.
grid 54 20 6.667 -70 >belt.asc
landfall globe build belt.asc -o belt.lf
landfall globe build belt.asc world.asc -o both.lf -q
landfall height both.lf --at 5,90 --at 180,7 --digits 4
# Beyond a pole by more than half a cell.
grid 54 27 6.667 -100 >beyond.asc
landfall globe build beyond.asc -o beyond.lf; echo $?
