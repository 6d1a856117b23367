printf '1 1 3x\n' | landfall height yard.obj
