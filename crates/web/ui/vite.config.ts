import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { firstPaint } from './first-paint.ts';
import { openings } from './openings-table.ts';

/** Puts a gzipped copy beside each text file, so that the server need not compress files that never change. */
function gzipped(): Plugin {
  return {
    name: 'gzipped',
    apply: 'build',
    closeBundle() {
      const folder = fileURLToPath(new URL('dist/assets/', import.meta.url));
      for (const name of readdirSync(folder)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        writeFileSync(`${folder}${name}.gz`, gzipSync(readFileSync(folder + name), { level: 9 }));
      }
    },
  };
}

/** Turns a page into a single document: its script and its styles are written into it, so that it opens from a file. */
function inlined(): Plugin {
  return {
    name: 'inlined',
    enforce: 'post',
    generateBundle(_, bundle) {
      const take = (name: string): string => {
        const file = bundle[name.slice(1)];
        if (!file) throw new Error(`${name} is no part of the page`);
        delete bundle[file.fileName];
        return file.type === 'chunk' ? file.code.replaceAll('</script', '<\\/script') : String(file.source);
      };
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.html')) continue;
        file.source = String(file.source)
          .replace(/<link rel="stylesheet"[^>]* href="([^"]+)">/, (_, name: string) => `<style>${take(name)}</style>`)
          .replace(/<script type="module"[^>]* src="([^"]+)"><\/script>/, (_, name: string) => `<script type="module">${take(name)}</script>`);
      }
    },
  };
}

/** Default address of `tabiya play`. */
const SERVER = 'http://127.0.0.1:8080';

/** `vite build` makes the page, `vite build --mode report` the document that `tabiya report` fills with results. */
export default defineConfig(({ mode }) => ({
  build: {
    emptyOutDir: mode !== 'report',
    rollupOptions: { input: mode === 'report' ? 'report.html' : 'index.html' },
    target: 'es2022',
    // The board's pieces are pictures inside the style sheet; nothing else is large.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // For developing only the page: requests go to `tabiya play`, which answers only its own page.
  server: { proxy: { '/api': { target: SERVER, ws: true, changeOrigin: true, headers: { origin: SERVER } } } },
  plugins: mode === 'report' ? [inlined()] : [openings(), firstPaint(), gzipped()],
}));
