import { useTitle } from './title.ts';

/** The page for an address that does not name anything. */
export function Missing({ what, list }: { what: string; list?: { href: string; text: string } }) {
  useTitle('Not found');
  return (
    <main class="text-page missing">
      <h1>Not found</h1>
      <p>There is no {what}.</p>
      <p>
        <a href={list?.href ?? '/'}>{list?.text ?? 'To the board'}</a>
      </p>
    </main>
  );
}
