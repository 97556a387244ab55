/** Hashes in a text: 32 to 128 hexadecimal digits that stand alone, as of files and commits. */

const HASH = /\b[0-9a-f]{32,128}\b/g;
const SHOWN = 8;

export interface HashPart {
  text: string;
  /** The first letters of a hash; null for the text between hashes. */
  short: string | null;
}

export function hashParts(text: string): HashPart[] {
  const parts: HashPart[] = [];
  let end = 0;
  for (const { 0: hash, index } of text.matchAll(HASH)) {
    if (index > end) parts.push({ text: text.slice(end, index), short: null });
    parts.push({ text: hash, short: hash.slice(0, SHOWN) });
    end = index + hash.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), short: null });
  return parts;
}
