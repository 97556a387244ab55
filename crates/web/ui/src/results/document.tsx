/** The document of `tabiya report`: several results, and the ratings that can be compared. */

import { Table } from '../shell/table.tsx';
import { type Report, ResultBody, hasView } from './body.tsx';
import { Intervals } from './intervals.tsx';
import { ratingText } from './reports.ts';

interface SectionRating {
  name: string;
  scale: string;
  elo: number | null;
  interval: [number | null, number | null];
}

interface Section {
  title: string;
  source: string;
  summary: string[];
  tables: { header: string[]; rows: string[][] }[];
  ratings: SectionRating[];
  data: Report;
}

export interface ReportDocument {
  title: string;
  /** Published numbers beside those of the run, one line each; older reports have none. */
  opening?: string[];
  sections: Section[];
}

export function DocumentBody({ report, links }: { report: ReportDocument; links: boolean }) {
  const ratings = report.sections.flatMap((section) => section.ratings);
  const scales = [...new Set(ratings.map((rating) => rating.scale))];
  return (
    <>
      {report.opening && report.opening.length > 0 && (
        <ul class="report-opening">
          {report.opening.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {scales.map((scale) => (
        <Comparison key={scale} scale={scale} ratings={ratings.filter((rating) => rating.scale === scale)} />
      ))}
      {report.sections.map((section) => (
        <section key={section.source} class="report-section">
          <h2>{section.title}</h2>
          {hasView(section.data) ? <ResultBody report={section.data} links={links} /> : <SectionText section={section} />}
        </section>
      ))}
    </>
  );
}

/** A section in the words and tables of its Markdown, for results that have no view of their own. */
function SectionText({ section }: { section: Section }) {
  return (
    <>
      {section.summary.map((text) => (
        <p key={text} class="result-line">
          {text}
        </p>
      ))}
      {section.tables.map(({ header, rows }) => (
        <Table key={header.join()} label={section.title} columns={header.map((title) => ({ title }))}>
          {rows.map(([first, ...cells]) => (
            <tr key={[first, ...cells].join()}>
              <th scope="row">{first}</th>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </Table>
      ))}
    </>
  );
}

/** Ratings on one scale; those on different scales say nothing about each other. */
function Comparison({ scale, ratings }: { scale: string; ratings: SectionRating[] }) {
  if (ratings.length < 2) return null;
  const rows = ratings
    .map(({ name, elo, interval: [low, high] }) => ({ name, value: elo, low, high, text: ratingText({ elo, lower: low, upper: high, games: 0 }) }))
    .sort((first, second) => (second.value ?? second.low ?? -Infinity) - (first.value ?? first.low ?? -Infinity));
  return <Intervals title={`Ratings against ${scale}`} value="Elo" rows={rows} />;
}
