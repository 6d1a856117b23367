sed 's/^cellsize.*/cellsize 10/' valley.asc >feet.asc
echo 'LOCAL_CS["yard",UNIT["foot",0.3048]]' >feet.prj
landfall info feet.asc
landfall info feet.asc --z-unit ft | grep -v "bytes\|leaf"
