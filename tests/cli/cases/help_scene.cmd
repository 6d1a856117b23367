landfall scene --help
