/** A ladder: the score against each rung with its interval, the curve of the fitted rating and its band. */

import { playerNames } from '../shell/engine-name.ts';
import { Table, figures } from '../shell/table.tsx';
import { type LadderLine, type LadderReport, gamesOf, percent, ratingText, scoreOf } from './reports.ts';
import { expectedScore, wilson } from './statistics.ts';
import { GamesCells, difference } from './cells.tsx';

const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 44;
const BOTTOM = 28;
/** Rungs with fewer games are drawn hollow. */
const FEW_GAMES = 20;

export function LadderDetail({ report }: { report: LadderReport }) {
  const rungs = report.levels.filter((line) => line.elo !== null && gamesOf(line.games) > 0);
  const [player, opponent] = playerNames(report.conditions?.players);
  return (
    <>
      <p class="result-line figure">
        Rating {ratingText(report.rating)}
        {report.rating && `, ${report.rating.games} games`}
      </p>
      {player && (
        <p class="note">
          {player} against {opponent ?? 'the ladder'}; {report.conditions?.openings}; {report.conditions?.machine}
        </p>
      )}
      {rungs.length > 0 && <Plot rungs={rungs} report={report} />}
      <Table label="Rungs" columns={[{ title: 'Opponent' }, ...['Rating', 'Games', 'W / D / L', 'Score (95 %)', 'Difference (95 %)'].map(figures)]}>
        {[...report.levels, ...(report.beyond ?? [])].map((line) => (
          <Row key={line.opponent} line={line} />
        ))}
      </Table>
      {(report.failures ?? 0) > 0 && <p class="problem">{report.failures} games were lost by failing (time, crash, illegal move).</p>}
    </>
  );
}

function Row({ line }: { line: LadderLine }) {
  const games = gamesOf(line.games);
  const [low, high] = games > 0 ? wilson(scoreOf(line.games), games) : [0, 0];
  return (
    <tr>
      <th scope="row">{line.opponent}</th>
      <td class="number">{line.elo === null ? 'above the scale' : Math.round(line.elo)}</td>
      <GamesCells games={line.games} />
      <td class="number">{games > 0 ? `${percent(scoreOf(line.games))} (${percent(low)} to ${percent(high)})` : ''}</td>
      <td class="number">{line.difference && difference(line.difference.elo, line.difference.lower, line.difference.upper)}</td>
    </tr>
  );
}

function Plot({ rungs, report }: { rungs: LadderLine[]; report: LadderReport }) {
  const ratings = rungs.map((rung) => rung.elo as number);
  const [from, to] = [Math.min(...ratings) - 100, Math.max(...ratings) + 100];
  const x = (elo: number) => LEFT + ((WIDTH - LEFT - 8) * (elo - from)) / (to - from);
  const y = (share: number) => 8 + (HEIGHT - BOTTOM - 8) * (1 - share);
  const curve = (rating: number) =>
    Array.from({ length: 41 }, (_, index) => {
      const elo = from + ((to - from) * index) / 40;
      return `${x(elo).toFixed(1)},${y(expectedScore(rating - elo)).toFixed(1)}`;
    });
  const { rating } = report;
  const band = rating && rating.lower !== null && rating.upper !== null ? [...curve(rating.upper), ...curve(rating.lower).reverse()].join(' ') : null;
  return (
    <svg class="ladder-plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Score against each rung; fitted rating ${ratingText(rating)}. The table below has the figures.`}>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line class={share === 0.5 ? 'plot-half' : 'plot-rule'} x1={LEFT} x2={WIDTH - 8} y1={y(share)} y2={y(share)} />
          <text x={LEFT - 6} y={y(share) + 4} text-anchor="end">
            {100 * share} %
          </text>
        </g>
      ))}
      {band && <polygon class="plot-band" points={band} />}
      {rating?.elo !== null && rating && <polyline class="plot-curve" points={curve(rating.elo as number).join(' ')} />}
      {rungs.map((rung) => {
        const games = gamesOf(rung.games);
        const [low, high] = wilson(scoreOf(rung.games), games);
        const at = x(rung.elo as number);
        return (
          <g key={rung.opponent} class="plot-point">
            <title>{`${rung.opponent}: ${percent(scoreOf(rung.games))} of ${games} games`}</title>
            <line x1={at} x2={at} y1={y(low)} y2={y(high)} />
            <circle cx={at} cy={y(scoreOf(rung.games))} r="4" class={games < FEW_GAMES ? 'hollow' : undefined} />
            <text x={at} y={HEIGHT - 8} text-anchor="middle">
              {Math.round(rung.elo as number)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
