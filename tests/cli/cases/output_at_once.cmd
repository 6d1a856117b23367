# Each line is answered as it comes, without waiting for the next.
mkfifo points answers
landfall height yard.obj <points >answers &
exec 3>points 4<answers
echo 1 1 >&3
read -r answer <&4
echo "got $answer"
echo 1 8 >&3
read -r answer <&4
echo "got $answer"
exec 3>&-
wait
