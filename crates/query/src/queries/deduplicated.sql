WITH samples AS (
    -- The least rank is the best: what makes a sample worth keeping is in its upper bits, below is a hash, so that few samples of a
    -- position share theirs.
    SELECT *,
           position_key(position) AS key,
           (CASE split WHEN 'train' THEN 0 ELSE 512 END
               + CASE WHEN centipawns IS NULL AND mate IS NULL THEN 256 ELSE 0 END
               + 255 - least(coalesce(CAST(depth AS BIGINT), 0), 255)) * 4503599627370496
               + hash(coalesce(game, position_key(position)), ply, source, best_move) / 2048 AS rank
    FROM positions
), repeated AS (
    SELECT key FROM samples GROUP BY key HAVING count(*) > 1
), kept AS (
    SELECT key, min(rank) AS rank, first_value(stored ORDER BY rank) AS equals
    FROM (
        SELECT samples.key, samples.rank, count(*) AS stored
        FROM repeated RIGHT SEMI JOIN samples ON repeated.key = samples.key
        GROUP BY samples.key, samples.rank
    )
    GROUP BY key
)
-- Only the positions that are stored more than once lie in memory, and games stay together.
SELECT * EXCEPT (key, rank)
FROM kept RIGHT ANTI JOIN samples ON kept.key = samples.key AND (kept.rank <> samples.rank OR kept.equals > 1)
UNION ALL
-- Where several share the best rank, as in stores that keep repeated games, any one of them. The number of a position, which only the left
-- of the join knows, keeps the engine from sorting all samples before the join instead of these after it.
SELECT * EXCEPT (key, rank, number, turn)
FROM (
    SELECT samples.*, tied.number, row_number() OVER (PARTITION BY tied.number) AS turn
    FROM (SELECT key, rank, row_number() OVER () AS number FROM kept WHERE equals > 1) AS tied
    JOIN samples ON tied.key = samples.key AND tied.rank = samples.rank
)
WHERE turn = 1
