import { useCallback, useState } from 'preact/hooks';

/** Several values in one state. The setter changes some of them; if they are what they were, nothing is drawn again. */
export function useFields<T extends object>(initial: () => T): [T, (changes: Partial<T>) => void] {
  const [fields, setFields] = useState(initial);
  const change = useCallback((changes: Partial<T>) => {
    const names = Object.keys(changes) as (keyof T)[];
    setFields((now) => (names.some((name) => now[name] !== changes[name]) ? { ...now, ...changes } : now));
  }, []);
  return [fields, change];
}
