# The files of the room "base". The second list holds no public call: libraries beside the core compile
# these few files in, because the core hides them.
set(base_private_sources base/beside.c base/error.c base/host.c base/large.c base/memory.c)
list(APPEND core_sources base/checksum.c base/disk.c base/isa.c base/map.c base/status.c ${base_private_sources})
