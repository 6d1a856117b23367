landfall collide --help
