landfall sight ridge.asc --from 5,35 --to 85,35
