landfall sight ridge.asc --from 5,5 --to 85,5 --freq 900 --profile out.png
od -An -tx1 -N4 out.png
landfall sight ridge.asc --from 5,5 --to 85,5 --freq 900 --profile out.svg
grep -c "stroke-dasharray" out.svg
grep -o ">blocked.*<\|>cc.*<" out.svg
landfall sight --path path.csv --profile path.svg --digits 6
grep -o ">[a-z ]*after.*<" path.svg
ls *.part* 2>/dev/null
