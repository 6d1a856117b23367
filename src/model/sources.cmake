# The files of the room "model".
list(APPEND core_sources model/closed.c model/copy.c model/model.c model/pairs.c)
