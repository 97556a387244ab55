SELECT split,
       count(centipawns) AS centipawns,
       count(mate) AS mates,
       count(*) FILTER (WHERE centipawns IS NULL AND mate IS NULL) AS unevaluated,
       count(played_move) AS slips,
       count(*) FILTER (WHERE slips > 0) AS before_slips,
       count(*) FILTER (WHERE repetitions > 0) AS repeated,
       count(result) AS with_result,
       count(search_win) AS with_search_value
FROM positions
GROUP BY split
ORDER BY split
