# A .lf file is asked like what it was built from.
landfall make hills -o h.tif --size 30 -q
landfall build h.tif -o h.lf -q >/dev/null
landfall height h.tif --at 310.5,420.25 --normal >a; landfall height h.lf --at 310.5,420.25 --normal | diff a - && cat a
landfall ray h.tif --from 10,20,900 --to 800,700,100 >a; landfall ray h.lf --from 10,20,900 --to 800,700,100 | diff a -
landfall walk h.tif --from 100,100 --to 500,300 --step 1000 >a; landfall walk h.lf --from 100,100 --to 500,300 --step 1000 | diff a -
landfall shadow h.tif --light 1,0,-0.1 --at 300,300 >a; landfall shadow h.lf --light 1,0,-0.1 --at 300,300 | diff a -
landfall build coast.asc -o coast.lf -q >/dev/null
landfall height coast.asc --at 11.5,57.5 >a; landfall height coast.lf --at 11.5,57.5 | diff a -
landfall height h.lf --at 1,1 --surface posts
