landfall height yard.obj --at 1,1 --hieght
