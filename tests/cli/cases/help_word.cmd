landfall help ray | head -1
landfall help nonsense
