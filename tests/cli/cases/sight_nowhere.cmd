landfall sight ridge.asc --from 75,65 --to 85,65
landfall sight ridge.asc --from 5,5 --to 500,5
