SELECT split,
       CAST(floor(coalesce((white_rating + black_rating) / 2.0, white_rating, black_rating) / 100) * 100 AS INTEGER) AS rating,
       count(*) AS games
FROM games
GROUP BY split, rating
ORDER BY split, rating
