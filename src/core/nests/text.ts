/**
 * Text form of a loop nest: one item per loop, outermost first. `i:16@grid` is a loop over i with
 * step 16 at level grid; `k:16+shared` copies its tiles to shared memory. The step defaults to 1
 * and the level to thread.
 */
import { t } from '@vscode/l10n';
import { AXES, LEVELS, type Level, type Loop, type LoopAxis, type LoopNest } from './nest';

/** Limits of the input, far above any useful nest. */
const MAX_CHARACTERS = 2_000;
export const MAX_LOOPS = 20;
export const MAX_STEP = 2 ** 20;

export type ParsedNest =
  | { readonly ok: true; readonly nest: LoopNest }
  /** `column` counts from 1. */
  | { readonly ok: false; readonly message: string; readonly column: number };

export const nestText = (nest: LoopNest): string => nest.map(loopText).join(' ');

const loopText = ({ axis, step, level, shared }: Loop): string =>
  [
    axis,
    step === 1 ? '' : `:${step}`,
    level === 'thread' ? '' : `@${level}`,
    shared === true ? '+shared' : '',
  ].join('');

const ITEM = /^([a-z]+)(?::(\d+))?(?:@([a-z]+))?(\+shared)?$/;

/** Parses the text form. The nest may still violate rules (rules.ts). */
export function parseNest(text: string): ParsedNest {
  if (text.length > MAX_CHARACTERS)
    return { ok: false, message: t('The nest exceeds {0} characters.', MAX_CHARACTERS), column: 1 };
  const loops: Loop[] = [];
  for (const { 0: item, index } of text.matchAll(/\S+/g)) {
    const parsed = parseItem(item);
    if (typeof parsed === 'string') return { ok: false, message: parsed, column: index + 1 };
    loops.push(parsed);
  }
  if (loops.length === 0)
    return { ok: false, message: t('The nest has no loops. Example: i j k.'), column: 1 };
  if (loops.length > MAX_LOOPS)
    return { ok: false, message: t('A nest has at most {0} loops.', MAX_LOOPS), column: 1 };
  return { ok: true, nest: loops };
}

function parseItem(item: string): Loop | string {
  const match = ITEM.exec(item);
  if (match === null && /^[:@+]/.test(item)) return t('Remove the space before {0}.', item);
  if (match === null && isLoopInOtherLetters(item))
    return t('Write i, j and k in lower case, separated by spaces.');
  if (match === null)
    return t(
      '"{0}" is not a loop. Write AXIS:STEP@LEVEL, for example i:16@grid or k:16+shared.',
      item,
    );
  const [, axis = '', step = '1', level = 'thread', shared] = match;
  if (!isAxis(axis)) return t('"{0}" is not an axis. Axes: {1}.', axis, AXES.join(', '));
  if (level === 'shared')
    return t('"shared" is not a level. Write {0}.', item.replace('@shared', '+shared'));
  if (!isLevel(level)) return t('"{0}" is not a level. Levels: {1}.', level, LEVELS.join(', '));
  const size = Number(step);
  if (size < 1 || size > MAX_STEP)
    return t('The step {0} is not between 1 and {1}.', step, MAX_STEP);
  return { axis, step: size, level, ...(shared === undefined ? {} : { shared: true }) };
}

/** Tests for loops with capitals or commas, such as `I` or `i,k,j`. */
const isLoopInOtherLetters = (item: string): boolean =>
  item
    .toLowerCase()
    .split(/[,;]+/)
    .every(part => part === '' || ITEM.test(part));

const isAxis = (text: string): text is LoopAxis => (AXES as readonly string[]).includes(text);
const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);

/**
 * Parses a nest that the code declares.
 *
 * @throws if the text is not a nest
 */
export function nestOf(text: string): LoopNest {
  const parsed = parseNest(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.nest;
}
