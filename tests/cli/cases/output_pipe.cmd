# Whoever read the answers has gone: a status, and no noise.
{ sleep 0.3; landfall height yard.obj --at 1,1; echo "status $?" >&2; } | :
