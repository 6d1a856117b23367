landfall sight ridge.asc --from 55,60,1 --to 85,52,1
landfall sight ridge.asc --from 55,60,1 --to 85,52,1 --holes pass
landfall sight ridge.asc --from 55,60,1 --to 85,52,1 --holes stop
landfall sight ridge.asc --from 55,60,11 --to 85,52,11
