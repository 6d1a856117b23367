landfall height yard.obj --only bridge --at 2.5,1 --at 1,1
