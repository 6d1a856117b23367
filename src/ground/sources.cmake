# The files of the room "ground".
list(APPEND core_sources)
