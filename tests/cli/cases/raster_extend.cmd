landfall height valley.asc --extend --at 2,2 --at 0,0 --at -0.5,2 --at 38,28
landfall info valley.asc --extend | grep 'low\|high'
