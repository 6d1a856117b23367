landfall --version
