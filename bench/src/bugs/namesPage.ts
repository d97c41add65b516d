/** bench/reports/named-bugs.md from the recorded names. */
import { isRight, type Named } from '../../../scripts/bugs/names';

export interface NameRecord {
  readonly what: string;
  readonly command: string;
  readonly rows: readonly Named[];
}

export const wrongNames = (rows: readonly Named[]): readonly Named[] =>
  rows.filter(({ bug, names }) => !names.every(id => isRight(bug, id)));

export function namesPage({ rows }: NameRecord): string {
  const named = rows.filter(({ names }) => names.length > 0);
  const right = named.length - wrongNames(rows).length;
  const bugs = [...new Set(rows.map(({ bug }) => bug))];
  const line = (bug: string): string => {
    const own = rows.filter(row => row.bug === bug);
    const count = own.filter(({ names }) => names.length > 0).length;
    const ids = [...new Set(own.flatMap(({ names }) => names))].map(id => `\`${id}\``).join(', ');
    return `| ${bug} | ${own.length} | ${count} | ${count - wrongNames(own).length} | ${ids} |`;
  };
  return `# Names of wrong results

Made by \`node out/bench/nameBugs.js\` from its record, bench/named-bugs.json; a test runs some of them again and compares.

A wrong result is named from its map alone (\`verification.wrong\`): its elements are compared with what known bugs would
have computed from the same inputs, and their places with the tiles of blocks, warps and threads. Judged on the seeded bugs
([seeded-bugs.md](seeded-bugs.md)): ${rows.length} of them end with a wrong result and without any other finding on simulate; ${named.length}
get a name, and ${right} of these names are right. A name is right where it says what was changed, or what is the same sum: of
one tile of K, its last step and the last k are one. The others get none.

| bug | wrong results | named | right | names |
| --- | --- | --- | --- | --- |
${bugs.map(line).join('\n')}
`;
}
