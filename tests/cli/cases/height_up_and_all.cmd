landfall height yard.obj --up --all --at 1,1
