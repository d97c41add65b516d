/**
 * Derives the memory accesses of PTX instructions: one address per lane, and the access width in
 * bytes.
 */
import { WARP_LANES } from '../../hardware/warp';
import type { Instruction } from '../listing/instruction';
import type { Operand } from './operands';

export interface MemoryAccess {
  /** Memory space; for `generic`, the address determines the space. */
  readonly space: 'global' | 'shared' | 'generic';
  readonly op: 'load' | 'store';
  /** Slot of the address; `offset` is in bytes. */
  readonly address: number;
  readonly offset: number;
  readonly bytes: number;
  /**
   * Number of leading lanes that provide an address. For `ldmatrix`, only the first lanes provide
   * row addresses.
   */
  readonly lanes: number;
  /** Registers of the stored values, to trace their origin; `cp.async` for an asynchronous copy. */
  readonly stored: readonly string[];
}

/**
 * Returns the name of an unsupported instruction, whose memory transfers are not counted; undefined
 * for other instructions.
 */
export function unreadAccess({ opcode }: Pick<Instruction, 'opcode'>): string | undefined {
  const [name = ''] = opcode.split('.');
  if (name === 'cp' && /\.(bulk|reduce)/.test(opcode)) return 'cp.async.bulk';
  if (/^(wmma|tcgen05|tex|suld|sust|surd|sured|call|multimem)$/.test(name)) {
    return name === 'wmma' && !/\.(load|store)/.test(opcode) ? undefined : name;
  }
  if (name === 'wgmma' && opcode.includes('.mma_async')) return 'wgmma';
  return /^brx\b/.test(opcode) ? 'brx' : undefined;
}

export function accessesOf(
  { opcode, widthBytes }: Instruction,
  operands: readonly Operand[],
  slotOf: (name: string) => number,
): readonly MemoryAccess[] {
  const [name = ''] = opcode.split('.');
  if (unreadAccess({ opcode }) !== undefined) return [];
  const addresses = operands.filter(({ isAddress }) => isAddress);
  const [first, second] = addresses;
  const at = (operand: Operand | undefined): Pick<MemoryAccess, 'address' | 'offset'> => ({
    address: slotOf(operand?.text ?? ''),
    offset: operand?.offset ?? NaN,
  });
  const whole = { lanes: WARP_LANES, stored: [] };
  if (first === undefined) return [];
  if (name === 'cp') {
    if (widthBytes === undefined) return [];
    const bytes = widthBytes;
    return [
      { ...at(second), ...whole, space: 'global', op: 'load', bytes },
      { ...at(first), ...whole, space: 'shared', op: 'store', bytes, stored: ['cp.async'] },
    ];
  }
  if (name === 'ldmatrix' || name === 'stmatrix') {
    const lanes = 8 * Number(/\.x([124])\b/.exec(opcode)?.[1] ?? 1);
    const op = name === 'ldmatrix' ? 'load' : 'store';
    const stored = op === 'load' ? [] : namesOf(operands.at(-1));
    return [{ ...at(first), space: 'shared', op, bytes: ROW_BYTES, lanes, stored }];
  }
  if (!/^(ld|ldu|st|atom|red)$/.test(name) || widthBytes === undefined) return [];
  if (/\.(param|const|local)\b/.test(opcode)) return [];
  const space = /\.(global|shared)\b/.exec(opcode)?.[1];
  const op = name.startsWith('ld') ? 'load' : 'store';
  const stored = op === 'load' ? [] : namesOf(operands.at(-1));
  return [
    {
      ...at(first),
      lanes: WARP_LANES,
      op,
      bytes: widthBytes,
      stored,
      space: space === 'global' || space === 'shared' ? space : 'generic',
    },
  ];
}

/** Bytes per row of an 8 x 8 matrix with two-byte elements. */
const ROW_BYTES = 16;

const namesOf = (operand: Operand | undefined): readonly string[] =>
  operand === undefined ? [] : operand.items.length > 0 ? operand.items : [operand.text];
