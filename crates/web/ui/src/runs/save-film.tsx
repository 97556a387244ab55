/** Saves what "Watch it learn" shows as a film. */

import { centreOf } from '../analyse/arrow-layout.ts';
import { ArrowLayer } from '../analyse/arrows.tsx';
import { drawBoard } from '../board/draw.ts';
import { LABEL_SCALE } from '../board/mini.tsx';
import { currentLook, drawn, standalone } from '../board/picture.tsx';
import { sightArrows } from '../networks/probes.tsx';
import { rightSquares } from '../networks/right-moves.ts';
import type { ProbeMoment } from '../server/types.ts';
import { saveText } from '../shell/save.ts';
import { type FilmFrame, chosenMoments, filmOf, filmSize } from './film.ts';
import { learnedSentence } from './learned.ts';

/** Longer trainings are shown in steps, so that the file stays below a few megabytes. */
const MOST_FRAMES = 120;
/** Pixels of a square. */
const SCALE = 32;

const NO_FIGURES = new Map<string, string>();

export function saveFilm(run: string, moments: readonly ProbeMoment[]): void {
  const look = currentLook();
  const positions = moments.at(-1)?.positions ?? [];
  const boards = positions.map(({ name, fen }) => ({ name, picture: drawBoard({ fen, orientation: 'white' }, look) }));
  const frames = chosenMoments(moments.length, MOST_FRAMES).map((index): FilmFrame => {
    const moment = moments[index];
    return {
      title: `${run}, step ${(moment?.step ?? 0).toLocaleString('en')}`,
      boards: positions.map(({ name, fen }) => {
        const sight = moment?.positions.find((one) => one.name === name);
        const arrows = sight ? sightArrows({ wdl: sight.wdl, moves: sight.moves.map(([uci, prior]) => ({ uci, san: uci, prior })) }, 'net-a') : [];
        const layer = drawn(<ArrowLayer arrows={arrows} orientation="white" figures={NO_FIGURES} labelScale={LABEL_SCALE} />);
        return { over: layer + rightSquares(fen).map(tickOn).join(''), sentence: learnedSentence(moments, index, name) };
      }),
    };
  });
  saveText(`${run}.svg`, standalone(filmSize(boards.length), filmOf(boards, frames), look, SCALE), 'image/svg+xml');
}

/** The tick of small boards, in the upper right corner of its square. */
function tickOn(square: string): string {
  const [x, y] = centreOf(square, 'white');
  return `<g transform="translate(${x + 0.28} ${y - 0.28})"><circle r=".26" fill="#1b6b45" stroke="#ffffff" stroke-width=".04"/><path d="M-.14 .01l.1 .1l.18 -.22" fill="none" stroke="#ffffff" stroke-width=".07"/></g>`;
}
