/** Which games of a table count: ranges of ratings and years. */

/** The ends of both ranges under their names in requests; an empty text bounds nothing. */
export interface PlayedBounds {
  rating_from: string;
  rating_to: string;
  year_from: string;
  year_to: string;
}

export const NO_FILTER: PlayedBounds = { rating_from: '', rating_to: '', year_from: '', year_to: '' };

const RATINGS = 'Mean rating of both players, as in the explorer of Lichess. Games without ratings then do not count.';
const YEARS = 'Games without a year then do not count.';

/** The fields, in the order in which they are shown. */
const FIELDS: readonly [bound: keyof PlayedBounds, label: string, before: string, title: string][] = [
  ['rating_from', 'Lowest rating', 'Rating', RATINGS],
  ['rating_to', 'Highest rating', 'to', RATINGS],
  ['year_from', 'First year', 'Year', YEARS],
  ['year_to', 'Last year', 'to', YEARS],
];

export function filters(bounds: PlayedBounds): boolean {
  return Object.values(bounds).some((text) => text !== '');
}

/** The query about the games of a position that pass. */
export function filterQuery(fen: string, bounds: PlayedBounds): string {
  const query = new URLSearchParams({ fen });
  for (const [bound] of FIELDS) if (bounds[bound] !== '') query.set(bound, bounds[bound]);
  return query.toString();
}

/** A whole number from 1 to 9999 as text; an empty text for anything else. */
export function boundOf(text: string): string {
  const number = Math.round(Number(text));
  return number >= 1 && number <= 9999 ? String(number) : '';
}

export function PlayedFilter({ filter, onFilter }: { filter: PlayedBounds; onFilter: (filter: PlayedBounds) => void }) {
  return (
    <div class="played-filter" role="group" aria-label="Games that count">
      {FIELDS.map(([bound, label, before, title]) => (
        <label key={bound} title={title}>
          <span aria-hidden="true">{before}</span>
          <input
            type="number"
            aria-label={label}
            min={1}
            max={9999}
            value={filter[bound]}
            onChange={(event) => {
              const text = boundOf(event.currentTarget.value);
              event.currentTarget.value = text;
              onFilter({ ...filter, [bound]: text });
            }}
          />
        </label>
      ))}
      {filters(filter) && (
        <button type="button" class="link" onClick={() => onFilter(NO_FILTER)}>
          All games
        </button>
      )}
    </div>
  );
}
