landfall sight ridge.asc --from 5,5 --to 85,5 --detail
landfall sight ridge.asc --from 5,5,20 --to 85,5,20 --detail --freq 900 --digits 6
