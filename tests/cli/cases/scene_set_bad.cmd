for set in y=up y= flors=3 y =3 9=3 level=soft; do
    landfall scene run diamond.lua --set "$set"; echo $?
done
landfall scene run diamond.lua --set y=1 --set y=2; echo $?
