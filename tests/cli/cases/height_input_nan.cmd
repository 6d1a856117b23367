printf '1 1\n1 1 nan\n' | landfall height yard.obj
