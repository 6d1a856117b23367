# More than one block, on one and on two threads: the same bytes.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%.3f %.3f %d\n", (i * 7919 % 12000) / 1000 - 1, (i * 104729 % 12000) / 1000 - 1, i % 9 }' >many
landfall height yard.obj -j 1 --normal <many >one
landfall height yard.obj -j 2 --normal <many >two
cmp one two && wc -l <one | tr -d ' '
