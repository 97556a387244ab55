SELECT split, phase(position, ply) AS phase, count(*) AS samples
FROM positions
GROUP BY split, phase
ORDER BY split, min(ply)
