SELECT store, split, game,
       min(source) AS source,
       min(origin) AS origin,
       count(*) AS positions,
       min(ply) AS first_ply,
       max(ply) AS last_ply,
       max(CASE side_to_move(position) WHEN 'white' THEN result ELSE -result END) AS result,
       max(white_rating) AS white_rating,
       max(black_rating) AS black_rating,
       min(eco) AS eco,
       max(base_seconds) AS base_seconds,
       max(increment_seconds) AS increment_seconds,
       max(slips) AS slips
FROM positions
WHERE game IS NOT NULL
GROUP BY store, split, game
