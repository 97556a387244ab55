SELECT * REPLACE (split_of(position_key(position), 0.1) AS split, NULL AS game) FROM positions
