printf '\357\273\2771 1 marked\n' | landfall height yard.obj
