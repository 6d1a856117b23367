landfall sight
landfall sight ridge.asc --from 5,5
landfall sight ridge.asc --to 5,5
landfall sight ridge.asc --from 5 --to 5,5
landfall sight ridge.asc --from 5,5 --to 6,6 -
landfall sight ridge.asc --from 5,5 --to 6,6 --cc 1 --k 1
landfall sight ridge.asc --from 5,5 --to 6,6 --k 0
landfall sight ridge.asc --from 5,5 --to 6,6 --cc flat
landfall sight ridge.asc --from 5,5 --to 6,6 --radius -1
landfall sight ridge.asc --from 5,5 --to 6,6 --holes maybe
landfall sight ridge.asc --from 5,5 --to 6,6 --freq 0
landfall sight ridge.asc --from 5,5 --to 6,6 --datum
landfall sight ridge.asc --datum --xy
landfall sight ridge.asc --from 5,5 --to 6,6 --posts
landfall sight ridge.asc --from 5,5 --to 6,6 --profile out.gif
landfall sight ridge.asc --profile out.svg
landfall sight ridge.asc --from 5,5 --to 6,6 --profile nowhere/out.csv
landfall sight ridge.asc --from 75,65 --to 6,6 --profile out.csv
landfall sight ridge.asc --from 5,5 --to 6,6 --profile out.csv --steps 0
landfall sight ridge.asc --path path.csv
landfall sight --path path.csv --datum
landfall sight --path nothing.csv
landfall sight --path rays.txt --digits 3
ls out* nowhere* 2>/dev/null
