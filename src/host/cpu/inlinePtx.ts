/**
 * Translates inline PTX to calls of the shim (shaders/cpu/on_cpu/tensor_cores.h). Each `asm`
 * statement whose instructions are all supported becomes its CPU equivalent. Other statements are
 * kept.
 */
import { asmStatements, type AsmStatement } from './asmStatements';

/** A PTX instruction. Each operand is a register or a list of registers, as C++ expressions. */
interface Instruction {
  readonly name: string;
  readonly operands: readonly (readonly string[])[];
}

export function translateInlinePtx(source: string): string {
  let text = source;
  for (const statement of [...asmStatements(source)].reverse()) {
    const calls = translated(statement);
    if (calls === undefined) continue;
    // Line breaks of the statement are kept, so that later line numbers do not change.
    const lines = source.slice(statement.start, statement.end).match(/\\?\n/g) ?? [];
    const block = `do { ${calls.join(' ')} } while (false)`;
    text = text.slice(0, statement.start) + block + lines.join('') + text.slice(statement.end);
  }
  return text;
}

/**
 * Returns the first instruction that the cpu backend does not support, and the line of its `asm`
 * statement, starting at 1. Returns undefined if all instructions are supported.
 */
export function gpuOnlyPtx(
  source: string,
): { readonly line: number; readonly instruction: string } | undefined {
  for (const statement of asmStatements(source)) {
    const foreign = instructionsOf(statement).find(one => callOf(one) === undefined);
    if (foreign === undefined) continue;
    const line = source.slice(0, statement.start).split('\n').length;
    return { line, instruction: foreign.name };
  }
  return undefined;
}

function translated(statement: AsmStatement): readonly string[] | undefined {
  const calls = instructionsOf(statement).map(callOf);
  return calls.every(call => call !== undefined) ? calls : undefined;
}

/**
 * Parses instructions such as `name a, {b, c}, [d];`, in which `%i` is the i-th operand of the
 * statement.
 */
function instructionsOf({ template, operands }: AsmStatement): readonly Instruction[] {
  const expression = (register: string): string => {
    const [, index] = /^%(\d+)$/.exec(register.trim()) ?? [];
    return index === undefined ? register.trim() : (operands[Number(index)] ?? register);
  };
  return template
    .split(';')
    .map(one => one.trim())
    .filter(one => one !== '')
    .map(one => {
      const [, name = one, rest = ''] = /^([\w.:]+)(?:\s+([\s\S]*))?$/.exec(one) ?? [];
      const lists = rest.match(/\{[^{}]*\}|\[[^[\]]*\]|[^,\s][^,]*/g) ?? [];
      return {
        name,
        operands: lists.map(list =>
          list
            .replace(/^[{[]|[}\]]$/g, '')
            .split(',')
            .map(expression),
        ),
      };
    });
}

type Translation = (
  match: RegExpExecArray,
  operands: Instruction['operands'],
) => string | undefined;

const LINE = '__builtin_LINE()';
const words = (registers: readonly string[]): string =>
  `on_cpu::Words{{${registers.map(one => `on_cpu::word(${one})`).join(', ')}}}`;
const assigned = (registers: readonly string[], call: string): string =>
  [
    `const on_cpu::Words onCpuWords = ${call};`,
    ...registers.map((one, i) => `on_cpu::assign(${one}, onCpuWords.at[${i}]);`),
  ].join(' ');

const SUM_WORDS: Readonly<Record<string, number>> = { f16: 2, f32: 4, s32: 4 };
/** Supported K extents of an MMA and bytes per element, by operand type. */
const FACTORS: Readonly<
  Record<string, { readonly depths: readonly number[]; readonly bytes: number }>
> = {
  f16: { depths: [8, 16], bytes: 2 },
  bf16: { depths: [8, 16], bytes: 2 },
  tf32: { depths: [4, 8], bytes: 4 },
  s8: { depths: [16, 32], bytes: 1 },
  e4m3: { depths: [32], bytes: 1 },
  e5m2: { depths: [32], bytes: 1 },
};
const SUMS: Readonly<Record<string, readonly string[]>> = {
  f16: ['f16', 'f32'],
  bf16: ['f32'],
  tf32: ['f32'],
  s8: ['s32'],
  e4m3: ['f32'],
  e5m2: ['f32'],
};

const TRANSLATIONS: readonly (readonly [RegExp, Translation])[] = [
  [
    /^ldmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.shared(?:::cta)?\.b16$/,
    ([, count, transposed], [to = [], [row = ''] = []]) =>
      to.length === Number(count)
        ? assigned(
            to,
            `on_cpu::loadMatrices(${LINE}, ${count}, ${transposed !== undefined}, static_cast<unsigned>(${row}))`,
          )
        : undefined,
  ],
  [
    /^mma\.sync\.aligned\.m16n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)$/,
    ([, depth, sum = '', factor = '', other, added], [to = [], a = [], b = [], c = []]) => {
      const known = FACTORS[factor];
      const k = Number(depth);
      if (known === undefined || factor !== other || sum !== added) return undefined;
      if (!known.depths.includes(k) || SUMS[factor]?.includes(sum) !== true) return undefined;
      const each = (k * known.bytes) / 16;
      const [sums = 0, ...given] = [SUM_WORDS[sum], to.length, c.length];
      if (given.some(count => count !== sums)) return undefined;
      if (a.length !== 2 * each || b.length !== each) return undefined;
      const product = `on_cpu::Product{${k}, on_cpu::Format::${factor}, on_cpu::Format::${sum}}`;
      const factors = [a, b, c].map(words).join(', ');
      return assigned(to, `on_cpu::multiplyMatrices(${LINE}, ${product}, ${factors})`);
    },
  ],
  [
    /^cvt\.rna\.tf32\.f32$/,
    (_, [[to = ''] = [], [from = ''] = []]) =>
      `on_cpu::assign(${to}, on_cpu::nearestTf32(${from}));`,
  ],
  [
    /^tanh\.approx\.f32$/,
    (_, [[to = ''] = [], [from = ''] = []]) => `${to} = std::tanh(static_cast<float>(${from}));`,
  ],
  [
    /^cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\d+B)?$/,
    (_, [[to = ''] = [], [from = ''] = [], [bytes = ''] = [], [read = bytes] = []]) =>
      `on_cpu::copyAsync(${LINE}, on_cpu::sharedPlace(${LINE}, ${to}), on_cpu::pointer(${from}), ${bytes}, (${bytes}) - (${read}));`,
  ],
  [/^cp\.async\.commit_group$/, () => 'on_cpu::commit();'],
  [/^cp\.async\.wait_group$/, (_, [[pending = ''] = []]) => `on_cpu::wait(${LINE}, ${pending});`],
  [/^cp\.async\.wait_all$/, () => `on_cpu::wait(${LINE}, 0);`],
];

function callOf({ name, operands }: Instruction): string | undefined {
  for (const [pattern, translate] of TRANSLATIONS) {
    const match = pattern.exec(name);
    if (match !== null) return translate(match, operands);
  }
  return undefined;
}
