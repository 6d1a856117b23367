landfall sight ridge.asc --from 5,10 --to 55,10 --freq 900 --profile out.csv --digits 4
cat out.csv
landfall sight ridge.asc --from 5,10 --to 55,10 --steps 2 --profile out.csv
cat out.csv
