SELECT eco,
       count(*) AS games,
       avg((result + 1) / 2.0) AS white_score,
       avg((white_rating + black_rating) / 2.0) AS rating
FROM games
GROUP BY eco
ORDER BY games DESC, eco
