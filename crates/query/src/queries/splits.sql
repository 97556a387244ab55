SELECT splits.store, splits.split, splits.samples, splits.bytes, games.games
FROM (
    SELECT store, split, sum(positions) AS samples, sum(bytes) AS bytes FROM splits GROUP BY store, split
) AS splits
LEFT JOIN (
    SELECT store, split, count(*) AS games FROM games GROUP BY store, split
) AS games ON games.store = splits.store AND games.split = splits.split
ORDER BY splits.store, splits.split
