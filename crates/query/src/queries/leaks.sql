WITH trained AS (
    SELECT DISTINCT position_key(position) AS key FROM positions WHERE split = 'train'
), held_out AS (
    SELECT position_key(position) AS key FROM positions WHERE split = 'validation'
)
SELECT count(*) AS validation,
       count(trained.key) AS leaks,
       CASE WHEN count(*) > 0 THEN CAST(count(trained.key) AS DOUBLE) / count(*) END AS share
FROM held_out LEFT JOIN trained ON held_out.key = trained.key
