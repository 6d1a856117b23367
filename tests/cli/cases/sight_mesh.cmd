landfall sight yard.obj --from 0.5,0.5 --to 3.5,1.5 --digits 9
landfall sight yard.obj --from 0.5,0.5 --to 3.5,1.5 --eye 20 --target 20 --json --digits 9
