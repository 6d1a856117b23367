# Over the seam and not the long way round, which is blocked; ends in mixed conventions.
landfall sight world.asc --from 359.75,2 --to 0.25,2 --eye 30 --target 30 --cc 0 --digits 6
landfall sight world.asc --from=-0.25,2 --to 0.25,2 --eye 30 --target 30 --cc 0 --digits 6
landfall sight world.asc --from 0.25,2 --to 359.75,2 --eye 30 --target 30 --cc 0 --digits 6
landfall sight world.asc --from 241.5,2 --to=-118,2 --eye 30 --target 30 --cc 0 --digits 6
landfall sight world.asc --from 352,-20 --to 10,-20 --eye 3 --target 3 --cc 0 --digits 6
landfall sight coast.asc --from 372,57.7 --to=-347.7,57.9 --target 5 --digits 6
landfall ray world.asc --from 350,2,100 --to 10,2,0 --digits 6 --distance
landfall ray world.asc --from=-10,2,100 --to 370,2,0 --digits 6 --distance
landfall ray world.asc --from 350,2,100 --to 10,2,0 --digits 6 --all
landfall ray world.asc --from 270,2,100 --to 90,2,7000 --digits 6
landfall horizon world.asc --at 359.9,1 --eye 2 --azimuth 90 --range 1000000 --cc 0 --digits 6
