landfall build valley.asc -o v.lf --json | grep -v 'bytes\|producer\|hash'
landfall info v.lf --json | json-check && landfall build yard.obj -o y.lf --json | json-check
