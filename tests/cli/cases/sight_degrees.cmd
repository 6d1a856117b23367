landfall sight coast.asc --from 12,57.7 --to 12.3,57.9 --target 5 --digits 6
landfall sight coast.asc --from 372,57.7 --to 372.3,57.9 --target 5 --digits 6
landfall sight coast.asc --crs EPSG:3006 --from 321174,6399203 --to 340058,6420648 --target 5 --digits 3
