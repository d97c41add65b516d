/** Markdown pages for users and contributors: their links, headings, fenced code and commands. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const below = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => path.posix.join(folder, file.split(path.sep).join('/')));

/** Paths from the project's root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  ...below('docs'),
  ...below('bench/reports'),
];

export const textOf = (page: string): string => readFileSync(page, 'utf8');

export interface Fence {
  /** Words after the backticks, such as `json first.gemm.json`. */
  readonly info: readonly string[];
  readonly lines: readonly string[];
}

/** Returns the fenced blocks of a page, without their indentation in lists. */
export function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(/^( *)```(.*)\n([^]*?)^\1```$/gm)].map(
    ([, indent = '', info = '', body = '']) => ({
      info: info.trim().split(' '),
      lines: body
        .split('\n')
        .slice(0, -1)
        .map(line => line.slice(indent.length)),
    }),
  );
}

const withoutCode = (text: string): string =>
  text.replace(/^( *)```.*\n[^]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, 'code');

/** Returns the targets of links and pictures that are inside the project. */
export const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/.test(target));

/** Returns the anchors of a page's headings by GitHub's rules. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const headings = text.replace(/^( *)```.*\n[^]*?^\1```$/gm, '').matchAll(/^#+ (.*)$/gm);
  for (const [, heading = ''] of headings) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

export interface Command {
  readonly page: string;
  /** The line as printed on the page. */
  readonly line: string;
  readonly args: readonly string[];
  /** From the fence, such as `console exit=1`. */
  readonly exit: number;
  /** Lines of output on the page, without `...`. */
  readonly output: readonly string[];
}

const CALL = /^(?:\$ |- run: )?(?:npx gemm-explorer|gemm-explorer|node dist\/cli\.js) (.*)$/;

/** Whether a line of code mentions the CLI; each such line must be a command. */
export const mentionsCli = (line: string): boolean =>
  /\bgemm-explorer [a-z]|dist\/cli\.js/.test(line);

/** Returns the commands of a page; a line that is not understood is an error. */
export function commandsOf(page: string, text: string): readonly Command[] {
  return fencesOf(text).flatMap(({ info, lines }) => {
    const exit = Number(/^exit=(\d+)$/.exec(info.at(-1) ?? '')?.[1] ?? 0);
    const isConsole = info[0] === 'console';
    return lines.flatMap((line, index): readonly Command[] => {
      if (!mentionsCli(line) || (isConsole && !line.startsWith('$ '))) return [];
      const [, call] = CALL.exec(line.trim()) ?? [];
      if (call === undefined) throw new Error(`${page}: cannot run "${line}"`);
      const next = lines.findIndex((other, at) => at > index && other.startsWith('$ '));
      const output = isConsole
        ? lines.slice(index + 1, next < 0 ? undefined : next).map(one => one.trimEnd())
        : [];
      return [
        {
          page,
          line: line.trim(),
          args: words(call),
          exit,
          output: output.filter(one => one !== '' && one !== '...'),
        },
      ];
    });
  });
}

/** Splits a command line by quotes; drops a redirection of standard output. */
function words(call: string): readonly string[] {
  const unquoted = call.replaceAll(/"[^"`$]*"|'[^']*'/g, '');
  if (/[|&;<`$]/.test(unquoted)) throw new Error(`Pipelines are not supported: ${call}`);
  const [command = ''] = call.split(/ > /);
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Returns the line of `lines` that shares the most pairs of characters with `line`. */
export function mostSimilar(line: string, lines: Iterable<string>): string {
  const pairs = (text: string): ReadonlySet<string> =>
    new Set(Array.from(text, (character, at) => character + (text[at + 1] ?? '')));
  const own = pairs(line);
  let best = { line: '', share: 0 };
  for (const other of lines) {
    const others = pairs(other);
    const common = [...own].filter(pair => others.has(pair)).length;
    const share = (2 * common) / (own.size + others.size);
    if (share > best.share) best = { line: other, share };
  }
  return best.line;
}
