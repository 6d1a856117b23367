printf '5 5 100 25 25 0 a\n5,20,0,5,20,100,b\n5 20 90 25 20 90 c\n' | landfall ray valley.asc
printf '5 5 100 0 0 -1\n' | landfall ray valley.asc --directions --json --distance
printf '5 5 5 5 5 5\n' | landfall ray valley.asc
