/**
 * Timeline of the `wgmma` pipeline under its mbarrier rules (shaders/cuda/wgmma/kernel.cuh): when
 * each stage is requested, full, multiplied and released, and when C is stored. It models one block
 * and ignores FP32 promotion of split terms and the split-K exchange.
 */
import type { WgmmaModel } from './model';

/** Durations in nanoseconds. */
export interface StepTimes {
  /** MMA time per k-iteration with exclusive use of the tensor cores. */
  readonly multiply: number;
  /** Time between loads at full load throughput. */
  readonly load: number;
  /** Latency from a load's issue to its first byte. */
  readonly latency: number;
  /** Store time per tile of C. */
  readonly store: number;
}

export interface RingStep {
  /** Index of the tile among the tiles that the block computes, from 0. */
  readonly tile: number;
  readonly step: number;
  readonly stage: number;
  readonly consumers: readonly number[];
  readonly asked: number;
  readonly full: number;
  readonly from: number;
  readonly to: number;
  /** Time in nanoseconds at which the producer may refill the stage. */
  readonly free: number;
}

export interface TileStore {
  readonly tile: number;
  readonly consumers: readonly number[];
  readonly from: number;
  /** Time in nanoseconds at which the consumer continues with its next tile. */
  readonly handed: number;
  readonly to: number;
}

export interface Timeline {
  readonly steps: readonly RingStep[];
  readonly stores: readonly TileStore[];
}

export interface TimelineShape extends Pick<WgmmaModel, 'kernelSchedule' | 'consumers'> {
  readonly stages: number;
  readonly steps: number;
  readonly tiles: number;
  /** Fraction of a tile's store (0..1) that is still in flight when the consumer continues. */
  readonly inFlight: number;
}

export function timelineOf(shape: TimelineShape, times: StepTimes): Timeline {
  const { stages, steps, tiles, kernelSchedule, inFlight } = shape;
  const isPingpong = kernelSchedule === 'pingpong';
  const everyone = Array.from({ length: shape.consumers }, (_, i) => i);
  const rows: RingStep[] = [];
  const stores: TileStore[] = [];
  /** Issue and completion times of each load, one k-iteration ahead of the MMA. */
  const loads: { readonly asked: number; readonly full: number }[] = [];
  let transferred = 0;
  const issueLoad = (index: number) => {
    // The producer issues loads in order, as soon as the stage is free.
    const issued = Math.max(loads[index - 1]?.asked ?? 0, rows[index - stages]?.free ?? 0);
    const begun = Math.max(issued + times.latency, transferred);
    transferred = begun + times.load;
    loads.push({ asked: issued, full: transferred });
  };
  let tensorCores = 0;
  for (let tile = 0; tile < tiles; tile++) {
    const consumers = isPingpong ? everyone.filter(i => i === tile % everyone.length) : everyone;
    // Time at which these consumers finish their previous tile: the preceding tile, or in ping-pong
    // the tile before it.
    const continued = stores[tile - (isPingpong ? everyone.length : 1)]?.handed ?? 0;
    for (let step = 0; step < steps; step++) {
      const index = tile * steps + step;
      // A stage is released once its MMA is complete. The consumer waits for this completion after
      // it has issued the next MMA.
      for (const at of [index, index + 1]) if (at === loads.length) issueLoad(at);
      const { asked = 0, full = 0 } = loads[index] ?? {};
      // In ping-pong, the consumers switch when the last MMA has been issued; the tensor cores
      // still execute it.
      const from = Math.max(full, tensorCores, step === 0 ? continued : 0);
      const to = from + times.multiply;
      tensorCores = to;
      const isLast = step === steps - 1;
      const released = isLast ? to : Math.max(to, loads[index + 1]?.full ?? 0);
      rows.push({
        tile,
        step,
        stage: index % stages,
        consumers,
        asked,
        full,
        from,
        to,
        free: released,
      });
    }
    const from = Math.max(tensorCores, stores.at(-1)?.to ?? 0);
    const to = from + times.store;
    stores.push({ tile, consumers, from, to, handed: to - inFlight * times.store });
  }
  return { steps: rows, stores };
}
