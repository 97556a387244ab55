/** The moves in two columns with the seconds spent; a click or the keys show any position. */

import { useRef } from 'preact/hooks';
import type { Station } from '../chess/position.ts';
import type { MoveView } from '../server/types.ts';
import { useInSight } from '../shell/in-sight.ts';

interface Props {
  stations: Station[];
  moves: MoveView[];
  ply: number;
  onChoose: (ply: number) => void;
}

export function MoveList({ stations, moves, ply, onChoose }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const start = stations[0]?.fen.split(' ') ?? [];
  const offset = start[1] === 'b' ? 1 : 0;
  const firstNumber = Number(start[5] ?? 1);
  useInSight(list, [ply, stations.length]);
  const rows = Math.ceil((stations.length - 1 + offset) / 2);
  return (
    <ol class="move-list scrolls" ref={list} aria-label="Moves" tabIndex={0}>
      {rows === 0 ? (
        <li class="note">No move yet.</li>
      ) : (
        <li class="move-head" aria-hidden="true">
          <span />
          <span>White</span>
          <span>Black</span>
          <span class="seconds">s</span>
          <span class="seconds">s</span>
        </li>
      )}
      {Array.from({ length: rows }, (_, row) => {
        const white = 2 * row + 1 - offset;
        return (
          <li key={row}>
            <span class="move-number figure">{firstNumber + row}</span>
            <Cell ply={white} station={stations[white]} current={ply === white} onChoose={onChoose} />
            <Cell ply={white + 1} station={stations[white + 1]} current={ply === white + 1} onChoose={onChoose} />
            <span class="seconds figure">{seconds(moves[white - 1])}</span>
            <span class="seconds figure">{seconds(moves[white])}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface CellProps {
  ply: number;
  station: Station | undefined;
  current: boolean;
  onChoose: (ply: number) => void;
}

function Cell({ ply, station, current, onChoose }: CellProps) {
  if (!station || ply < 1) return <span class="move-gap">{ply < 1 ? '...' : ''}</span>;
  return (
    <button type="button" class="move" aria-current={current ? 'step' : undefined} onClick={() => onChoose(ply)}>
      {station.san}
    </button>
  );
}

function seconds(move: MoveView | undefined): string {
  return move ? (move.elapsed_ms / 1000).toFixed(1) : '';
}
