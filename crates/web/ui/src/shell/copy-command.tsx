/** A command to type, with a button that copies it. */

import { useState } from 'preact/hooks';

export function CopyCommand({ text }: { text: string }) {
  const [said, setSaid] = useState('Copy');
  return (
    <span class="copy-command">
      <code>{text}</code>{' '}
      <button
        type="button"
        class="link"
        aria-label={`Copy the command ${text}`}
        onClick={() =>
          navigator.clipboard.writeText(text).then(
            () => setSaid('Copied'),
            () => setSaid('Not copied'),
          )
        }
      >
        {said}
      </button>
    </span>
  );
}
