WITH held_out AS (
    SELECT DISTINCT position_key(position) AS key FROM positions WHERE split = 'validation'
), leaks AS (
    SELECT key
    FROM held_out LEFT SEMI JOIN (
        SELECT position_key(position) AS trained FROM positions WHERE split = 'train'
    ) ON key = trained
)
SELECT * FROM positions WHERE split = 'train'
UNION ALL
SELECT samples.*
FROM leaks RIGHT ANTI JOIN (SELECT * FROM positions WHERE split = 'validation') AS samples
    ON leaks.key = position_key(samples.position)
