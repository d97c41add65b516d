/** What tests read of the JSON that `analyze` prints. */
interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly from: string;
}

export interface Analysis {
  readonly specKey: string;
  readonly device: string;
  readonly target: string;
  readonly occupancy: {
    readonly blocksPerSm: number;
    readonly registers: Figure;
    readonly sharedBytes: Figure;
  } | null;
  readonly traffic: { readonly dram: Figure };
  readonly roofline: { readonly deviceRatio: Figure; readonly attainable: Figure };
  readonly globalMemory: readonly { readonly operand: string }[];
  readonly waves: { readonly tiles: number };
  readonly notes: readonly unknown[];
}
