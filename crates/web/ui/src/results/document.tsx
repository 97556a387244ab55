/** The document of `tabiya report`: several results, and the ratings that can be compared. */

import { type Report, ResultBody } from './body.tsx';
import { Intervals } from './intervals.tsx';
import { ratingText } from './reports.ts';

interface SectionRating {
  name: string;
  scale: string;
  elo: number | null;
  interval: [number | null, number | null];
}

export interface ReportDocument {
  title: string;
  sections: { title: string; source: string; ratings: SectionRating[]; data: Report }[];
}

export function DocumentBody({ report, links }: { report: ReportDocument; links: boolean }) {
  const ratings = report.sections.flatMap((section) => section.ratings);
  const scales = [...new Set(ratings.map((rating) => rating.scale))];
  return (
    <>
      {scales.map((scale) => (
        <Comparison key={scale} scale={scale} ratings={ratings.filter((rating) => rating.scale === scale)} />
      ))}
      {report.sections.map((section) => (
        <section key={section.source} class="report-section">
          <h2>{section.title}</h2>
          <ResultBody report={section.data} links={links} />
        </section>
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
