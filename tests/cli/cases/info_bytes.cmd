# The figures depend on how the tree is laid out; that they are there and add up does not.
landfall info yard.obj | awk '/^bytes/ { all = $2 } /^tree_bytes/ { tree = $2 } END { print (0 < tree && tree < all) }'
