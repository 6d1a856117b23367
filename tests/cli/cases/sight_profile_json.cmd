landfall sight ridge.asc --from 55,60 --to 85,52 --profile out.json --digits 4
json-check <out.json
cat out.json
