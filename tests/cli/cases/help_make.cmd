landfall make --help
