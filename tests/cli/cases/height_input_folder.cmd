landfall height yard.obj <.
