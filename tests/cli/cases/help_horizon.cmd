landfall help horizon
