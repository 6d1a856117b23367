landfall help sight
