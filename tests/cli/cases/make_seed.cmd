landfall make park -o one.ply --seed 7
landfall make park -o two.ply --seed 7 -j 1
landfall make park -o three.ply --seed 8
cmp one.ply two.ply && echo same
cmp -s one.ply three.ply || echo other
