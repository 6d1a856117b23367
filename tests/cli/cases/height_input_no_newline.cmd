printf '1 1' | landfall height yard.obj
