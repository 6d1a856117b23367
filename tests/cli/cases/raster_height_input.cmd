printf '5,25 corner\n20 20 10 below\n# a remark\n100 5 beside\n' | landfall height valley.asc - --digits 2
printf '5,25 corner\n20 20 10 below\n' | landfall height valley.asc --xy --json --normal
