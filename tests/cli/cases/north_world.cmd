# The whole Earth, level, in a projection with an edge: at noon in Greenwich the sun shines on half of it. A row near the equator, and what is lit in all.
awk 'BEGIN { print "ncols 80\nnrows 40\nxllcorner -18040000\nyllcorner -9020000\ncellsize 451000"
             for (j = 0; j < 40; j++) { for (i = 0; i < 80; i++) printf "0 "; print "" } }' >world.asc
landfall shadow world.asc --ground-crs ESRI:54009 --time 2026-03-20T12:00Z -o lit.asc -q | sed -n 3,4p
sed -n 25p lit.asc | tr -d ' '
landfall sunhours world.asc --ground-crs ESRI:54009 --date 2026-06-21 --step 60 -o hours.asc -q | head -2
awk 'NR == 11 || NR == 25 || NR == 40 { print $40 }' hours.asc
