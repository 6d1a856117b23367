# An interrupt while waiting for points: what was answered is there, and the shell sees the signal.
{ echo 1 1; sleep 2; } | timeout --preserve-status -s INT 1 landfall height yard.obj
echo "status $?"
