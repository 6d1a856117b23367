# The files of the room "tree".
list(APPEND core_sources)
