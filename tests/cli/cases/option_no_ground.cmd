landfall height --at 1,1
