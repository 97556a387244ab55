SELECT * REPLACE (split_of(coalesce(game, position_key(position)), 0.1) AS split) FROM positions
