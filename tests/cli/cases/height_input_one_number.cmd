printf '1\n' | landfall height yard.obj
