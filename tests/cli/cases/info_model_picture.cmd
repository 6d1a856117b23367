landfall info diamond.ply --as model -o charts.png --quiet > /dev/null && head -c 4 charts.png | tail -c 3
landfall info diamond.ply --as model -o charts.jpg
