# Whoever read the answers has gone: a status, and no noise.
mkfifo gone
(exec 3<gone) &
exec 4>gone
wait
landfall height yard.obj --at 1,1 >&4
echo "status $?"
landfall --help >&4
echo "status $?"
