/**
 * The ring of `wgmma` in time, by the rules of its barriers (shaders/cuda/wgmma/kernel.cuh): when a step's buffer is asked for, full,
 * multiplied and free again, and when sums leave. One block of a GPU whose blocks all do alike; times are given. Leaves out
 * that sums of pieces are promoted now and then, and that blocks with parts of K exchange theirs.
 */
import type { WgmmaModel } from './model';

/** In nanoseconds. */
export interface StepTimes {
  /** Of a step's products, if tensor cores did nothing else. */
  readonly multiply: number;
  /** From one load to the next, if nobody waited. */
  readonly load: number;
  /** From asking for a load to its first byte. */
  readonly latency: number;
  /** Of a tile of C. */
  readonly store: number;
}

export interface RingStep {
  /** Of the block's, from 0. */
  readonly tile: number;
  readonly step: number;
  readonly stage: number;
  /** Those that multiply it. */
  readonly consumers: readonly number[];
  readonly asked: number;
  readonly full: number;
  readonly from: number;
  readonly to: number;
  /** The producer may ask for another one. */
  readonly free: number;
}

export interface TileStore {
  readonly tile: number;
  readonly consumers: readonly number[];
  readonly from: number;
  /** The consumer goes on. */
  readonly handed: number;
  readonly to: number;
}

export interface Timeline {
  readonly steps: readonly RingStep[];
  readonly stores: readonly TileStore[];
}

export interface TimelineShape extends Pick<WgmmaModel, 'kernelSchedule' | 'consumers'> {
  readonly stages: number;
  /** Of a tile. */
  readonly steps: number;
  readonly tiles: number;
  /** Of a tile's store, what is still on its way when the consumer goes on: 0..1. */
  readonly inFlight: number;
}

export function timelineOf(shape: TimelineShape, times: StepTimes): Timeline {
  const { stages, steps, tiles, kernelSchedule, inFlight } = shape;
  const isPingpong = kernelSchedule === 'pingpong';
  const everyone = Array.from({ length: shape.consumers }, (_, i) => i);
  const rows: RingStep[] = [];
  const stores: TileStore[] = [];
  /** When each load was asked for, and is there; one further than what is multiplied. */
  const loads: { readonly asked: number; readonly full: number }[] = [];
  let transferred = 0;
  const askFor = (index: number) => {
    // The producer asks in order, as soon as the buffer is free.
    const asked = Math.max(loads[index - 1]?.asked ?? 0, rows[index - stages]?.free ?? 0);
    const begun = Math.max(asked + times.latency, transferred);
    transferred = begun + times.load;
    loads.push({ asked, full: transferred });
  };
  let tensorCores = 0;
  for (let tile = 0; tile < tiles; tile++) {
    const consumers = isPingpong ? everyone.filter(i => i === tile % everyone.length) : everyone;
    // What these did before: in ping-pong the tile before the last one.
    const handed = stores[tile - (isPingpong ? everyone.length : 1)]?.handed ?? 0;
    for (let step = 0; step < steps; step++) {
      const index = tile * steps + step;
      // A buffer is free once its products are summed, which is waited for when the next ones are under way.
      for (const at of [index, index + 1]) if (at === loads.length) askFor(at);
      const { asked = 0, full = 0 } = loads[index] ?? {};
      // A turn of ping-pong is given when the last products are under way, which tensor cores have to do first.
      const from = Math.max(full, tensorCores, step === 0 ? handed : 0);
      const to = from + times.multiply;
      tensorCores = to;
      const isLast = step === steps - 1;
      const free = isLast ? to : Math.max(to, loads[index + 1]?.full ?? 0);
      rows.push({
        tile,
        step,
        stage: index % stages,
        consumers,
        asked,
        full,
        from,
        to,
        free,
      });
    }
    const from = Math.max(tensorCores, stores.at(-1)?.to ?? 0);
    const to = from + times.store;
    stores.push({ tile, consumers, from, to, handed: to - inFlight * times.store });
  }
  return { steps: rows, stores };
}
