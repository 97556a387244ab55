SELECT piece_count(position) AS pieces,
       count(*) AS samples,
       avg(expected_score(centipawns, mate)) AS expected_score,
       avg((result + 1) / 2.0) AS score
FROM positions
GROUP BY pieces
ORDER BY pieces DESC
