landfall sight ridge.asc --from 5,5 --to 85,5 --json
landfall sight ridge.asc --from 5,35 --to 85,35 --freq 900 --json --digits 6
landfall sight ridge.asc --from 64,64,1 --to 80,53,1 --json
landfall sight ridge.asc --from 5,5 --to 500,5 --json
landfall sight ridge.asc --from 5,5 --to 85,5 --json | json-check
