landfall walk valley.asc --from 5,20 --to 25,20 --step 1
landfall walk valley.asc --from 5,20 --to 35,20 --step 1
landfall walk valley.asc --from 5,20 --to 25,20 --step 1 --json
landfall place valley.asc --at 12,12 --wheels 2,1 --digits 6
landfall shadow valley.asc --light 1,0,-2 --at 10,10 --at 20,20,5 --digits 6
landfall shadow valley.asc --light 10,10,60 --point --at 10,10 --at 20,20,5 --digits 6 --json
