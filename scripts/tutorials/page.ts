/** Renders docs/tutorials.md: the items of each tutorial, and where they are shown. */
import { format, resolveConfig } from 'prettier';
import { tutorialNamed } from '../../src/core/tutorials/list';
import { TUTORIAL_NAMES } from '../../src/core/tutorials/tutorial';
import { table } from '../sections';
import { itemsOf, type Item } from './items';

export async function tutorialsPage(): Promise<string> {
  const items = TUTORIAL_NAMES.flatMap(itemsOf);
  const unsupported = items.filter(({ shown }) => 'why' in shown).length;
  const text = [
    '# Tutorials',
    [
      `GEMM Explorer reproduces five published tutorials. They have ${items.length} items: listings, figures, tables,`,
      `terms and questions. ${items.length - unsupported} of them are supported, and ${unsupported} are not.`,
    ].join('\n'),
    [
      'Each item names the command that reports it, or the test that shows it on the page, on the command',
      'line or in the glossary. In the JSON of `seed`, the `id` of a row begins with the number of its',
      'item. [Reproduce a tutorial](cli.md#reproduce-a-tutorial) describes the command.',
    ].join('\n'),
    ...TUTORIAL_NAMES.flatMap(name => [
      `## ${tutorialNamed(name).title}`,
      table(['item', 'content', 'shown by'], itemsOf(name).map(cells)),
    ]),
  ].join('\n\n');
  const path = 'docs/tutorials.md';
  const config = await resolveConfig(path);
  return format(text, { ...config, filepath: path });
}

function cells({ row, title, shown }: Item): readonly string[] {
  if ('why' in shown) return [row, title, `not supported: ${shown.why}`];
  if ('seed' in shown)
    return [row, title, `\`seed ${shown.seed}\`${shown.row === row ? '' : `, ${shown.row}`}`];
  const file = shown.test.replace(/^test\//, '');
  return [row, title, `[${file}](../${shown.test}): _${shown.name}_`];
}
