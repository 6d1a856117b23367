landfall globe build; echo $?
landfall globe make x.tif -o x.lf; echo $?
landfall make hills -o h.tif --size 30 -q
landfall globe build h.tif -o h.lf; echo $?
landfall globe build nowhere.tif -o h.lf; echo $?
landfall make planet -o planet.tif -q --size 19
landfall globe build planet.tif; echo $?
landfall globe build planet.tif -o planet.lf
landfall height planet.lf --at 0,91; echo $?
landfall ray planet.lf --from 1,2,3; echo $?
landfall verify planet.lf; echo $?
head -c 500 planet.lf >cut.lf; landfall height cut.lf --at 1,1; echo $?
