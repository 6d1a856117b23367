printf "5,35,85,35,gate\n# no\n5,5,85,5\n5,5,30,85,5,30 tower 7\n" | landfall sight ridge.asc
