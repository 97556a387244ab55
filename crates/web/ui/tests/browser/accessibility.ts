/** Violations that axe-core finds on a page. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every fault by a rule of WCAG 2.0 to 2.2, levels A and AA, and those by other rules that axe-core rates serious or critical. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Playwright's evaluate is not bound by the page's content security policy.
  return page.evaluate(async (source) => {
    // eslint-disable-next-line no-eval
    (0, eval)(source);
    const axe = (globalThis as unknown as { axe: { run: (where: Document, options: object) => Promise<{ violations: Violation[] }> } }).axe;
    interface Violation {
      id: string;
      impact: string;
      tags: string[];
      nodes: { html: string; failureSummary: string }[];
    }
    // `target-size` (WCAG 2.2, AA) is off by default. Blocks of the search tree are as high as their share of the visits; the list of
    // the same moves beside them is the equivalent control that the criterion asks for.
    const { violations } = await axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } });
    return violations
      .filter(({ impact, tags }) => impact === 'serious' || impact === 'critical' || tags.some((tag) => /^wcag2\d*aa?$/.test(tag)))
      .map(({ id, nodes }) => ({ id, nodes: nodes.filter(({ html }) => !(id === 'target-size' && html.includes('icicle-block'))) }))
      .filter(({ nodes }) => nodes.length > 0)
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`);
  }, AXE);
}
