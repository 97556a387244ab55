/** A value on the vertical axis: small rates as `4e-4`, because three decimals would all read 0. */
export function axisText(value: number | null): string {
  if (value === null) return '';
  const exact = Number(value.toPrecision(4));
  return exact !== 0 && Math.abs(exact) < 0.01 ? exact.toExponential() : exact.toLocaleString('en', { maximumFractionDigits: 4 });
}
