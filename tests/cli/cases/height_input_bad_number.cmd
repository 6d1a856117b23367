printf '1 1\n# a remark\n2 two\n3 3\n' | landfall height yard.obj
