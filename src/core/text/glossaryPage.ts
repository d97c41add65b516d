/** Generates docs/glossary.md from the glossary. */
import { namesElsewhere, TERM_CATEGORIES, TERMS, type Term, type TermCategory } from './glossary';

const TITLES: Readonly<Record<TermCategory, string>> = {
  schedule: 'Schedule fields',
  hardware: 'Hardware and execution',
  memory: 'Memory',
  layouts: 'Layouts and BLAS names',
  techniques: 'Techniques',
  roofline: 'Performance',
};

export function glossaryPage(): string {
  const sections = TERM_CATEGORIES.flatMap(category => [
    `## ${TITLES[category]}`,
    ...TERMS.filter(term => term.category === category).flatMap(entryOf),
  ]);
  return `${[
    '# Glossary',
    [
      'GEMM Explorer uses one term per concept in its UI, kernels and code. The explorer and the hovers',
      'over CUDA, PTX and WGSL words show the same definitions.',
    ].join('\n'),
    ...sections,
  ].join('\n\n')}\n`;
}

function entryOf(term: Term): readonly string[] {
  const { name, definition, paths = [], words = [], source } = term;
  const facts = [
    ...(paths.length === 0 ? [] : [`- Spec: ${codes(paths)}`]),
    ...(words.length === 0 ? [] : [`- In source code: ${codes(words)}`]),
    ...namesElsewhere(term).map(([library, words]) => `- ${library}: ${words}`),
    `- Source: ${source}`,
  ];
  return [
    `### ${name}`,
    wrapped(definition, ''),
    facts.map(fact => wrapped(fact, '  ')).join('\n'),
  ];
}

const MAX_COLUMNS = 100;

function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && `${line} ${word}`.length <= MAX_COLUMNS)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : indent + word);
  }
  return lines.join('\n');
}

const codes = (words: readonly string[]): string => words.map(word => `\`${word}\``).join(', ');
