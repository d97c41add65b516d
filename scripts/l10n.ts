/**
 * `npm run l10n`: brings media/l10n/bundle.l10n.de.json to the texts of the source. A text that is new gets an
 * empty entry, for a translator to fill in; one that is no longer used is dropped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './install/project';
import { textsOfProduct } from './l10n/texts';

const root = projectRoot();
const file = path.join(root, 'media', 'l10n', 'bundle.l10n.de.json');
const { texts, unreadable } = textsOfProduct(root);
const german = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
const keys = [...new Set(texts.map(({ text }) => text))].sort();
const bundle = Object.fromEntries(keys.map(key => [key, german[key] ?? '']));
writeFileSync(file, `${JSON.stringify(bundle, null, 2)}\n`);
for (const at of unreadable) console.log(`${at}: the text of t() must be a literal`);
for (const key of keys.filter(name => bundle[name] === '')) console.log(`no German: ${key}`);
for (const key of Object.keys(german).filter(name => !keys.includes(name)))
  console.log(`dropped: ${key}`);
