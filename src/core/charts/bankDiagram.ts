/** Maps the lanes of a shared-memory request to banks and wavefronts, for the bank diagram. */
import type { DrawnRequest } from '../memory/drawnRequest';
import { BANK_BYTES, BANKS, lanesPerWavefront } from '../memory/requestCost';

/** A 4-byte word that a bank serves in one wavefront, and the lanes that access it. */
export interface BankCell {
  readonly word: number;
  readonly lanes: readonly number[];
}

/** Words that the 32 banks serve in one wavefront; null for an idle bank. */
export type Wavefront = readonly (BankCell | null)[];

/** Consecutive lanes that shared memory serves in one wavefront unless their banks conflict. */
export interface BankPhase {
  readonly first: number;
  readonly last: number;
  /** Contains more than one wavefront if lanes request different words of one bank. */
  readonly wavefronts: readonly Wavefront[];
  readonly conflicts: readonly number[];
}

export interface BankPicture {
  readonly phases: readonly BankPhase[];
  readonly wavefronts: number;
  readonly conflicts: number;
  /**
   * Whether each wavefront can serve twice as many lanes, which requires lane pairs that read the
   * same address.
   */
  readonly paired: boolean;
}

export function bankPicture({ addresses, widthBytes, op }: DrawnRequest): BankPicture {
  const lanes = Float64Array.from(addresses, address => address ?? NaN);
  const kind = { bytes: widthBytes, op };
  const servedTogether = lanesPerWavefront(lanes, kind);
  const phases = Array.from({ length: addresses.length / servedTogether }, (_, i) =>
    phaseOf(addresses, widthBytes, i * servedTogether, servedTogether),
  ).filter(({ wavefronts }) => wavefronts.length > 0);
  const wavefronts = phases.reduce((sum, phase) => sum + phase.wavefronts.length, 0);
  return {
    phases,
    wavefronts,
    conflicts: wavefronts - phases.length,
    paired: servedTogether > lanesPerWavefront(lanes, { ...kind, op: 'store' }),
  };
}

function phaseOf(
  addresses: DrawnRequest['addresses'],
  widthBytes: number,
  first: number,
  count: number,
): BankPhase {
  const banks = Array.from({ length: BANKS }, () => new Map<number, number[]>());
  for (let lane = first; lane < first + count; lane++) {
    const address = addresses[lane] ?? null;
    if (address === null) continue;
    for (let byte = 0; byte < widthBytes; byte += BANK_BYTES) {
      const word = Math.floor((address + byte) / BANK_BYTES);
      const served = banks[word % BANKS];
      served?.set(word, [...(served.get(word) ?? []), lane]);
    }
  }
  const cells = banks.map(served => [...served].map(([word, lanes]) => ({ word, lanes })));
  const wavefronts = Math.max(...cells.map(({ length }) => length));
  return {
    first,
    last: first + count - 1,
    wavefronts: Array.from({ length: wavefronts }, (_, pass) =>
      cells.map(words => words[pass] ?? null),
    ),
    conflicts: cells.flatMap((words, bank) => (words.length > 1 ? [bank] : [])),
  };
}
