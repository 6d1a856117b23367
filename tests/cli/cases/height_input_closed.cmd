landfall height yard.obj <&-
