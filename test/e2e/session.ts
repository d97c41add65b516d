/**
 * A VS Code for one describe: a workspace of its own, pictures, and a console without violations.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../scripts/install/project';
import { TIMEOUT_MS } from '../../scripts/host/until';
import { screenshot, startHost, type Host, type HostOptions } from '../../scripts/vscodeHost';

export interface Session {
  readonly page: Page;
  readonly workspace: string;
  /** A folder outside of the workspace. */
  readonly elsewhere: string;
  readonly picture: (name: string) => Promise<void>;
  /** What the page and its frames refused because of a content security policy, so far. */
  readonly violations: readonly string[];
}

export interface SessionOptions extends Partial<Omit<HostOptions, 'env'>> {
  /** Files of the workspace beside the sample's, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the folder outside of the workspace; what it returns is the server's environment. */
  readonly prepare?: (elsewhere: string) => Promise<Readonly<Record<string, string>>>;
}

/** Every session's workspace needs quoting wherever a path is used. */
const FOLDER = `it's "one" ü 行列 $HOME & $(x)`;

const PICTURES = join(projectRoot(), 'out', 'screenshots', 'e2e');

/** Call it in a describe: opens one VS Code before its tests and closes it after them. */
export function openVscode({ files = {}, prepare, ...options }: SessionOptions): () => Session {
  let folder = '';
  let host: Host | undefined;
  let session: Session | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gemm-e2e-'));
    const workspace = join(folder, FOLDER);
    await cp(join(projectRoot(), 'scripts', 'sample'), workspace, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), text);
    }
    const env = (await prepare?.(folder)) ?? {};
    host = await startHost({ trust: 'trusted', ...options, workspace, env });
    const { page } = host;
    const violations: string[] = [];
    page.on('console', message => {
      const text = message.text();
      if (/Content Security Policy/i.test(text)) violations.push(text);
    });
    const picture = (name: string) => screenshot(page, join(PICTURES, `${name}.png`));
    session = { page, workspace, elsewhere: folder, picture, violations };
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    await session?.picture(`failed ${this.currentTest.title.replace(/\W+/g, ' ').slice(0, 60)}`);
  });

  after(async () => {
    await host?.close();
    await rm(folder, { recursive: true, force: true });
  });

  return () => {
    assert.ok(session, 'VS Code did not start');
    return session;
  };
}

/** The files below a folder and the hashes of their bytes. */
export async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.map(async entry => {
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256');
    if (entry.isFile()) hash.update(await readFile(path));
    return [path.slice(folder.length), entry.isFile() ? hash.digest('hex') : 'folder'] as const;
  });
  return Object.fromEntries((await Promise.all(files)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Waits until `ask` gives what `accept` takes; fails with the last answer. */
export async function eventually<T>(
  ask: () => Promise<T>,
  accept: (answer: T) => boolean,
  what: string,
): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (accept(answer)) return answer;
    if (Date.now() > deadline)
      assert.fail(`${what}; last seen:\n${JSON.stringify(answer, null, 2)}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
