# One place in three conventions, and the cells of the seam.
printf '%s\n' '241.5 2' '-118.5 2' '601.5 2' '0 7.5' '360 7.5' '-3 -7.5' '357 -7.5' | landfall height world.asc --digits 9
landfall height coast.asc --at 372.15,57.8 --at -347.85,57.8 --at 12.15,57.8 --digits 9
landfall info world.asc | grep -E '^(columns|wraps|spacing|low|high)'
landfall height world.asc --at 359,80
