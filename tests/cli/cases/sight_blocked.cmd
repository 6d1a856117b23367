landfall sight ridge.asc --from 5,5 --to 85,5
