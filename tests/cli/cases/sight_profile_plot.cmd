landfall sight ridge.asc --from 5,5 --to 85,5 --freq 900 --profile out.png
od -An -tx1 -N4 out.png
landfall sight ridge.asc --from 5,5 --to 85,5 --freq 900 --profile out.svg
grep -c "stroke-dasharray" out.svg
landfall sight ridge.asc --from 5,5 --to 85,5 --freq 900 --profile out.pdf
head -c 5 out.pdf && echo
pdftotext -layout out.pdf - | grep -o "blocked.*\|cc .*"
landfall sight --path path.csv --profile path.PDF --digits 6
pdftotext -layout path.PDF - | grep -o "[a-z]* after.*"
ls *.part* 2>/dev/null
