landfall place yard.obj --at 5,3.5 --heading 45 --wheels 2,1 --digits 6
