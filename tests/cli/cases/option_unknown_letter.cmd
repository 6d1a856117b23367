landfall height yard.obj -qx
