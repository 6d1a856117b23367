landfall height yard.obj -j
