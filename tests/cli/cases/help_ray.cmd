landfall ray --help
