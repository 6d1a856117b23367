# Whole numbers are packed; what it says is what info says, and every answer is the raster's.
landfall make mountains -o m.tif --size 40 -q
landfall build m.tif -o m.lf --max-error 0.05 | grep -v 'bytes\|hash\|producer'
landfall build m.tif -o raw.lf -q >raw.txt; landfall info raw.lf | diff - raw.txt && grep codec raw.txt
for codec in pack maxplus haar d4; do
    landfall build m.tif -o $codec.lf --codec $codec --max-error 0.05 | LC_ALL=C awk '/^worst/ { print ($2 <= 0.05) }'
    landfall verify $codec.lf
done
