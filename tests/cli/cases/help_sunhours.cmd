landfall help sunhours
