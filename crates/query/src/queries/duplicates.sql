SELECT fen(first_value(position)) AS fen,
       count(*) AS samples,
       count(*) FILTER (WHERE split = 'train') AS train,
       count(*) FILTER (WHERE split = 'validation') AS validation,
       count(DISTINCT best_move) AS best_moves
FROM positions
GROUP BY position_key(position)
HAVING count(*) > 1
ORDER BY samples DESC, fen
LIMIT 20
