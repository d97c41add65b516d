/** Classifies PTX instructions by their opcode (PTX ISA 9.0, chapter 9). */
import type { Instruction, InstructionClass } from './instruction';

export type Meaning = Pick<Instruction, 'kind' | 'widthBytes' | 'lanes' | 'ends'>;

const means = (kind: InstructionClass, more: Partial<Meaning> = {}): Meaning => ({
  kind,
  ends: false,
  ...more,
});

/**
 * Returns the access width of an opcode in bytes, such as 16 for `.v4.f32`; undefined if the opcode
 * has no such type.
 */
function widthOf(opcode: string): number | undefined {
  const bits = /\.[busf](8|16|32|64|128)\b|\.b(?:f)?(16)(?:x2)?$/.exec(opcode);
  if (bits === null) return undefined;
  const count = Number(/\.v([248])\b/.exec(opcode)?.[1] ?? 1);
  return (count * Number(bits[1] ?? bits[2])) / 8;
}

const access = (kind: InstructionClass, opcode: string): Meaning => {
  const widthBytes = widthOf(opcode);
  return means(kind, widthBytes === undefined ? {} : { widthBytes });
};

const SPACES = {
  shared: { ld: 'shared-load', st: 'shared-store' },
  global: { ld: 'global-load', st: 'global-store' },
  local: { ld: 'local', st: 'local' },
} as const;

export function ptxMeaning(opcode: string, operands: string): Meaning {
  const [name = ''] = opcode.split('.');
  if (name === 'ld' || name === 'st' || name === 'ldu') {
    const space = /\.(shared|global|local)\b/.exec(opcode)?.[1];
    if (space === 'shared' || space === 'global' || space === 'local') {
      return access(SPACES[space][name === 'st' ? 'st' : 'ld'], opcode);
    }
    // Parameters and constants use a separate cache. Generic accesses (without a state space) count
    // as global accesses.
    if (/\.(param|const)\b/.test(opcode)) return means('integer');
    return access(name === 'st' ? 'global-store' : 'global-load', opcode);
  }
  if (name === 'cp') return copyMeaning(opcode, operands);
  if (/^(mma|wmma|wgmma|tcgen05)$/.test(name)) {
    return means(/\.(mma|mma_async|sync\.aligned\.m\d)/.test(opcode) ? 'mma' : 'other');
  }
  if (name === 'ldmatrix') {
    return means('shared-load', { widthBytes: 4 * Number(/\.x([124])\b/.exec(opcode)?.[1] ?? 1) });
  }
  if (name === 'stmatrix') return means('shared-store');
  if (/^(atom|red)$/.test(name)) {
    return access(opcode.includes('.shared') ? 'shared-store' : 'global-store', opcode);
  }
  if (/^(bar|barrier|membar|fence|mbarrier|griddepcontrol)$/.test(name)) return means('barrier');
  if (/^(bra|brx)$/.test(name)) return means('branch');
  if (/^(ret|exit|trap)$/.test(name)) return means('branch', { ends: true });
  if (name === 'call') return means('branch');
  if (name === 'cvt') return means('conversion');
  if (/^dp[24]a$/.test(name)) return means('fma', { lanes: name === 'dp4a' ? 4 : 2 });
  const isFloat = /\.b?f(16|16x2|32|64)(x2)?\b/.test(opcode);
  if ((name === 'fma' || name === 'mad') && isFloat) {
    return means('fma', /f(16x2|32x2)\b/.test(opcode) ? { lanes: 2 } : {});
  }
  if (isFloat && !/^(mov|selp|setp|set|slct|testp)$/.test(name)) return means('arithmetic');
  return means(/^[a-z]/.test(name) ? 'integer' : 'other');
}

function copyMeaning(opcode: string, operands: string): Meaning {
  if (/\.(commit_group|wait_group|wait_all|mbarrier)/.test(opcode)) return means('barrier');
  if (opcode.includes('.bulk')) return means('async-copy');
  const bytes = /\]\s*,\s*(4|8|16)\b/.exec(operands)?.[1];
  return means('async-copy', bytes === undefined ? {} : { widthBytes: Number(bytes) });
}
