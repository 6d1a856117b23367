# A camera that may be raised as fast as it takes: never held back.
landfall camera hill flight.csv --limit inf -o free.csv --digits 1
landfall camera hill flight.csv --limit 5 -o held.csv --digits 1
landfall camera hill flight.csv --limit -inf; echo $?
landfall camera hill flight.csv --limit infinite; echo $?
landfall camera hill flight.csv --clearance inf; echo $?
