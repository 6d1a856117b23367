landfall place yard.obj --at 5.5,6 --heading 90 --wheels 2,2 --rest --reach 0.5 --passes 4 --json --digits 6
