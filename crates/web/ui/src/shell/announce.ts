/** The one place that speaks to screen readers: moves, results and errors, politely. */

let region: HTMLElement | null = null;

export function setRegion(element: HTMLElement | null): void {
  region = element;
}

export function announce(text: string): void {
  if (region) region.textContent = text;
}
