/** Values on the vertical axis. */

/** A number with this many digits: small rates as `4e-4`, because three decimals would all read 0. */
function axisText(value: number, digits: number): string {
  const exact = Number(value.toPrecision(digits));
  return exact !== 0 && Math.abs(exact) < 0.01 ? exact.toExponential() : exact.toLocaleString('en', { maximumFractionDigits: digits });
}

/** Digits of a value unless more are needed to tell neighbours apart, and the most that a number of the chart can have. */
const DIGITS = 4;
const MOST_DIGITS = 9;

/** The texts of an axis, all with as many digits as it takes for none to read like another. Places without a text are null. */
export function axisTexts(splits: readonly (number | null)[]): string[] {
  const texts = (digits: number) => splits.map((value) => (value === null ? '' : axisText(value, digits)));
  for (let digits = DIGITS; digits < MOST_DIGITS; digits++) {
    const shown = texts(digits).filter((text) => text !== '');
    if (new Set(shown).size === shown.length) return texts(digits);
  }
  return texts(MOST_DIGITS);
}

/** Pixels of a digit, and of the tick and the gap beside the text. */
const DIGIT = 7;
const TICK = 15;
const LEAST_WIDTH = 64;

/** Width of an axis with these texts, in pixels. */
export function axisWidth(texts: readonly string[] | null): number {
  return Math.max(LEAST_WIDTH, TICK + DIGIT * Math.max(0, ...(texts ?? []).map((text) => text.length)));
}
