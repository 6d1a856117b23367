landfall horizon ridge.asc --at 5,35 --step 45 --digits 6
landfall horizon ridge.asc --at 5,35 --azimuth 60 --azimuth -300 --digits 6
landfall horizon ridge.asc --at 55,55 --azimuth 80 --json --digits 6
landfall horizon ridge.asc --at 5,35 --azimuth 270 --json
landfall horizon coast.asc --at 12,57.7 --step 90 --digits 6
