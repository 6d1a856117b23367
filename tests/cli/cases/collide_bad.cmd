landfall collide diamond.ply; echo $?
landfall collide diamond.ply diamond.ply --method fast; echo $?
landfall collide diamond.ply diamond.ply --turn-b w,3; echo $?
landfall collide diamond.ply diamond.ply --turn-b z; echo $?
landfall collide diamond.ply diamond.ply --at-b 1,2; echo $?
landfall collide diamond.ply diamond.ply --pairs --one; echo $?
landfall collide diamond.ply diamond.ply --margin -1; echo $?
landfall collide diamond.ply diamond.ply --method shells --pairs; echo $?
landfall collide diamond.ply diamond.ply --method field --sectors 3; echo $?
landfall collide diamond.ply no.ply; echo $?
landfall collide diamond.ply diamond.ply --method field --centre here; echo $?
landfall collide diamond.ply diamond.ply --at-b 1,2,nan; echo $?
landfall collide diamond.ply diamond.ply --at-b 1e31,0,0; echo $?
landfall collide diamond.ply diamond.ply --turn-b z,x; echo $?
landfall collide diamond.ply diamond.ply --margin many; echo $?
landfall collide diamond.ply empty.ply; echo $?
landfall collide nan.ply diamond.ply; echo $?
landfall collide diamond.ply truncated.ply; echo $?
landfall collide corner.ply diamond.ply; echo $?
landfall build coast.asc -o coast.lf >/dev/null && landfall collide coast.lf diamond.ply; echo $?
landfall collide diamond.ply diamond.ply --at-b 1e200,0,0; echo $?
landfall collide diamond.ply diamond.ply --turn-b x,nan; echo $?
