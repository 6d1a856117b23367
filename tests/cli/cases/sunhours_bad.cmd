landfall sunhours coast.asc -o out.tif
landfall sunhours coast.asc --date today -o out.tif
landfall sunhours coast.asc --date 2026-02-30 -o out.tif
landfall sunhours coast.asc --date 2026-06-21
landfall sunhours coast.asc --date 2026-06-21 --step 0 -o out.tif
landfall sunhours coast.asc --date 2026-06-21 --zone 20 -o out.tif
landfall sunhours ridge.asc --date 2026-06-21 -o out.tif
landfall sunhours yard.obj --date 2026-06-21 -o out.tif
ls out* 2>/dev/null
