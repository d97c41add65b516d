/**
 * Counts the visible words of the explorer page outside code and tables: on the first screen and on
 * the whole page, by section, at two window sizes. Records the counts in bench/words.json, and
 * prints them beside the counts at the time of the review.
 *
 * node out/scripts/words.js
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { projectRoot } from './install/project';
import { launch, openExplorer } from './page/explorerPage';
import { show } from './page/samples';
import { TENSOR_SPEC } from './page/tensorSample';
import { countWords, loadAll, total, type Words } from './page/words';
import { table } from './sections';

const WINDOWS = [
  { width: 1000, height: 800 },
  { width: 1600, height: 1000 },
] as const;
const SPECS = [
  { name: 'f32 256', over: {} },
  { name: 'bf16 4096', over: { spec: TENSOR_SPEC } },
] as const;

/** Counts by spec and window, such as `f32 256, 1000x800`. */
type Counts = Readonly<Record<string, Words>>;
interface Counted {
  readonly commit: string;
  readonly counts: Counts;
}
interface WordRecord {
  readonly review?: Counted;
  readonly now?: Counted;
}

async function countPage(
  browser: Browser,
  over: (typeof SPECS)[number]['over'],
  window: (typeof WINDOWS)[number],
): Promise<Words> {
  const opened = await openExplorer(browser, window);
  try {
    await opened.send(show(over));
    await opened.page.waitForSelector('main.columns section');
    await loadAll(opened.page);
    return await countWords(opened.page);
  } finally {
    await opened.close();
  }
}

async function countAll(): Promise<Counts> {
  const browser = await launch();
  try {
    const counts: Record<string, Words> = {};
    for (const { name, over } of SPECS)
      for (const window of WINDOWS)
        counts[`${name}, ${window.width}x${window.height}`] = await countPage(
          browser,
          over,
          window,
        );
    return counts;
  } finally {
    await browser.close();
  }
}

function printed({ review, now }: WordRecord): string {
  const columns = Object.keys(now?.counts ?? review?.counts ?? {}).flatMap(name =>
    (['firstScreen', 'wholePage'] as const).map(part => ({ name, part })),
  );
  const sectionsOf = (of?: Counted): readonly string[] =>
    columns.flatMap(({ name, part }) => Object.keys(of?.counts[name]?.[part] ?? {}));
  const countsOf = (of: Counted | undefined, section: string): readonly string[] =>
    columns.map(({ name, part }) => String(of?.counts[name]?.[part][section] ?? 0));
  const rowsOf = (title: string, of: Counted | undefined): readonly (readonly string[])[] =>
    of === undefined
      ? []
      : [
          [
            `**${title}, ${of.commit}**`,
            ...columns.map(({ name, part }) => `**${total(of.counts[name]?.[part] ?? {})}**`),
          ],
          ...[...new Set(sectionsOf(of))].map(section => [section, ...countsOf(of, section)]),
        ];
  const head = columns.map(
    ({ name, part }) => `${name}, ${part === 'firstScreen' ? 'first screen' : 'whole page'}`,
  );
  return table(['section', ...head], [...rowsOf('at the review', review), ...rowsOf('now', now)]);
}

const file = path.join(projectRoot(), 'bench', 'words.json');
const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as WordRecord) : {};
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const record: WordRecord = { ...recorded, now: { commit, counts: await countAll() } };
writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
console.log(printed(record));
