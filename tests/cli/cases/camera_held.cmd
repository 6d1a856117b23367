printf '0,7.99,46.93,1200\n1,7.999,46.93,900\n2,8.005,46.93,900\n' | landfall camera hill - --clearance 5 --limit 60 --digits 1
printf '0,7.95,46.93,100\n10,7.951,46.93,100\n' | landfall camera hill - --json --digits 2
printf '0,4351000,600000,4634000\n10,4351000,600100,4634000\n' | landfall camera hill - --centred --digits 3
printf '0,20,10,5\n1,20.00001,10,5\n' | landfall camera hill -
