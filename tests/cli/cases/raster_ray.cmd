landfall ray valley.asc --from 5,5,100 --to 25,25,0
landfall ray valley.asc --from 5,20,21 --dir 1,0,0 --distance
landfall ray valley.asc --from 5,20,0 --dir 0,0,1
landfall ray valley.asc --from 5,20,100 --dir 0,0,1
landfall ray valley.asc --from 0,5,20 --to 35,5,20 --any
landfall ray valley.asc --surface posts --all --from 0,5,22 --to 40,5,32 --normal
