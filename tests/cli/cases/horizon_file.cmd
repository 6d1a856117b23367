landfall horizon ridge.asc --at 5,35 --step 90 -o out.csv --digits 6
cat out.csv
landfall horizon ridge.asc --at 5,35 --step 180 -o out.json --digits 6
json-check <out.json
cat out.json
landfall horizon ridge.asc --at 5,35 -o out.png
od -An -tx1 -N4 out.png
landfall horizon ridge.asc --at 5,35 -o out.svg
grep -c "<path" out.svg
landfall horizon ridge.asc --at 5,35 -o out.pdf
pdftotext out.pdf - | grep -o "horizon of.*\|cc .*"
ls *.part* 2>/dev/null
