/**
 * Parses SASS from `cuobjdump -sass` and `nvdisasm -c` (with `-g` or `-gi`). Each instruction line
 * has an address, and source lines precede their instructions. Other lines are skipped.
 */
import { demangle } from '../../source/symbols';
import { addLabel, withTargets, type Drafted, type Listing, type SourceLine } from './instruction';
import { sassMeaning } from './sassOpcode';

const FUNCTION = /^\s*Function\s*:\s*([\w$.]+)|^\.text\.([\w$.]+):/;
const INSTRUCTION =
  /^\s*\/\*([0-9a-f]{4,16})\*\/\s+(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.[\w:]+)*)\s*([^;]*?)\s*;/;
const LABEL = /^\s*(\.L\w*):/;
const SOURCE = /^\s*\/\/##\s+File "([^"]*)", line (\d+)/;
const TARGET = /`\(([^)]+)\)|\b0x([0-9a-f]+)\s*$/;

export function readSass(text: string): readonly Listing[] {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, at) => (FUNCTION.test(line) ? [at] : []));
  return starts
    .map((start, i) =>
      listingOf(lines, start, starts[i + 1] ?? lines.length, i + 1 < starts.length),
    )
    .filter(({ instructions }) => instructions.length > 0);
}

function listingOf(lines: readonly string[], start: number, end: number, more: boolean): Listing {
  const [, function_, section] = FUNCTION.exec(lines[start] ?? '') ?? [];
  const symbol = function_ ?? section ?? '';
  const drafts: Drafted[] = [];
  const labels = new Map<string, number[]>();
  let from: SourceLine[] = [];
  let isNewPlace = true;
  for (let line = start; line < end; line++) {
    const text = lines[line] ?? '';
    const [, file, row] = SOURCE.exec(text) ?? [];
    if (file !== undefined && row !== undefined) {
      from = [...(isNewPlace ? [] : from), { file, line: Number(row) }];
      isNewPlace = false;
      continue;
    }
    const label = LABEL.exec(text)?.[1];
    if (label !== undefined) addLabel(labels, label, drafts.length);
    const [, address, predicate, opcode, operands = ''] = INSTRUCTION.exec(text) ?? [];
    if (address === undefined || opcode === undefined) continue;
    isNewPlace = true;
    addLabel(labels, addressLabel(address), drafts.length);
    const meaning = sassMeaning(opcode);
    const to = /^(BRA|JMP)\b/.test(opcode) ? targetOf(operands) : undefined;
    const predicated = predicate !== undefined && !/^@U?PT\b/.test(predicate);
    drafts.push({
      line,
      opcode,
      from,
      predicated,
      operands,
      ...meaning,
      ends:
        !predicated && (meaning.ends || /^(BRA|JMP)\b/.test(opcode)) && !isConditional(operands),
      ...(to === undefined ? {} : { label: to }),
    });
  }
  const last = drafts.at(-1)?.line ?? start;
  // Every kernel ends with an exit, then a branch to itself and NOPs as cache-line padding.
  const cut = !more && !drafts.some(({ opcode }) => /^(EXIT|RET|BRA)\b/.test(opcode));
  return {
    language: 'sass',
    symbol,
    entry: demangle(symbol),
    first: start,
    last,
    cut,
    instructions: withTargets(drafts, labels),
  };
}

/**
 * Returns whether a branch is conditional: `BRA P0, …` and `BRA.U UP0, …` fall through if the
 * predicate is false.
 */
const isConditional = (operands: string): boolean => /^!?U?P\d/.test(operands);

const addressLabel = (hex: string): string => `0x${hex.replace(/^0+(?=.)/, '')}`;

function targetOf(operands: string): string | undefined {
  const [, label, address] = TARGET.exec(operands) ?? [];
  return label ?? (address === undefined ? undefined : addressLabel(address));
}
