cp yard.obj ./--yard.obj
landfall height --at 1,1 -- --yard.obj
