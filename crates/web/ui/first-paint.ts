/**
 * Prepares the first paint at build time. Writes the styles of the outlines and the script that accepts a first move into the
 * document. `page.json` gives the server their hashes, for the content security policy, and the files of each screen, so that
 * the document can name them before any script asks for them.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Plugin, type ResolvedConfig, preprocessCSS, transformWithEsbuild } from 'vite';

const STYLE = fileURLToPath(new URL('styles/first.css', import.meta.url));
const SCRIPT = fileURLToPath(new URL('src/first/first-move.ts', import.meta.url));
/** Marks the place where the server names the files of the screen. */
const PRELOAD_MARK = '<!--preload-->';
const SCRIPT_MARK = '<!--first-script-->';

export function firstPaint(): Plugin {
  let config: ResolvedConfig;
  const hashes: Record<'styles' | 'scripts', string[]> = { styles: [], scripts: [] };
  const hashed = (kind: keyof typeof hashes, text: string): string => {
    hashes[kind] = [`sha256-${createHash('sha256').update(text).digest('base64')}`];
    return text;
  };
  return {
    name: 'first-paint',
    configResolved(resolved) {
      config = resolved;
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html) {
        const style = (await preprocessCSS(readFileSync(STYLE, 'utf8'), STYLE, config)).code;
        const small = (await transformWithEsbuild(style, STYLE, { loader: 'css', minify: true, target: 'es2022' })).code.trim();
        const script = (await transformWithEsbuild(readFileSync(SCRIPT, 'utf8'), SCRIPT, { minify: true, format: 'iife', target: 'es2022' })).code.trim();
        // The rest of the styles goes at the end, where it does not delay anything before it.
        const links = html.match(/\s*<link rel="stylesheet"[^>]*>/g) ?? [];
        const rest = links.reduce((text, link) => text.replace(link, ''), html).replace('</body>', `${links.join('')}\n  </body>`);
        const early = links.map((link) => link.trim().replace('rel="stylesheet"', 'rel="preload" as="style"'));
        return rest
          .replace(PRELOAD_MARK, [...early, PRELOAD_MARK].join('\n    '))
          .replace('</head>', () => `<style>${hashed('styles', small)}</style>\n  </head>`)
          .replace(SCRIPT_MARK, () => `<script>${hashed('scripts', script)}</script>`);
      },
    },
    // Runs after the documents are made, because their styles and scripts are hashed.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const screens: Record<string, string[]> = {};
        const known = new Set<string>();
        const withImports = (name: string, found: Set<string>): Set<string> => {
          const file = bundle[name];
          if (file?.type !== 'chunk' || found.has(name)) return found;
          found.add(name);
          for (const one of file.imports) withImports(one, found);
          return found;
        };
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        for (const entry of chunks.filter((file) => file.isEntry)) withImports(entry.fileName, known);
        for (const { fileName, facadeModuleId } of chunks) {
          const [, screen] = /\/src\/(\w+)\/screen\.tsx$/.exec(facadeModuleId ?? '') ?? [];
          if (screen) screens[screen] = [...withImports(fileName, new Set())].filter((name) => !known.has(name)).map((name) => `/${name}`);
        }
        this.emitFile({ type: 'asset', fileName: 'page.json', source: JSON.stringify({ ...hashes, screens }) });
      },
    },
  };
}
