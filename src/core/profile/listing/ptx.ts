/**
 * Parses PTX from nvcc and NVRTC, with one instruction per line. Lines without an instruction are
 * skipped, so a truncated listing yields the instructions before the cut. Device functions are
 * omitted.
 */
import { demangle } from '../../source/symbols';
import { addLabel, withTargets, type Drafted, type Listing, type SourceLine } from './instruction';
import { ptxMeaning } from './ptxOpcode';

const ENTRY = /^\s*(?:\.\w+\s+)*\.entry\s+([\w$.]+)/;
const INSTRUCTION = /^[\s{]*(@!?%?\w+\s+)?([a-z][\w.:]*)(?:\s+(.*))?$/;
const LABELS = /^[\s{]*([\w$]+):(?!:)/g;
const LOCATION =
  /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:\s*,\s*function_name\s+[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?/;
const FILE = /^\s*\.file\s+(\d+)\s+"([^"]*)"/;

export function readPtx(text: string): readonly Listing[] {
  const lines = text.split('\n');
  const sources = new Sources(lines);
  const listings: Listing[] = [];
  for (let at = 0; at < lines.length; at++) {
    const symbol = ENTRY.exec(lines[at] ?? '')?.[1];
    if (symbol === undefined) continue;
    const body = bodyOf(lines, at);
    if (body === undefined) continue;
    listings.push(listingOf(symbol, at, body, lines, sources));
    at = body.last;
  }
  return listings;
}

interface Body {
  readonly first: number;
  readonly last: number;
  readonly cut: boolean;
}

/**
 * Returns the line range of a kernel body; undefined for a declaration. A line has at most one
 * brace outside of operands.
 */
function bodyOf(lines: readonly string[], entry: number): Body | undefined {
  let depth = 0;
  let first = -1;
  for (let at = entry; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim();
    if (first < 0 && line.endsWith(';')) return undefined;
    if (line.startsWith('{')) {
      depth += 1;
      if (first < 0) first = at;
    }
    // Vector operands also contain braces. The closing brace of a block follows a statement or
    // starts the line.
    if (first >= 0 && /(?:^|;)\s*\}$/.test(line)) depth -= 1;
    if (first >= 0 && depth === 0) return { first, last: at, cut: false };
  }
  return first < 0 ? undefined : { first, last: lines.length - 1, cut: true };
}

function listingOf(
  symbol: string,
  entry: number,
  { first, last, cut }: Body,
  lines: readonly string[],
  sources: Sources,
): Listing {
  const drafts: Drafted[] = [];
  const labels = new Map<string, number[]>();
  let from: readonly SourceLine[] = [];
  for (let line = first; line <= last; line++) {
    const text = (lines[line] ?? '').replace(/\/\/.*$/, '');
    from = sources.at(text) ?? from;
    for (const statement of text.split(';')) {
      const code = statement.replace(LABELS, (_, label: string) => {
        addLabel(labels, label, drafts.length);
        return '';
      });
      const [, predicate, opcode, operands = ''] = INSTRUCTION.exec(code) ?? [];
      if (opcode === undefined || !(text.includes(';') || opcode.startsWith('call'))) continue;
      const meaning = ptxMeaning(opcode, operands);
      const predicated = predicate !== undefined;
      const label = /^bra\b/.test(opcode) ? /[\w$]+$/.exec(operands.trim())?.[0] : undefined;
      drafts.push({
        line,
        opcode,
        from,
        predicated,
        operands: operands.trim(),
        ...(predicate === undefined ? {} : { guard: predicate.trim() }),
        ...meaning,
        ends: !predicated && (meaning.ends || /^br[ax]\b/.test(opcode)),
        ...(label === undefined ? {} : { label }),
      });
    }
  }
  return {
    language: 'ptx',
    symbol,
    entry: demangle(symbol),
    first: entry,
    last,
    cut,
    instructions: withTargets(drafts, labels),
  };
}

/**
 * Maps `.loc` directives to source lines. File names follow at the end of the listing; inlined call
 * sites come from preceding directives.
 */
class Sources {
  private readonly files = new Map<string, string>();
  private readonly calls = new Map<string, string>();

  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const [, number, name] = FILE.exec(line) ?? [];
      if (number !== undefined && name !== undefined) this.files.set(number, name);
    }
  }

  /**
   * Parses a `.loc` directive; returns undefined for other lines. Line 0 means that the source line
   * is unknown.
   */
  at(text: string): readonly SourceLine[] | undefined {
    const [, file = '', line = '', column = '', ...call] = LOCATION.exec(text) ?? [];
    if (file === '') return undefined;
    const place = `${file} ${line} ${column}`;
    if (call[0] !== undefined) this.calls.set(place, call.join(' '));
    else this.calls.delete(place);
    const chain: SourceLine[] = [];
    const seen = new Set<string>();
    for (let at: string | undefined = place; at !== undefined && !seen.has(at);) {
      seen.add(at);
      const [number = '', row = '0'] = at.split(' ');
      if (Number(row) > 0) chain.push({ file: this.files.get(number) ?? '', line: Number(row) });
      at = this.calls.get(at);
    }
    return chain;
  }
}
