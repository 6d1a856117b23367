landfall globe build; echo $?
landfall globe make x.tif -o x.lf; echo $?
landfall make hills -o h.tif --size 30 -q
landfall globe build h.tif -o h.lf; echo $?
landfall globe build nowhere.tif -o h.lf; echo $?
landfall make planet -o planet.tif -q --size 19
landfall globe build planet.tif; echo $?
landfall globe build planet.tif -o planet.lf
landfall height planet.lf --at 0,50 --band 1; echo $?
landfall ray planet.lf --from 0,91,0 --to 0,0,0; echo $?
landfall ray planet.lf --from 0,50,9000 --dir 0,0,-1; echo $?
landfall ray planet.lf --from 0,50,9000 --to 0,50,9000; echo $?
landfall sight planet.lf --from 0,50 --to 1,50 --detail; echo $?
landfall sight planet.lf --from 0,50 --to 1,50 --profile x.svg; echo $?
landfall sight planet.lf --from 0,50 --to 1,50 --freq 900; echo $?
landfall sight planet.lf --from 0,50 --to 1,50 --holes pass; echo $?
landfall sight planet.lf --from 0,50 --to 1,50 --cc 3; echo $?
landfall place planet.lf --at 0,91 --wheels 4,2; echo $?
landfall walk planet.lf --from 0,91 --to 0,50 --step 1; echo $?
landfall ray planet.lf --from 1,2,3; echo $?
landfall verify planet.lf; echo $?
head -c 500 planet.lf >cut.lf; landfall height cut.lf --at 1,1; echo $?
landfall height hill --at 7.95,46.93 --surface bilinear; echo $?
landfall globe build hill planet.tif -o h.lf; echo $?
landfall globe build hill --cells 16 -o h.lf; echo $?
landfall viewshed planet.lf --at 1,1 -o x.tif; echo $?
landfall info hill; echo $?
landfall globe build planet.tif -o planet.tif; echo $?
landfall globe build planet.tif -o nowhere/h.lf; echo $?
