printf "5,35,85,35\n1,2,3,4,5\n" | landfall sight ridge.asc
printf "5,35,85\n" | landfall sight ridge.asc
printf "5,35,85,35\n" | landfall sight ridge.asc --datum
printf "5,35,85,35,1,2\n" | landfall sight ridge.asc --xy
