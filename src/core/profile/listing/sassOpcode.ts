/**
 * Classifies SASS instructions by their opcode (CUDA Binary Utilities, "Instruction Set Reference",
 * Maxwell to Blackwell).
 */
import type { Instruction, InstructionClass } from './instruction';

type Meaning = Pick<Instruction, 'kind' | 'widthBytes' | 'lanes' | 'ends'>;

const means = (kind: InstructionClass, more: Partial<Meaning> = {}): Meaning => ({
  kind,
  ends: false,
  ...more,
});

const ACCESSES: Readonly<Record<string, InstructionClass>> = {
  LDS: 'shared-load',
  STS: 'shared-store',
  LDG: 'global-load',
  STG: 'global-store',
  LD: 'global-load',
  ST: 'global-store',
  LDL: 'local',
  STL: 'local',
  LDGSTS: 'async-copy',
};

const NAMES: readonly (readonly [InstructionClass, RegExp])[] = [
  ['fma', /^([FDH]FMA|HFMA2|FFMA2|IDP|IDP4A)$/],
  ['mma', /^([HIDBOQ]|UTC[A-Z]*)?G?MMA$/],
  ['arithmetic', /^([FDH](ADD|MUL|MNMX)2?|[FDH](ADD2|MUL2)|FADD32I|FMUL32I|MUFU|FCHK|FRND)$/],
  ['conversion', /^([FI]2[FI]P?|F2FP|I2FP|F2IP|I2IP)$/],
  [
    'barrier',
    /^(BAR|DEPBAR|LDGDEPBAR|MEMBAR|ERRBAR|FENCE|SYNCS|ARRIVES|WARPSYNC|UCGABAR_\w+|CCTL)$/,
  ],
  ['branch', /^(BRA|BRX|JMP|JMX|CALL|RET|EXIT|BSYNC|BSSY|BREAK|BPT|KILL|YIELD|NANOSLEEP)$/],
  ['shared-store', /^(ATOMS|STSM)$/],
  ['global-store', /^(ATOM|ATOMG|RED|REDG|UTMASTG|UTMAREDG)$/],
  ['async-copy', /^(UTMALDG|UBLKCP)$/],
  ['other', /^(NOP|TEX|TLD|SULD|SUST|SHFL|VOTE\w*|R2B|REDUX|MATCH)$/],
];

export function sassMeaning(opcode: string): Meaning {
  const [name = '', ...modifiers] = opcode.split('.');
  const kind = Object.hasOwn(ACCESSES, name) ? ACCESSES[name] : undefined;
  if (kind !== undefined) return means(kind, { widthBytes: widthOf(modifiers) });
  if (name === 'LDSM') {
    return means('shared-load', {
      widthBytes: 4 * Number(modifiers.at(-1)?.match(/^[124]$/)?.[0] ?? 1),
    });
  }
  if (name === 'LDC' || name === 'ULDC') return means('integer');
  const known = NAMES.find(([, names]) => names.test(name))?.[0];
  if (known === 'fma') {
    const lanes = /^(HFMA2|FFMA2)$/.test(name) ? 2 : name.startsWith('IDP') ? 4 : 1;
    return means('fma', lanes === 1 ? {} : { lanes });
  }
  if (known !== undefined) return means(known, { ends: /^(EXIT|RET|BRX|JMX)$/.test(name) });
  return means(/^[A-Z]/.test(name) ? 'integer' : 'other');
}

/**
 * Returns the access width in bytes. Without a width modifier, an access moves one register (4
 * bytes).
 */
function widthOf(modifiers: readonly string[]): number {
  const bits = modifiers.find(modifier => /^[US]?(8|16|64|128)$/.test(modifier));
  return bits === undefined ? 4 : Number(bits.replace(/\D/g, '')) / 8;
}
