landfall info --help
