landfall camera hill
landfall camera hill nothing.csv
landfall camera nothing flight.csv
landfall camera hill/11 flight.csv
landfall camera hill flight.csv --clearance -1
landfall camera hill flight.csv --limit 0
landfall camera hill flight.csv --plot out.gif
printf '0,8,46,900\n' | landfall camera hill -
printf '0,8,46,900\n0,8,46,900\n' | landfall camera hill -
printf '0,8,96,900\n1,8,46,900\n' | landfall camera hill -
printf '0,8,46,900\n1,8,46,-6300000\n' | landfall camera hill -
printf '0,8,46\n' | landfall camera hill -
mkdir bad; printf '{"format": "heightmap-1.0"}' > bad/layer.json
landfall camera bad flight.csv
landfall camera ridge.asc flight.csv
landfall camera hill flight.csv --clearance 1e308
landfall camera hill flight.csv --ahead nan
landfall camera hill flight.csv --plot nowhere/out.png
printf '0,8,46,900\n1e308,8,46,900\n' | landfall camera hill -
printf '0,8,46,900\n1e-320,8,46,900\n' | landfall camera hill -
printf '0,8,46,900\n1,1e300,46,900\n' | landfall camera hill -
ls out* 2>/dev/null
