/** Results of `tabiya metrics` and `tabiya calibrate`: moves of people, agreement with references, expected scores, strength. */

import { Table, figures } from '../shell/table.tsx';
import { Intervals } from './intervals.tsx';
import { OverlapCircles } from './overlap.tsx';
import { Plot } from './plot.tsx';
import { type Share, percent, shareText } from './reports.ts';

interface HumanBand {
  band: number | null;
  games: number;
  matched: Share;
  random: number;
  first_legal: number;
  material: number;
}

export interface HumanReport {
  matched: { bands: HumanBand[]; overall: HumanBand };
  losses: { player: string; mean: Share; blunders: Share }[];
}

export function HumanDetail({ report }: { report: HumanReport }) {
  const { bands, overall } = report.matched;
  const rows = [...bands, overall].map((band) => ({
    name: band.band === null ? 'all' : String(band.band),
    value: 100 * band.matched.value,
    low: 100 * band.matched.lower,
    high: 100 * band.matched.upper,
    text: shareText(band.matched),
    more: [String(band.games), percent(band.random), percent(band.first_legal), percent(band.material)],
  }));
  return (
    <>
      <p class="result-line figure">
        {shareText(overall.matched)} of {overall.matched.samples.toLocaleString('en')} moves of people found
      </p>
      <Intervals title="Rating from" value="Moves found" more={['Games', 'Random', 'First legal', 'Material']} rows={rows} />
      {report.losses.length > 0 && (
        <Table label="Centipawns lost" columns={[{ title: 'Moves of' }, ...['Centipawns lost a move (95 %)', 'Lose 100 or more (95 %)'].map(figures)]}>
          {report.losses.map((loss) => (
            <tr key={loss.player}>
              <th scope="row">{loss.player}</th>
              <td class="number">{meanText(loss.mean, 1)}</td>
              <td class="number">{shareText(loss.blunders)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface Agreement {
  player: string;
  positions: number;
  counts: [number, number, number, number];
  first: Share;
  second: Share;
  references: Share;
  where_agreed: Share | null;
  legacy: { accuracy: number; precision: number | null; recall: number | null; f1: number | null };
}

export interface AgreementReport {
  table: Agreement;
  baselines: Agreement[];
  others?: { table: Agreement }[];
}

export function AgreementDetail({ report }: { report: AgreementReport }) {
  const others = (report.others ?? []).map((other) => other.table);
  const all = [report.table, ...others, ...report.baselines];
  const ratio = (value: number | null) => (value === null ? '-' : value.toFixed(4));
  return (
    <>
      <p>
        The references agree with each other in {shareText(report.table.references)} of {report.table.positions} positions; precision, recall and F1 follow from that more than
        from the player, as the row of the random mover shows.
      </p>
      {(['first', 'second'] as const).map((reference) => (
        <Intervals
          key={reference}
          title={`Moves equal to the ${reference} reference`}
          value="Share"
          more={['Where both agree (95 %)']}
          rows={all.map((one) => ({
            name: one.player,
            value: 100 * one[reference].value,
            low: 100 * one[reference].lower,
            high: 100 * one[reference].upper,
            text: shareText(one[reference]),
            more: [one.where_agreed ? shareText(one.where_agreed) : ''],
          }))}
        />
      ))}
      <OverlapCircles
        player={report.table.player}
        positions={report.table.positions}
        counts={report.table.counts}
        referencesAgree={report.table.references.value}
      />
      <Table label="Counts" columns={[{ title: 'Moves equal to' }, ...['Both', 'First only', 'Second only', 'Neither', 'Accuracy', 'Precision', 'Recall', 'F1'].map(figures)]}>
        {all.map(({ player, counts, legacy }) => (
          <tr key={player}>
            <th scope="row">{player}</th>
            {counts.map((count, index) => (
              <td key={index} class="number">
                {count.toFixed(0)}
              </td>
            ))}
            {[legacy.accuracy, legacy.precision, legacy.recall, legacy.f1].map((value, index) => (
              <td key={index} class="number">
                {ratio(value)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  );
}

interface Calibration {
  player: string;
  bins: { from: number; to: number; expected: number; scored: Share }[];
  brier: Share;
  error: Share;
}

export interface ValueReport {
  calibration: Calibration;
  baselines: Calibration[];
}

export function ValueDetail({ report }: { report: ValueReport }) {
  const all = [report.calibration, ...report.baselines];
  const series = all.map((one) => ({
    name: one.player,
    mark: 'dots' as const,
    points: one.bins.map((bin) => ({ x: 100 * bin.expected, y: 100 * bin.scored.value, low: 100 * bin.scored.lower, high: 100 * bin.scored.upper })),
  }));
  const ideal = { name: 'as expected', mark: 'line' as const, points: [0, 100].map((end) => ({ x: end, y: end })) };
  return (
    <>
      <Table label="Expected scores" columns={[{ title: 'Expected by' }, ...['Squared error (95 %)', 'Calibration error (95 %)', 'Positions'].map(figures)]}>
        {all.map((one) => (
          <tr key={one.player}>
            <th scope="row">{one.player}</th>
            <td class="number">{meanText(one.brier, 4)}</td>
            <td class="number">{meanText(one.error, 3)}</td>
            <td class="number">{one.brier.samples}</td>
          </tr>
        ))}
      </Table>
      <Plot title="Expected and scored" x="expected score of the mover, %" y="score, % (95 %)" series={[...series, ideal]} />
      <Table label="By expected score" columns={[{ title: 'Expected' }, ...['Mean', 'Scored (95 %)', 'Positions'].map(figures)]}>
        {report.calibration.bins.map((bin) => (
          <tr key={bin.from}>
            <th scope="row">
              {(100 * bin.from).toFixed(0)}-{(100 * bin.to).toFixed(0)} %
            </th>
            <td class="number">{percent(bin.expected)}</td>
            <td class="number">{shareText(bin.scored)}</td>
            <td class="number">{bin.scored.samples}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

export interface StrengthReport {
  network: string;
  network_hash: string;
  conditions: string;
  levels: { nodes: number; temperature: number; elo: number; lower: number; upper: number; games: number }[];
}

export function StrengthDetail({ report }: { report: StrengthReport }) {
  const rows = report.levels.map((level) => ({
    name: `${level.nodes} nodes, temperature ${level.temperature}`,
    value: level.elo,
    low: level.lower,
    high: level.upper,
    text: `${level.elo.toFixed(0)} (${level.lower.toFixed(0)} to ${level.upper.toFixed(0)})`,
    more: [String(level.games)],
  }));
  const settled = report.levels.filter((level) => level.temperature === 0).sort((first, second) => first.nodes - second.nodes);
  const points = settled.map((level) => ({ x: Math.log2(level.nodes), y: level.elo, low: level.lower, high: level.upper }));
  return (
    <>
      <Intervals title="Setting" value="Elo" more={['Games']} rows={rows} />
      {points.length > 2 && (
        <Plot title="Rating by nodes at temperature 0" x="nodes a move" y="Elo (95 %)" series={[{ name: 'rating', mark: 'line', points }]} label={(x) => String(Math.round(2 ** x))} />
      )}
      <p class="note">
        {report.conditions} Network {report.network_hash}.
      </p>
    </>
  );
}

export interface TrainingReport {
  steps: number;
  curves: { title: string; series: { name: string; points: [number, number][] }[] }[];
}

export function TrainingDetail({ report }: { report: TrainingReport }) {
  return (
    <>
      {report.curves.map((curve) => (
        <Plot
          key={curve.title}
          title={curve.title}
          x="step"
          y="loss, nats"
          series={curve.series.map(({ name, points }) => ({ name, mark: 'line', points: points.map(([x, y]) => ({ x, y })) }))}
        />
      ))}
    </>
  );
}

function meanText(mean: Share, digits: number): string {
  return `${mean.value.toFixed(digits)} (${mean.lower.toFixed(digits)} to ${mean.upper.toFixed(digits)})`;
}
