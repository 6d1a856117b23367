landfall hieght yard.obj
