landfall --help
