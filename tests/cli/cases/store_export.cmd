# There and back: heights, holes and place are the same.
landfall build valley.asc -o v.lf -q >/dev/null && landfall export v.lf -o v.tif && landfall info v.tif | grep 'columns\|rows\|origin\|spacing\|holes\|low\|high'
landfall height valley.asc --at 12,17 >a; landfall height v.tif --at 12,17 | diff a -
landfall export v.lf -o v.png
landfall export v.lf
