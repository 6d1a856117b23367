landfall info coast.asc --json | grep -v 'wkt\|bytes\|leaf'
landfall info coast.asc --json | json-check
landfall info valley.asc --pyramid --json | json-check
