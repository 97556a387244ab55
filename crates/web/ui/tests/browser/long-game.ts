/** 41 moves of two club players with every kind of fault (our own, played for this test). */
export const LONG = `[White "Anna"]
[Black "Bert"]
[WhiteElo "1510"]
[BlackElo "1527"]
[Result "0-1"]
[UTCDate "2026.11.01"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Nxd5 6. Nxf7 Kxf7 7. Qf3+ Ke6 8. Nc3 Nce7 9. O-O c6 10. Re1 Kd7
11. Rxe5 Kc7 12. d4 b5 13. Bb3 Be6 14. Bg5 h6 15. Bh4 g5 16. Bg3 Kb7 17. Nxd5 Nxd5 18. Rae1 Bd6 19. Rxe6 Bxg3
20. hxg3 Qf8 21. Qxd5 cxd5 22. Re7+ Kb6 23. c4 bxc4 24. Bxc4 dxc4 25. Rb1 Qf5 26. Rbe1 Rhe8 27. Rxe8 Rxe8 28. Rxe8 Qb1+
29. Kh2 Qxb2 30. Re6+ Kb5 31. Re5+ Kb4 32. Re4 Qxf2 33. Kh3 Qf1 34. Kh2 c3 35. Re7 c2 36. Rb7+ Kc3 37. Rc7+ Kxd4
38. Rd7+ Ke3 39. Re7+ Kd2 40. Rd7+ Kc1 41. Rc7 Qf5 0-1
`;
