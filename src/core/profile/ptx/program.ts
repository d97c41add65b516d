/**
 * Compiles a PTX kernel to integer operations per lane. Each register, immediate and special
 * register has a slot. Instructions that do not affect an address or a branch are dropped.
 */
import type { Instruction, Listing } from '../listing/instruction';
import { computedBy, type Computed } from './arithmetic';
import { flowOf, type Flow } from './flow';
import { operandOf, splitOperands, type Operand } from './operands';
import { accessesOf, type MemoryAccess } from './memory';

/** Index of a slot, which holds one number per lane (NaN if unknown). */
export type Slot = number;

export interface Computation {
  readonly to: Slot;
  readonly from: readonly Slot[];
  readonly by: Computed | undefined;
}

export interface Step {
  /** Index of the instruction in the listing. */
  readonly at: number;
  readonly guard: { readonly slot: Slot; readonly negated: boolean } | undefined;
  readonly computations: readonly Computation[];
  readonly accesses: readonly MemoryAccess[];
  readonly jump: 'branch' | 'exit' | undefined;
  readonly target: number;
  /** Index of the step where the paths of a branch reconverge. */
  readonly meeting: number;
}

export interface Program {
  readonly steps: readonly Step[];
  readonly slots: number;
  /** Slots that no instruction writes, by the name of the register, immediate or symbol. */
  readonly given: ReadonlyMap<string, Slot>;
  /**
   * Returns the instructions between the branch and its reconvergence point, and the slots that
   * they write. Their results are unknown if the branch direction is unknown.
   */
  readonly undecided: (step: Step) => {
    readonly slots: readonly Slot[];
    readonly instructions: ReadonlySet<number>;
  };
}

interface Draft {
  readonly at: number;
  readonly guard: Step['guard'];
  readonly computations: readonly Computation[];
  readonly accesses: readonly MemoryAccess[];
  readonly jump: Step['jump'];
}

export function programOf({ instructions }: Listing): Program {
  const slots = new Map<string, Slot>();
  const slotOf = (name: string): Slot => {
    const slot = slots.get(name) ?? slots.size;
    slots.set(name, slot);
    return slot;
  };
  const flow = flowOf(instructions);
  const drafts = instructions.map((instruction, at) => draftOf(instruction, at, slotOf));
  const needed = neededSlots(drafts);
  const leaders = new Set(flow.leaders);
  const kept = drafts.flatMap(draft => {
    const computations = draft.computations.filter(({ to }) => needed.has(to));
    const isUsed = computations.length > 0 || draft.accesses.length > 0;
    return isUsed || draft.jump !== undefined || leaders.has(draft.at)
      ? [{ ...draft, computations }]
      : [];
  });
  const known = new Map<number, ReturnType<Program['undecided']>>();
  const undecided = (at: number): ReturnType<Program['undecided']> => {
    const instructions = flow.between(at);
    const inside = kept.filter(draft => instructions.has(draft.at));
    const changed = inside.flatMap(({ computations }) => computations.map(({ to }) => to));
    return { slots: [...new Set(changed)], instructions };
  };
  const written = new Set(kept.flatMap(({ computations }) => computations.map(({ to }) => to)));
  return {
    steps: linked(kept, instructions, flow),
    slots: slots.size,
    given: new Map([...slots].filter(([, slot]) => !written.has(slot))),
    undecided: ({ at }) => {
      const found = known.get(at) ?? undecided(at);
      known.set(at, found);
      return found;
    },
  };
}

/**
 * Replaces instruction indices of branch targets with step indices; the number of steps represents
 * the end.
 */
function linked(
  kept: readonly Draft[],
  instructions: readonly Instruction[],
  flow: Flow,
): readonly Step[] {
  const stepAt = new Map(kept.map(({ at }, step) => [at, step]));
  const placeOf = (at: number): number => stepAt.get(at) ?? kept.length;
  return kept.map(draft => {
    const { at, jump } = draft;
    const target = placeOf(instructions[at]?.target ?? instructions.length);
    const meeting = jump === 'branch' ? placeOf(flow.meeting(at)) : kept.length;
    return { ...draft, target, meeting };
  });
}

