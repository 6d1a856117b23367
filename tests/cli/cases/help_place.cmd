landfall place --help
