/**
 * A root between canaries: secrets around it, links that lead out of it, and programs on PATH that
 * leave a mark. A hook in the server's process notes every file that it opens.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fakeProgram } from '../../host/support';

export const SECRET = 'canary-7f3a-secret';

export interface Canary {
  readonly root: string;
  readonly outside: string;
  readonly env: NodeJS.ProcessEnv;
  /** Names of the fake programs that were started. */
  readonly marks: () => readonly string[];
  /** Paths outside the root and the product that the server opened. */
  readonly opened: () => readonly string[];
  /** Names, kinds and contents of all files in a folder. */
  readonly contents: (folder: string) => Readonly<Record<string, string>>;
}

const PROGRAMS = ['nvcc', 'nvidia-smi', 'python3', 'python', 'g++', 'clang++', 'c++', 'gcc', 'ncu'];

/** Notes the paths that `open` and `readFile` get, of both modules. */
const hookOf = (log: string, outside: string): string => `
const fs = require('node:fs');
const append = fs.appendFileSync;
const resolve = fs.realpathSync;
const outside = resolve(${JSON.stringify(outside)});
const real = file => { try { return resolve(String(file)); } catch { return String(file); } };
for (const module of [fs, fs.promises]) {
  for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'createReadStream', 'mkdir', 'rename', 'unlink', 'rm']) {
    const original = module[name];
    if (original === undefined) continue;
    module[name] = function (file, ...rest) {
      if (real(file).startsWith(outside)) append(${JSON.stringify(log)}, name + ' ' + file + '\\n');
      return original.call(this, file, ...rest);
    };
  }
}
`;

export function canaryIn(folder: string): Canary {
  const [root, outside, tools] = ['root', 'outside', 'tools'].map(name => path.join(folder, name));
  if (root === undefined || outside === undefined || tools === undefined) throw new Error('names');
  for (const each of [root, outside, tools, path.join(root, 'sub')]) mkdirSync(each);
  const spec = JSON.stringify({ problem: { m: 16, n: 16, k: 16 } });
  writeFileSync(path.join(root, 'a.gemm.json'), spec);
  writeFileSync(
    path.join(root, 'sub', 'k.cu'),
    '#include "../../outside/secret.h"\n__global__ void k() {}\n',
  );
  writeFileSync(path.join(outside, 'secret.gemm.json'), `{"problem": "${SECRET}"}`);
  writeFileSync(path.join(outside, 'secret.h'), `// ${SECRET}\n`);
  writeFileSync(
    path.join(outside, 'secret.cu'),
    `// @gemm {"problem": "${SECRET}"}\n__global__ void k() {}\n`,
  );
  symlinkSync(path.join(outside, 'secret.gemm.json'), path.join(root, 'link.gemm.json'));
  symlinkSync(path.join(outside, 'secret.cu'), path.join(root, 'link.cu'));
  symlinkSync(outside, path.join(root, 'up'));
  symlinkSync('/', path.join(root, 'slash'));
  execFileSync('mkfifo', [path.join(root, 'pipe.gemm.json')]);
  for (const name of PROGRAMS)
    fakeProgram(
      tools,
      name,
      `fs.writeFileSync(__dirname + '/' + ${JSON.stringify(name)} + '.mark', '');`,
    );
  const [hook, log] = [path.join(tools, 'hook.cjs'), path.join(tools, 'opened')];
  writeFileSync(hook, hookOf(log, outside));
  return {
    root,
    outside,
    env: {
      ...process.env,
      PATH: tools,
      CUDA_PATH: '',
      CUDA_HOME: '',
      XDG_CACHE_HOME: path.join(tools, 'cache'),
      NODE_OPTIONS: `--require "${hook.replace(/["\\]/g, '\\$&')}"`,
    },
    marks: () => readdirSync(tools).filter(name => name.endsWith('.mark')),
    opened: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    contents,
  };
}

function contents(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) found[file] = `link ${readlinkSync(file)}`;
    else if (stat.isDirectory()) Object.assign(found, { [file]: 'folder' }, contents(file));
    else found[file] = stat.isFile() ? readFileSync(file, 'utf8') : 'special';
  }
  return found;
}
