landfall sight ridge.asc --from 5,5,12 --to 85,5,12
landfall sight ridge.asc --from 5,5 --to 85,5 --eye 12 --target 12
landfall sight ridge.asc --datum --from 5,5,12 --to 85,25,12
