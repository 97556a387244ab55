SELECT split,
       CAST(floor(greatest(least(centipawns, 1999), -2000) / 100.0) AS INTEGER) AS pawns,
       count(*) AS samples
FROM positions
WHERE centipawns IS NOT NULL
GROUP BY split, pawns
ORDER BY split, pawns
