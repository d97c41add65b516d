/**
 * Normalizes listings for a diff. Register numbers are removed, because one additional register
 * renumbers many others. Labels are renumbered; addresses, encodings and kernel names are removed.
 */
import type { Listing } from './instruction';

export const normalised = (text: string, language: Listing['language']): string =>
  language === 'ptx' ? normalisedPtx(text) : normalisedSass(text);

function normalisedPtx(text: string): string {
  const parameters = text.replace(/[\w$]+_param_(\d+)/g, 'param_$1');
  return counted(parameters, /\$L__BB\d+_\d+/g, '$L').replace(
    /%(p|r|rd|f|fd|h|rs|rl|b)\d+\b/g,
    '%$1',
  );
}

function normalisedSass(text: string): string {
  const plain = text
    .replace(/^\s*\/\*[0-9a-f]{4,16}\*\/\s+/gm, '        ')
    .replace(/[ \t]*\/\* 0x[0-9a-f]+ \*\/[ \t]*$/gm, '')
    .replace(/^\s*\n/gm, '');
  return counted(plain, /\.L_x_\d+/g, '.L')
    .replace(/\b(U?R|U?P|B|SB)\d+\b/g, '$1')
    .replace(/\.reuse\b/g, '');
}

function counted(text: string, labels: RegExp, name: string): string {
  const known = new Map<string, number>();
  return text.replace(labels, label => {
    const number = known.get(label) ?? known.size + 1;
    known.set(label, number);
    return `${name}${number}`;
  });
}
