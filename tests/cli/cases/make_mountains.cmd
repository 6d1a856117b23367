landfall make mountains -o mountains.obj --size 5,4 --step 10 --low 100 --high 200
landfall info mountains.obj | grep -v bytes
cksum <mountains.obj
