landfall make rough -o rough.tif --size 1025 && landfall info rough.tif --pyramid | cut -c 1-24
landfall info rough.tif --window 5,7,33,17 --pyramid --json | grep -v bytes | tr -d ' \n'
