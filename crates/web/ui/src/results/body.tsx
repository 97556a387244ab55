/** One result, shown by the kind of its report: the view that the page and the file of `tabiya report` share. */

import { Boundary } from '../shell/boundary.tsx';
import { ShortHashes } from '../shell/short-hash.tsx';
import { LadderDetail } from './ladder.tsx';
import { MatchDetail } from './match.tsx';
import {
  AgreementDetail,
  type AgreementReport,
  HumanDetail,
  type HumanReport,
  StrengthDetail,
  type StrengthReport,
  TrainingDetail,
  type TrainingReport,
  ValueDetail,
  type ValueReport,
} from './metrics.tsx';
import { type Conditions, type LadderReport, type MatchReport, type SuiteReport, type TournamentReport } from './reports.ts';
import { SuiteDetail, TournamentDetail } from './suite.tsx';

/** A report as a command printed it. */
export type Report = Record<string, unknown>;

interface ResultBodyProps {
  report: Report;
  /** True if positions link to the analysis board, which a file does not have. */
  links: boolean;
}

export function ResultBody({ report, links }: ResultBodyProps) {
  return (
    <Boundary what="This result">
      <Detail report={report} links={links} />
      <Provenance report={report} />
    </Boundary>
  );
}

function Detail({ report, links }: ResultBodyProps) {
  switch (kindOf(report)) {
    case 'match':
      return <MatchDetail report={report as unknown as MatchReport} />;
    case 'ladder':
      return <LadderDetail report={report as unknown as LadderReport} />;
    case 'tournament':
      return <TournamentDetail report={report as unknown as TournamentReport} />;
    case 'suite':
      return <SuiteDetail report={report as unknown as SuiteReport} links={links} />;
    case 'human':
      return <HumanDetail report={report as unknown as HumanReport} />;
    case 'agreement':
      return <AgreementDetail report={report as unknown as AgreementReport} />;
    case 'value':
      return <ValueDetail report={report as unknown as ValueReport} />;
    case 'strength':
      return <StrengthDetail report={report as unknown as StrengthReport} />;
    case 'training':
      return <TrainingDetail report={report as unknown as TrainingReport} />;
    default:
      return (
        <pre class="mono" tabIndex={0}>
          {JSON.stringify(report, null, 2)}
        </pre>
      );
  }
}

/** The kinds with a view of their own; others are shown as JSON or, in a report, by the tables of their section. */
const VIEWS = new Set(['match', 'ladder', 'tournament', 'suite', 'human', 'agreement', 'value', 'strength', 'training']);

export function hasView(report: Report): boolean {
  return VIEWS.has(kindOf(report));
}

/** `match` of `tabiya-match-1`. Reports from before there were kinds are recognised by their content. */
function kindOf(report: Report): string {
  const kind = /^tabiya-(\w+)-\d+$/.exec(String(report['kind'] ?? ''))?.[1];
  if (kind) return kind;
  if ('levels' in report) return 'ladder';
  return 'conditions' in report ? 'match' : '';
}

/** Players and conditions, for every kind of report that has them. */
function Provenance({ report }: { report: Report }) {
  const conditions = (report['conditions'] ?? (report['matches'] as { conditions: Conditions }[] | undefined)?.[0]?.conditions) as Conditions | string | undefined;
  const facts: [string, string][] = [];
  if (typeof conditions === 'object') {
    for (const { specification, name, pace, identity } of conditions.players ?? []) {
      facts.push(['Player', [`${specification ?? name}: ${name}, ${pace}`, ...(identity ?? []).map((pair) => pair.join(' '))].join('; ')]);
    }
    facts.push(['Openings', conditions.openings], ['Machine', conditions.machine], ['Program', conditions.program ?? '']);
    facts.push(['Seed', String(conditions.seed ?? '')], ['Games at the same time', String(conditions.concurrency ?? '')]);
  }
  for (const [name, key] of [['Player', 'player'], ['Pace', 'pace'], ['Judge', 'judge'], ['Machine', 'machine'], ['Program', 'program']] as const) {
    if (typeof report[key] === 'string') facts.push([name, report[key]]);
  }
  for (const [name, value] of (report['identity'] as [string, string][] | undefined) ?? []) facts.push([name, value]);
  const known = facts.filter(([, text]) => text);
  if (known.length === 0) return null;
  return (
    <>
      <h2>Conditions</h2>
      <dl class="facts">
        {known.map(([name, text]) => (
          <div key={`${name} ${text}`}>
            <dt>{name}</dt>
            <dd class="figure">
              <ShortHashes text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
