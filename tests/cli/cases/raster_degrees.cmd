landfall ray coast.asc --from 12.05,57.7,500 --to 12.15,57.8,-500 --digits 6
landfall ray coast.asc --from 372.05,57.7,500 --to 372.15,57.8,-500 --digits 6 --distance --normal
landfall ray coast.asc --from 12.05,57.7,500 --to 12.15,57.8,-500 --digits 3 --distance --json
landfall height coast.asc --at 12.15,57.8 --normal --digits 9
