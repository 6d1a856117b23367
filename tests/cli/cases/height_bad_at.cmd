landfall height yard.obj --at 1
landfall height yard.obj --at 1,2,3,4
landfall height yard.obj --at 1,nan
landfall height yard.obj --at inf,1
landfall height yard.obj --at '1;2'
landfall height yard.obj --at ''
landfall height yard.obj --at 1,,2
landfall height yard.obj --at 0x10,1
