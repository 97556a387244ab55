/** The address is the state: the screen and what it shows. */

import { useLayoutEffect, useState } from 'preact/hooks';

export interface Route {
  /** Parts of the path without empty ones. */
  path: string[];
  query: URLSearchParams;
  hash: string;
}

const CHANGED = 'tabiya:route';

export function currentRoute(): Route {
  return {
    path: location.pathname.split('/').filter(Boolean).map(decodeURIComponent),
    query: new URLSearchParams(location.search),
    hash: location.hash.slice(1),
  };
}

/** A query with its mark, as in an address. Commas between moves stay commas: `URLSearchParams` writes three characters for each. */
export function queryText(query: URLSearchParams): string {
  const text = query.toString().replaceAll('%2C', ',');
  return text && `?${text}`;
}

/** Goes to an address; Back returns to where it was called. */
export function go(address: string): void {
  if (address === location.pathname + location.search + location.hash) return;
  history.pushState(null, '', address);
  dispatchEvent(new Event(CHANGED));
}

/** Changes the address without a step for Back. Screens keep reading their own state and are not notified. */
export function rename(address: string): void {
  history.replaceState(null, '', address);
}

/** Changes the address with a step for Back. Screens keep reading their own state and are not notified. */
export function step(address: string): void {
  history.pushState(null, '', address);
}

/** Changes the address without a step for Back and shows what it names. */
export function swap(address: string): void {
  rename(address);
  dispatchEvent(new Event(CHANGED));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useLayoutEffect(() => {
    const update = () => setRoute(currentRoute());
    addEventListener('popstate', update);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener(CHANGED, update);
    };
  }, []);
  return route;
}

/** Follows links inside the page without loading it again. */
export function followLinks(event: MouseEvent): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest('a');
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
  if (link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
