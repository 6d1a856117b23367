landfall sight ridge.asc --ground-crs EPSG:3006 --from 5,35 --to 85,35 --target 1 --digits 9
landfall sight ridge.asc --from 5,35 --to 85,35 --target 1 --cc 1 --radius 1000 --digits 9
landfall sight ridge.asc --from 5,35 --to 85,35 --target 1 --k 4 --digits 9
landfall sight ridge.asc --from 5,35 --to 85,35 --target 1 --earth-multiplier 4 --digits 9
