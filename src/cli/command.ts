/**
 * Defines commands: types, shared options and argument checks. Options are checked before citty
 * parses them.
 */
import { parseArgs as tokenize, stripVTControlCharacters } from 'node:util';
import { parseArgs, type ArgsDef, type ParsedArgs } from 'citty';
import { closestDevice } from '../core/hardware/closestDevice';
import { isDeviceId } from '../core/hardware/devices';
import {
  ADAPTER_FAMILIES,
  type Adapter,
  type AdapterFamily,
} from '../core/defaults/dispatch/adapterFamily';
import { ROBUSTNESS } from '../core/measure/measurement';
import { TARGETS } from '../core/spec/schema';
import { invalidInput, type Result } from './result';

export interface Context {
  readonly abort: AbortSignal;
  readonly note: (line: string) => void;
}

export interface Command {
  readonly meta: { readonly name: string; readonly description: string };
  readonly args: ArgsDef;
  readonly run: (rawArgs: readonly string[], context: Context) => Promise<Result>;
}

/**
 * Parsed options. `set` contains every value of `--set`, because citty only keeps the last value.
 */
export type Options<T extends ArgsDef> = ParsedArgs<T> & {
  readonly set: readonly string[];
} & Pick<Context, 'note'>;

interface Definition<T extends ArgsDef> {
  readonly name: string;
  readonly description: string;
  readonly args: T;
  /** Description of `--json` for commands that print more than one JSON value. */
  readonly json?: string;
  /**
   * Whether the command accepts additional positional arguments. `_` then contains all positional
   * arguments.
   */
  readonly several?: true;
  readonly run: (options: Options<T>, context: Context) => Promise<Result> | Result;
}

export const json = {
  type: 'boolean',
  description: 'Print exactly one JSON value on standard output',
} as const;

export const specArgument = {
  type: 'positional',
  required: true,
  description: 'A *.gemm.json file, or - for standard input',
} as const;

export const specOrFileArgument = {
  type: 'positional',
  valueHint: 'SPEC|FILE',
  required: true,
  description:
    'A *.gemm.json, .cu or .wgsl file, or - for a spec on standard input; also .ptx, .cubin and .py with run and bench',
} as const;

export const set = {
  type: 'string',
  valueHint: 'PATH=VALUE',
  description: 'Override a field of the spec, e.g. problem.m=512; may be repeated',
} as const;

export const device = {
  type: 'string',
  valueHint: 'ID',
  description:
    'Device id (see `devices`), or a name that selects a similar device: "H100 NVL", sm_87',
} as const;

export const gpu = {
  type: 'string',
  valueHint: 'N',
  description: 'GPU index on this machine, as listed by nvidia-smi (cuda backend only)',
} as const;

export const compiler = {
  type: 'enum' as const,
  options: ['nvcc' as const, 'nvrtc' as const],
  description: 'Compiler of the cuda backend; default: nvcc if installed',
};

export const python = {
  type: 'string',
  valueHint: 'PATH',
  description: 'Python interpreter for .py files; default: python3 on PATH (cuda backend only)',
} as const;

export const robustness = {
  type: 'enum' as const,
  options: [...ROBUSTNESS],
  description:
    'Bounds checks of WGSL memory accesses: on (as in browsers) or off (webgpu backend only)',
};

export const experimental = {
  type: 'boolean' as const,
  description:
    'Enable experimental Dawn features: f16 on NVIDIA, subgroup matrices (webgpu backend only)',
};

export const adapter = {
  type: 'enum' as const,
  options: [...ADAPTER_FAMILIES],
  description:
    'Adapter family whose default schedule is used if the spec has no schedule (WGSL only)',
};

export const adapterNamed = (family: AdapterFamily | undefined): Adapter | undefined =>
  family === undefined ? undefined : { family };

export const target = {
  type: 'enum' as const,
  options: [...TARGETS],
  description: 'Restrict the command to one target of the spec',
};

