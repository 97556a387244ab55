SELECT split,
       count(*) FILTER (WHERE result = 1) AS white,
       count(*) FILTER (WHERE result = 0) AS draw,
       count(*) FILTER (WHERE result = -1) AS black,
       count(*) FILTER (WHERE result IS NULL) AS unknown
FROM games
GROUP BY split
ORDER BY split
