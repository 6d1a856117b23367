# The files of the room "mesh".
list(APPEND core_sources)
