landfall sight --path path.csv --digits 6
landfall sight --path path.csv --eye 60 --target 60 --digits 6
landfall sight --path path_km.csv --km --eye 60 --target 60 --cc 0.75 --freq 900 --digits 6
landfall sight --path path.csv --posts --cc 0.75 --json --digits 6
landfall sight --path path.csv --posts --cc 0.75 --json --digits 6 | json-check
