landfall height yard.obj --digits 2 --at 1.23456,8.98765
landfall height yard.obj --digits 0 --at 1.23456,8.98765
landfall height yard.obj --digits 99 --at 1,1
