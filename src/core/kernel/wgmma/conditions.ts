/**
 * Resolves `#if FLAG` in shader sources, so that emitted files contain no preprocessor branches.
 */

export type Flags = Readonly<Record<string, boolean>>;

interface Open {
  /** Whether the enclosing lines are kept. */
  readonly around: boolean;
  readonly holds: boolean;
}

/**
 * Resolves `#if` (`&&`, `||` and `!` over flags), `#else` and `#endif`. Throws on an unknown flag
 * or an unmatched directive.
 */
export function resolveConditions(text: string, flags: Flags): string {
  const open: Open[] = [];
  let kept = true;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, directive, condition = ''] = /^\s*#(if|else|endif)\b(.*)$/.exec(line) ?? [];
    const last = open.at(-1);
    if (directive === 'if') {
      const holds = conditionHolds(condition, flags);
      open.push({ around: kept, holds });
      kept &&= holds;
    } else if (directive !== undefined && last === undefined) {
      throw new Error(`#${directive} without #if`);
    } else if (directive === 'else' && last !== undefined) {
      kept = last.around && !last.holds;
    } else if (directive === 'endif' && last !== undefined) {
      open.pop();
      kept = last.around;
    } else if (kept) {
      lines.push(line);
    }
  }
  if (open.length > 0) throw new Error('#if without #endif');
  return lines.join('\n');
}

const conditionHolds = (condition: string, flags: Flags): boolean =>
  condition.split('||').some(either =>
    either.split('&&').every(term => {
      const [, not, name = ''] = /^\s*(!?)\s*(\w+)\s*$/.exec(term) ?? [];
      const flag = flags[name];
      if (flag === undefined)
        throw new Error(`#if ${condition.trim()}: unknown flag ${term.trim()}`);
      return flag !== (not === '!');
    }),
  );