function draftOf(instruction: Instruction, at: number, slotOf: (name: string) => Slot): Draft {
  const { opcode, operands = '', guard, kind } = instruction;
  const parts = splitOperands(operands).map(operandOf);
  const [, negation, predicate] = /^@(!?)(.+)$/.exec(guard ?? '') ?? [];
  const isCall = opcode.startsWith('call');
  return {
    at,
    guard:
      predicate === undefined ? undefined : { slot: slotOf(predicate), negated: negation === '!' },
    computations: isCall ? [] : computationsOf(opcode, parts, slotOf),
    accesses: accessesOf(instruction, parts, slotOf),
    jump:
      kind !== 'branch' || isCall
        ? undefined
        : /^br[ax]\b/.test(opcode) && instruction.target !== undefined
          ? 'branch'
          : 'exit',
  };
}

/** Opcodes whose first operand is not a destination. */
const WRITES_NOTHING =
  /^(st|red|bar|barrier|membar|fence|bra|brx|ret|exit|trap|cp|prefetch|prefetchu|stmatrix|discard|nanosleep|griddepcontrol|mbarrier\.(?!test|try|arrive)|setmaxnreg|wgmma\.(fence|commit|wait))\b/;

function computationsOf(
  opcode: string,
  [result, ...operands]: readonly Operand[],
  slotOf: (name: string) => Slot,
): readonly Computation[] {
  if (result === undefined || WRITES_NOTHING.test(opcode)) return [];
  const targets = result.items.length > 0 ? result.items : result.text.split('|');
  const unknown = targets.map(name => ({ to: slotOf(name), from: [], by: undefined }));
  const [first] = operands;
  if (/^ld\.param\b/.test(opcode) && first !== undefined) {
    const from = slotOf(first.offset === 0 ? first.text : `${first.text}+${first.offset}`);
    const [only] = targets;
    return targets.length > 1 || only === undefined
      ? unknown
      : [{ to: slotOf(only), from: [from], by: { of: a => a } }];
  }
  if (operands.some(({ isAddress }) => isAddress)) return unknown;
  if (/^mov\.b(32|64)\b/.test(opcode)) return packing(opcode, targets, operands, slotOf);
  const by = targets.length === 1 ? computedBy(opcode) : undefined;
  if (by === undefined || operands.some(({ items }) => items.length > 0)) return unknown;
  return [{ to: slotOf(targets[0] ?? ''), from: operands.map(({ text }) => slotOf(text)), by }];
}

/**
 * Returns the computations of a `mov` that packs two 32-bit halves into a 64-bit register, unpacks
 * a register, or copies it.
 */
function packing(
  opcode: string,
  targets: readonly string[],
  [operand]: readonly Operand[],
  slotOf: (name: string) => Slot,
): readonly Computation[] {
  const items = operand?.items ?? [];
  const [to, upper] = targets.map(slotOf);
  const isWide = opcode.startsWith('mov.b64');
  if (to === undefined || operand === undefined) return [];
  if (items.length === 0 && upper === undefined) {
    return [{ to, from: [slotOf(operand.text)], by: { of: a => a } }];
  }
  if (!isWide || items.length > 2 || targets.length > 2) {
    return targets.map(name => ({ to: slotOf(name), from: [], by: undefined }));
  }
  if (upper === undefined) {
    const from = items.map(slotOf);
    return [{ to, from, by: { of: joined } }];
  }
  const from = [slotOf(operand.text)];
  return [
    { to, from, by: { of: a => Number(BigInt.asIntN(32, BigInt(a))) } },
    { to: upper, from, by: { of: a => Math.floor(a / 2 ** 32) } },
  ];
}

const joined = (low: number, high: number): number => {
  const value = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : NaN;
};

function neededSlots(drafts: readonly Draft[]): ReadonlySet<Slot> {
  const needed = new Set<Slot>();
  const writers = new Map<Slot, { readonly from: readonly Slot[]; readonly guard?: Slot }[]>();
  for (const { computations, guard } of drafts) {
    for (const { to, from } of computations) {
      const known = writers.get(to) ?? [];
      known.push({ from, ...(guard === undefined ? {} : { guard: guard.slot }) });
      writers.set(to, known);
    }
  }
  const open = drafts.flatMap(({ accesses, guard, jump }) => [
    ...accesses.map(({ address }) => address),
    ...(guard !== undefined && (accesses.length > 0 || jump !== undefined) ? [guard.slot] : []),
  ]);
  for (let slot = open.pop(); slot !== undefined; slot = open.pop()) {
    if (needed.has(slot)) continue;
    needed.add(slot);
    for (const { from, guard } of writers.get(slot) ?? []) {
      open.push(...from, ...(guard === undefined ? [] : [guard]));
    }
  }
  return needed;
}
