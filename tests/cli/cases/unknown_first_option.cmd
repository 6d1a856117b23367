landfall --verbose
