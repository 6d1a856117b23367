landfall height --help
