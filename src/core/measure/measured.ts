/** Made by scripts/ladderTable.ts; a test compares it with what was recorded. */
import type { MeasuredTable } from './table';

export const MEASURED: readonly MeasuredTable[] = [
  {
    source: 'bench/h200-ladder-cuda.json',
    device: 'h200',
    target: 'cuda',
    compiler: 'nvcc 13.0.88',
    rows: [
      { size: 512, gflops: 482, schedule: { algorithm: 'naive', block: { m: 32, n: 32 } } },
      {
        size: 512,
        gflops: 5862,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'swap' },
      },
      {
        size: 512,
        gflops: 5849,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'remap' },
      },
      {
        size: 512,
        gflops: 7614,
        schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, variant: '2d' },
      },
      {
        size: 512,
        gflops: 4767,
        schedule: { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
      },
      {
        size: 512,
        gflops: 5106,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 64, n: 64, k: 8 },
          thread: { m: 4, n: 4 },
        },
      },
      {
        size: 512,
        gflops: 2035,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
        },
      },
      {
        size: 512,
        gflops: 2164,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
          padding: { a: 1 },
        },
      },
      { size: 1024, gflops: 485, schedule: { algorithm: 'naive', block: { m: 32, n: 32 } } },
      {
        size: 1024,
        gflops: 6296,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'swap' },
      },
      {
        size: 1024,
        gflops: 6300,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'remap' },
      },
      {
        size: 1024,
        gflops: 8656,
        schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, variant: '2d' },
      },
      {
        size: 1024,
        gflops: 17541,
        schedule: { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
      },
      {
        size: 1024,
        gflops: 19756,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 64, n: 64, k: 8 },
          thread: { m: 4, n: 4 },
        },
      },
      {
        size: 1024,
        gflops: 8606,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
        },
      },
      {
        size: 1024,
        gflops: 9047,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
          padding: { a: 1 },
        },
      },
      { size: 2048, gflops: 486, schedule: { algorithm: 'naive', block: { m: 32, n: 32 } } },
      {
        size: 2048,
        gflops: 6463,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'swap' },
      },
      {
        size: 2048,
        gflops: 6466,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'remap' },
      },
      {
        size: 2048,
        gflops: 9297,
        schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, variant: '2d' },
      },
      {
        size: 2048,
        gflops: 18007,
        schedule: { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
      },
      {
        size: 2048,
        gflops: 26154,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 64, n: 64, k: 8 },
          thread: { m: 4, n: 4 },
        },
      },
      {
        size: 2048,
        gflops: 24386,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
        },
      },
      {
        size: 2048,
        gflops: 26831,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
          padding: { a: 1 },
        },
      },
      { size: 4096, gflops: 498, schedule: { algorithm: 'naive', block: { m: 32, n: 32 } } },
      {
        size: 4096,
        gflops: 6305,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'swap' },
      },
      {
        size: 4096,
        gflops: 6306,
        schedule: { algorithm: 'coalesced', block: { m: 32, n: 32 }, variant: 'remap' },
      },
      {
        size: 4096,
        gflops: 8872,
        schedule: { algorithm: 'shared-tile', block: { m: 32, n: 32, k: 32 }, variant: '2d' },
      },
      {
        size: 4096,
        gflops: 17835,
        schedule: { algorithm: 'thread-tile-1d', block: { m: 64, n: 64, k: 8 }, thread: { m: 8 } },
      },
      {
        size: 4096,
        gflops: 27069,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 64, n: 64, k: 8 },
          thread: { m: 4, n: 4 },
        },
      },
      {
        size: 4096,
        gflops: 25056,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
        },
      },
      {
        size: 4096,
        gflops: 27762,
        schedule: {
          algorithm: 'thread-tile-2d',
          block: { m: 128, n: 128, k: 8 },
          thread: { m: 8, n: 8 },
          padding: { a: 1 },
        },
      },
    ],
  },
];
