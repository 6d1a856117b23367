landfall walk --help
