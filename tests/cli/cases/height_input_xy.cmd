printf '2.5 1 4\n' | landfall height yard.obj --xy
