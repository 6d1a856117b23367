# The files of the room "ask".
list(APPEND core_sources ask/ask.c ask/gravity.c)
