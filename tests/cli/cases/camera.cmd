landfall camera hill flight.csv --clearance 20 --limit 30 --ahead 4 --digits 1
landfall camera hill/layer.json flight.csv --clearance 20 --ahead 0 --digits 1 -o out.csv --plot out.png
head -3 out.csv
head -c 4 out.png | tail -c 3; echo
landfall camera hill flight.csv --clearance 20 --ahead 0 --plot out.pdf -q > /dev/null
pdftotext -layout out.pdf - | grep -o "a camera over the globe\|time, s\|with response"
