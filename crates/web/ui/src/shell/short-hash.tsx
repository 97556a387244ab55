/** A text in which hashes are shortened to eight letters, each with a button that copies it whole. */

import { useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { hashParts } from './hash-parts.ts';

export function ShortHashes({ text }: { text: string }) {
  return (
    <>
      {hashParts(text).map((part, index) => (part.short ? <ShortHash key={index} hash={part.text} short={part.short} /> : part.text))}
    </>
  );
}

function ShortHash({ hash, short }: { hash: string; short: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(hash).then(
      () => setSaid('copied'),
      () => setSaid('not copied'),
    );
  return (
    <span class="short-hash">
      <code title={hash}>{short}</code>
      <button type="button" class="link" aria-label={`Copy ${short} in full`} title="Copy in full" onClick={() => void copy()}>
        <Icon name={said === 'copied' ? 'check' : 'copy'} />
      </button>
      <span class="sr-only" role="status">
        {said}
      </span>
    </span>
  );
}
