/**
 * Hostile texts: markdown, HTML, icons, shell syntax, URLs and characters that change how a line
 * reads.
 */
import { commandUri, touch, type Traps } from './entry';

/** Texts without `/`, which a file name cannot hold. */
export const namePayloads = (id: string, traps: Traps): readonly string[] => [
  `[Repair me](${commandUri(id)})`,
  '[Repair me](command:workbench.action.showAboutDialog)',
  `[[Repair]] ![me](${commandUri(id)})`,
  `[Repair](<${commandUri(id)}>)`,
  `[a](${commandUri(id)} "title")`,
  '$(alert) $(sync~spin) $(gear)',
  `$(${touch(traps, id).replaceAll('/', '${PWD%%[!_]*}')})`,
  '`id > here`',
  '; id > here; #',
  '& id > here &',
  '| tee here',
  '"; id; "',
  "'; id; '",
  'a\nb\ttab',
  '<img src=x onerror=alert(1)>',
  '<b>bold<script>alert(1)<!--',
  '\u202Egnp.rab\u202C',
  '\u2066left\u2069\u200B\uFEFF',
  '..',
  '...',
  '-rf',
  '--help',
  '~root',
  '%2e%2e%2f%00',
  '${workspaceFolder}${command:evil.canary}',
  '#fragment?query=1',
  '*?[a-z]{b,c}',
  '行列 ü İ 🧨',
  '|table|cell|',
  '**bold** _it_ ~~no~~',
  'C\\..\\..\\x',
  'long'.repeat(40),
];

/** Texts for JSON values, comments and annotations. */
export const textPayloads = (id: string, traps: Traps): readonly string[] => [
  `[Repair this file](${commandUri(id)})`,
  '[Repair this file](command:workbench.action.showAboutDialog)',
  `![p](http://${traps.authority}/${id}.png)`,
  `![p](https://${traps.authority}/${id}.png)`,
  `![p](//${traps.authority}/${id}.png)`,
  `![p](https://${id}.invalid/p.png)`,
  `<img src="http://${traps.authority}/${id}.png" onerror="alert(1)">`,
  `<a href="${commandUri(id)}">Repair</a>`,
  `[Open](http://${traps.authority}/${id})`,
  `<https://${traps.authority}/${id}>`,
  `https://${traps.authority}/${id}`,
  `[Repair][r]\n\n[r]: ${commandUri(id)}`,
  `| cell | [Repair](${commandUri(id)}) |\n|---|---|`,
  `\`\`\`\n[Repair](${commandUri(id)})\n\`\`\``,
  `\\[Repair\\](${commandUri(id)}) \\\\[Again](${commandUri(id)})`,
  `[Repair](<${commandUri(id)}>)`,
  `[Repair](${commandUri(id)} "title")`,
  `[![p](https://${traps.authority}/${id}.png)](${commandUri(id)})`,
  '[Read](file:///etc/passwd) [Go](vscode://settings)',
  '$(sync~spin) $(alert) $(gear)',
  `\`${touch(traps, id)}\` $(${touch(traps, id)}) ; ${touch(traps, id)} #`,
  '\u001b[31mred\u001b]8;;http://x\u0007link\u001b]8;;\u0007',
  '\u202Eesrever\u202C \u2066x\u2069 \u200B',
  `<svg onload="fetch('http://${traps.authority}/${id}')"><style>*{background:url(http://${traps.authority}/${id})}</style>`,
];
