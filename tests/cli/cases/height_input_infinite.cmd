printf '1 -inf\n' | landfall height yard.obj
