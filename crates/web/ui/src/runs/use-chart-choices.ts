/** How the reader wants the charts drawn; kept in the address. */

import { useEffect, useState } from 'preact/hooks';
import { type Route, rename } from '../route.ts';
import type { Axis } from './columns.ts';

const AXES: Axis[] = ['step', 'positions', 'time'];

export type ChartChoices = ReturnType<typeof useChartChoices>;

export function useChartChoices(route: Route) {
  const [smoothing, setSmoothing] = useState(() => Number(route.query.get('smooth') ?? 0.6) || 0);
  const [logarithmic, setLogarithmic] = useState(route.query.has('log'));
  const [axis, setAxis] = useState<Axis>(() => AXES.find((one) => one === route.query.get('x')) ?? 'step');
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    const set = (name: string, value: string, usual: string) => (value === usual ? query.delete(name) : query.set(name, value));
    set('smooth', String(smoothing), '0.6');
    set('x', axis, 'step');
    set('log', logarithmic ? '1' : '', '');
    rename(location.pathname + (query.size > 0 ? `?${query}` : ''));
  }, [smoothing, axis, logarithmic, route]);
  return { smoothing, setSmoothing, logarithmic, setLogarithmic, axis, setAxis };
}
