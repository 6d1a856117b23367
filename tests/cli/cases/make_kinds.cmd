for kind in hills rough dunes; do
    landfall make $kind -o $kind.ply --size 9 && landfall info $kind.ply | grep -E 'file|polygons|low|high'
done
for kind in city sphere knot; do
    landfall make $kind -o $kind.ply --size 5000 && landfall info $kind.ply | grep -E 'file|polygons|low|high'
done
