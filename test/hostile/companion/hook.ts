/**
 * Notes every process that the extension host starts and every connection that it opens, with the
 * stack that did it. The companion activates with `*`, before extensions that wait for a file;
 * strace sees the time before.
 */
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

const folder = process.env['GEMM_RECORDS'];

function note(kind: 'process' | 'connection', what: string): void {
  if (folder === undefined) return;
  Error.stackTraceLimit = 60;
  const stack = new Error(kind).stack ?? '';
  appendFileSync(
    join(folder, `hook-${process.pid}.jsonl`),
    `${JSON.stringify({ kind, what, stack })}\n`,
  );
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method by one that notes its arguments first. */
function watch(owner: object, name: string, tell: (args: readonly unknown[]) => void): void {
  const methods = owner as Record<string, Method>;
  const original = methods[name];
  if (original === undefined) throw new Error(`${name} is not a method.`);
  methods[name] = function (...args) {
    tell(args);
    return original.apply(this, args);
  };
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

export function watchExtensionHost(): void {
  watch(childProcess.ChildProcess.prototype, 'spawn', ([options]) => {
    const { file, args } = options as { readonly file: string; readonly args?: readonly string[] };
    note('process', `${file} ${(args ?? []).slice(1).join(' ')}`);
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync'])
    watch(childProcess, name, ([file, args]) => {
      note('process', `${text(file)} ${Array.isArray(args) ? args.join(' ') : ''}`);
    });
  watch(net.Socket.prototype, 'connect', ([given]) => {
    // Node passes its own normalised list of arguments on.
    const [first] = (Array.isArray(given) ? given : [given]) as readonly unknown[];
    const { host, port, path } = (first ?? {}) as Readonly<Record<string, unknown>>;
    if (path === undefined || path === null) note('connection', `${text(host)}:${text(port)}`);
  });
}
