/** Files and texts dropped anywhere on the screen. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Handlers {
  /** Receives a dropped text, or the text of a file if there is no handler for files. */
  onText?: (text: string) => void;
  /** Receives a dropped file. */
  onFile?: (file: File) => void;
}

/** Tells whether something that can be dropped is over the page, and what was wrong with the last thing dropped. */
export function useDrop(handlers: Handlers, longest: number): { over: boolean; problem: string | null } {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  // Registered with the screen and not after its first frame, which may come late, so that nothing dropped is lost.
  useLayoutEffect(() => {
    const carries = (event: DragEvent) => event.dataTransfer?.types.some((type) => type === 'Files' || type === 'text/plain') ?? false;
    const enter = (event: DragEvent) => {
      if (!carries(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = async (event: DragEvent) => {
      if (!carries(event)) return;
      event.preventDefault();
      setOver(false);
      setProblem(null);
      const [file] = event.dataTransfer?.files ?? [];
      if (file && file.size > longest) return setProblem(`${file.name} has ${file.size} bytes; expected at most ${longest}.`);
      const { onFile, onText } = latest.current;
      const plain = event.dataTransfer?.getData('text/plain') ?? '';
      if (file && onFile) return onFile(file);
      const text = file ? await file.text() : plain;
      if (text.trim()) onText?.(text);
    };
    const handle = (event: DragEvent) => void drop(event);
    addEventListener('dragover', enter);
    addEventListener('dragleave', leave);
    addEventListener('drop', handle);
    return () => {
      removeEventListener('dragover', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', handle);
    };
  }, [longest]);
  return { over, problem };
}
