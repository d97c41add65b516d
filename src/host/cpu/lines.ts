/** Maps code addresses to source lines of a kernel with addr2line. */
import { findExecutable, type SearchOptions } from '../executables';
import { runProcess } from '../process';

const TIMEOUT_MS = 10_000;

/**
 * Returns the line in `file` of each return address; for inlined code, the line of the outermost
 * call in `file`. Unknown addresses are omitted, and the map is empty without addr2line.
 */
export async function linesOf(
  program: string,
  file: string,
  addresses: readonly number[],
  search: SearchOptions,
): Promise<ReadonlyMap<number, number>> {
  const wanted = [...new Set(addresses)].filter(address => address > 0);
  const tool = findExecutable(['addr2line', 'llvm-addr2line'], { ...search, setting: '' });
  if (wanted.length === 0 || !tool.ok) return new Map();
  // The call is the instruction before the return address.
  const args = [
    '-a',
    '-i',
    '-e',
    program,
    ...wanted.map(address => `0x${(address - 1).toString(16)}`),
  ];
  const answer = await runProcess(tool.path, args, { timeoutMs: TIMEOUT_MS });
  return answer.code === 0 ? decodeLines(answer.stdout, file) : new Map();
}

/**
 * Parses the output of addr2line: an address, then its source locations, innermost inlined function
 * first.
 */
export function decodeLines(text: string, file: string): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  let address = 0;
  for (const line of text.split('\n')) {
    if (/^0x[0-9a-f]+$/.test(line)) address = Number(line) + 1;
    const [, path = '', number = '0'] = /^(.+):(\d{1,9})(?: \(.*\))?$/.exec(line) ?? [];
    if (Number(number) > 0 && path.split('/').pop() === file) lines.set(address, Number(number));
  }
  return lines;
}
