landfall sight ridge.asc --from 64,64 --to 80,53 --profile out.json --digits 4
json-check <out.json
cat out.json
