landfall sunhours coast.asc --date 2026-06-21 --step 60 -o out.asc -q
sed 1,5d out.asc
landfall sunhours coast.asc --date 2026-06-21 --zone 2 --step 30 -o out.png -q --json
od -An -tx1 -N4 out.png
