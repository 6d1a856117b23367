landfall height yard.obj --all=yes
