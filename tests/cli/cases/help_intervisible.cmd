landfall help intervisible
