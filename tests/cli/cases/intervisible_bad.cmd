landfall intervisible ridge.asc
landfall intervisible ridge.asc nothing.csv
landfall intervisible ridge.asc yard.obj
landfall intervisible ridge.asc stations.csv --csv --json
landfall intervisible ridge.asc stations.csv --datum
printf "75,65\n" > hole.csv; landfall intervisible ridge.asc hole.csv
printf "5,5\nfive,5\n" > bad.csv; landfall intervisible ridge.asc bad.csv
