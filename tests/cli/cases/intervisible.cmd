landfall intervisible ridge.asc stations.csv
landfall intervisible ridge.asc stations.csv --csv
landfall intervisible ridge.asc stations.csv --json
landfall intervisible ridge.asc stations.csv --json | json-check
landfall intervisible ridge.asc stations.csv --eye 30 --cc 0.85714
printf "5 35\n15 35\n" > two.txt; landfall intervisible ridge.asc two.txt