export function command<T extends ArgsDef>(definition: Definition<T>): Command {
  const { name, description, run, several = false } = definition;
  const args = {
    ...definition.args,
    json: { ...json, description: definition.json ?? json.description },
  };
  return {
    meta: { name, description },
    args,
    run: async (rawArgs, context) => {
      const repeated = checkArguments(name, args, rawArgs, several);
      const options = parse(rawArgs, args);
      const named = { ...options, ...standIn(options, context), set: repeated, note: context.note };
      return await run(named as unknown as Options<T>, context);
    },
  };
}

/**
 * Returns the closest device in the device table for a requested device that is not in the table,
 * and reports the replacement. Returns an empty object if no device is requested, the device is in
 * the table, or no device is similar.
 */
function standIn(
  { device: requestedDevice }: Readonly<Record<string, unknown>>,
  { note }: Context,
): { readonly device?: string } {
  if (typeof requestedDevice !== 'string' || isDeviceId(requestedDevice)) return {};
  const found = closestDevice(requestedDevice);
  if (found === undefined) return {};
  note(found.why);
  return { device: found.device.id };
}

/** Rejects arguments that citty would ignore or misinterpret. Returns every value of `--set`. */
function checkArguments(
  name: string,
  args: ArgsDef,
  rawArgs: readonly string[],
  several: boolean,
): string[] {
  const entries = Object.entries(args);
  const { tokens } = tokenize({
    args: [...rawArgs],
    options: Object.fromEntries(
      entries
        .filter(([, definition]) => definition.type !== 'positional')
        .map(([option, definition]) => [option, tokenOptions(definition)]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  const sets: string[] = [];
  let positionals = several
    ? Infinity
    : entries.filter(([, { type }]) => type === 'positional').length;
  for (const token of tokens) {
    if (token.kind === 'positional' && positionals-- <= 0) {
      throw invalidInput(`${name} does not accept "${token.value}". See \`${name} --help\`.`);
    }
    if (token.kind !== 'option') continue;
    const type = Object.hasOwn(args, token.name) ? args[token.name]?.type : undefined;
    if (type === undefined || type === 'positional') {
      const known = entries.filter(([, d]) => d.type !== 'positional').map(([o]) => `--${o}`);
      throw invalidInput(`Unknown option ${token.rawName}. ${name} accepts ${known.join(', ')}.`);
    }
    if (type === 'boolean' && token.value !== undefined) {
      throw invalidInput(`${token.rawName} does not take a value.`);
    }
    if (type !== 'boolean' && (token.value === undefined || token.value === '')) {
      throw invalidInput(`${token.rawName} requires a value.`);
    }
    if (token.name === 'set') sets.push(token.value ?? '');
    else if (seen.has(token.name))
      throw invalidInput(`${token.rawName} is given twice. Fix: pass it once.`);
    seen.add(token.name);
  }
  return sets;
}

const tokenOptions = (definition: ArgsDef[string]) => ({
  type: definition.type === 'boolean' ? definition.type : ('string' as const),
  ...('alias' in definition && typeof definition.alias === 'string'
    ? { short: definition.alias }
    : {}),
});

function parse<T extends ArgsDef>(rawArgs: readonly string[], args: T): ParsedArgs<T> {
  try {
    return parseArgs([...rawArgs], args);
  } catch (error) {
    // citty adds color codes to its messages.
    throw invalidInput(
      stripVTControlCharacters(error instanceof Error ? error.message : String(error)),
    );
  }
}

export function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidInput(`Expected --${option} to be an integer of at least 0, got "${text}".`);
}

/** Returns an integer of at least 1. */
export function positiveNumber(option: string, text: string): number {
  const value = wholeNumber(option, text);
  if (value > 0) return value;
  throw invalidInput(`Expected --${option} to be at least 1, got 0.`);
}

/** Returns the GPU indices of `--gpus`, each once; default: the first GPU. */
export const gpuList = (text: string | undefined): readonly number[] =>
  text === undefined ? [0] : [...new Set(text.split(',').map(name => wholeNumber('gpus', name)))];
