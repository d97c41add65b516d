/** Interpreters for tests: Python with a stand-in for PyTorch, and hostile programs. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fakeProgram, present } from '../support';

const MODULES = path.resolve('test/host/fixtures/python');

/**
 * Returns the path of an interpreter whose PyTorch is the stand-in in fixtures/python; undefined
 * without Python. `more` are lines of sh in front of its start.
 */
export function standInPython(folder: string, name = 'python3', more = ''): string | undefined {
  const python = process.platform === 'win32' ? undefined : present('python3');
  if (python === undefined) return undefined;
  const file = path.join(folder, name);
  writeFileSync(
    file,
    `#!/bin/sh\nexport PYTHONPATH='${MODULES}'\n${more}\nexec '${python}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** A program that claims to be Python 3.12; `body` is JavaScript that handles its requests. */
export const fakePython = (folder: string, body: string): string =>
  fakeProgram(
    folder,
    'fakePython',
    `if (args[0] === '--version') { console.log('Python 3.12.1'); process.exit(0); }
const say = (line, more) => process.stdout.write(JSON.stringify({ id: line.id, ok: true, ...more }) + '\\n');
const OPENED = { python: '3.12.1', torch: '2.11', triton: null };
const hear = line => { ${body} };
let text = '';
process.stdin.on('data', chunk => { const lines = (text + chunk).split('\\n'); text = lines.pop(); lines.forEach(line => hear(JSON.parse(line))); });
process.stdin.on('end', () => process.exit(0));`,
  );
