landfall shadow ridge.asc --sun 90,30 -o out.asc -q
cat out.asc
landfall shadow ridge.asc --sun 90,30 -o out.png -q --json
od -An -tx1 -N4 out.png
landfall shadow ridge.asc --sun 90,30 --at 25,15 --at 15,35
landfall shadow coast.asc --time 2026-06-21T12:00Z -o out.asc -q | tail -5
landfall shadow coast.asc --time 2026-12-21T00:00Z -o out.asc -q | tail -5
