landfall shadow --help
