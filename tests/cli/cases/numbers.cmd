# As short as they can be, and exact.
printf '0.1 0.30000000000000004\n1e0 +2.50\n.5 5.\n1e-7 3\n-0 1E-3\n9.999999999999999 1\n3 0.1000000000000000055511151231257827\n' | landfall height yard.obj --xy
