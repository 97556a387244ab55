import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const SOURCE = 'src';
/** Lines from the first to the last of a function, with the functions and the markup inside it. */
const LONGEST = 100;

/** Functions of a file that are too long, each with its place and its length. */
function longFunctions(name: string): string[] {
  const file = ts.createSourceFile(name, readFileSync(join(SOURCE, name), 'utf8'), ts.ScriptTarget.Latest, true);
  const lineAt = (place: number) => file.getLineAndCharacterOfPosition(place).line + 1;
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node)) {
      const [first, last] = [lineAt(node.getStart()), lineAt(node.end)];
      if (last - first >= LONGEST) found.push(`${name}:${first} has ${last - first + 1} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('no function has more than a hundred lines', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  assert.ok(files.length > 100);
  assert.deepEqual(files.flatMap(longFunctions), []);
});
