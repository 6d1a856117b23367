landfall sight ridge.asc --from 64,64,1 --to 80,53,1
landfall sight ridge.asc --from 64,64,1 --to 80,53,1 --holes pass
landfall sight ridge.asc --from 64,64,1 --to 80,53,1 --holes stop
landfall sight ridge.asc --from 64,64,11 --to 80,53,11
