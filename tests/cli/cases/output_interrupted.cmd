# An interrupt while waiting for points: what was answered is there, and the shell sees the signal.
mkfifo points answers
env --default-signal=INT landfall height yard.obj <points >answers 2>messages &
exec 3>points 4<answers
echo 1 1 >&3
read -r answer <&4
echo "got $answer"
kill -INT $!
wait $!
echo "status $?"
cat messages
