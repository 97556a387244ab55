/** `table.key` to value, words without their quotes; a resolved recipe has one key per line. */
export function keysOf(recipe: string): Map<string, string> {
  const keys = new Map<string, string>();
  let table = '';
  for (const line of recipe.split('\n')) {
    const header = /^\[(.+)\]$/.exec(line.trim());
    const pair = /^([\w-]+)\s*=\s*(.*)$/.exec(line.trim());
    if (header) table = `${header[1]}.`;
    else if (pair) keys.set(`${table}${pair[1]}`, (pair[2] as string).replace(/^"([^"\\]*)"$/, '$1'));
  }
  return keys;
}
