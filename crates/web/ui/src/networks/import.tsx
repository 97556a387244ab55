/** Imports a network from a file: the page first says what it is, then it may be kept. */

import { useState } from 'preact/hooks';
import { useDrop } from '../analyse/use-drop.ts';
import { Icon } from '../icons.tsx';
import { explain, sendFile } from '../server/request.ts';
import type { NetworkSummary } from '../server/types.ts';
import { sizeText } from './facts.tsx';

const LARGEST_FILE = 256 * 1024 * 1024;

export function ImportNetwork({ onKept }: { onKept: () => void }) {
  const [found, setFound] = useState<{ file: File; network: NetworkSummary } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const look = async (file: File) => {
    setFound(null);
    setSaid('');
    setProblem(null);
    try {
      setFound({ file, network: await sendFile<NetworkSummary>(address(file), file) });
    } catch (error) {
      setProblem(explain(error));
    }
  };
  const keep = async () => {
    if (!found) return;
    try {
      const network = await sendFile<NetworkSummary>(`${address(found.file)}&keep=true`, found.file);
      setFound(null);
      setSaid(`${network.name} is in the list.`);
      onKept();
    } catch (error) {
      setProblem(explain(error));
    }
  };
  const { over, problem: dropProblem } = useDrop({ onFile: (file) => void look(file) }, LARGEST_FILE);
  return (
    <section class="network-import" aria-label="Import a network" data-over={over || undefined}>
      <label class="file-field">
        <Icon name="import" /> <span>Import a network: drop a .pb.gz, .onnx or .tabiya file here, or</span>
        <span class="button">choose a file</span>
        <input
          type="file"
          class="sr-only"
          accept=".gz,.onnx,.tabiya"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file) void look(file);
          }}
        />
      </label>
      {found && (
        <p class="recognised">
          <b>{found.file.name}</b>: {found.network.kind}
          {found.network.rating !== null && ` ${found.network.rating}`}, {found.network.shape}, {found.network.parameters?.toLocaleString('en')} parameters,{' '}
          {sizeText(found.file.size)}{' '}
          <button type="button" class="primary" onClick={() => void keep()}>
            Keep
          </button>{' '}
          <button type="button" onClick={() => setFound(null)}>
            Discard
          </button>
        </p>
      )}
      {(problem ?? dropProblem) && <p class="problem">{problem ?? dropProblem}</p>}
      <p class="note" role="status">
        {said}
      </p>
    </section>
  );
}

function address(file: File): string {
  return `/networks?file=${encodeURIComponent(file.name)}`;
}
