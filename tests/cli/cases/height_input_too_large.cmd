printf '1 1e999\n' | landfall height yard.obj
