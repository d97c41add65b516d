/** `analyze`: the contract's shape, the choice of target, and files. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { emit } from '../../src/core/kernel/emit';
import { hashText } from '../../src/core/text/hash';
import { measurementSchema } from '../../src/core/measure/measurement';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { GemmSpec } from '../../src/core/spec/schema';
import { timed } from '../helpers/measurements';
import type { Analysis } from './analysis';
import { cli, inFolder, jsonOf, spec } from './cli';

describe('analyze', () => {
  it('prints figures with units and origins', async () => {
    const ran = await cli(['analyze', '-', '--device', 'rtx-4090', '--estimate', '--json'], spec());
    assert.equal(ran.code, 0, ran.stderr);
    const analysis = jsonOf(ran) as Analysis;
    assert.equal(analysis.device, 'rtx-4090');
    assert.equal(analysis.target, 'cuda');
    assert.equal(analysis.traffic.dram.unit, 'B');
    // A, B and C once each, in f32.
    assert.equal(analysis.traffic.dram.value, 4 * (96 * 64 + 64 * 80 + 96 * 80));
    assert.equal(analysis.roofline.deviceRatio.from, 'spec');
    assert.ok(Math.abs(analysis.roofline.deviceRatio.value - 81.3) < 0.1);
    assert.ok((analysis.occupancy?.blocksPerSm ?? 0) > 0);
    assert.deepEqual(new Set(analysis.globalMemory.map(({ operand }) => operand)), new Set('abc'));
    assert.ok(analysis.waves.tiles > 0);
  });

  it("selects the device's own target, otherwise the first legal one", async () => {
    const target = async (args: readonly string[], schedule?: object): Promise<string> => {
      const text = spec(schedule as Record<string, unknown>);
      return (
        jsonOf(await cli(['analyze', '-', '--estimate', '--json', ...args], text)) as Analysis
      ).target;
    };
    assert.equal(await target(['--device', 'h200']), 'cuda');
    assert.equal(await target(['--device', 'apple-m4']), 'wgsl');
    assert.equal(await target(['--device', 'h200', '--target', 'wgsl']), 'wgsl');
  });

  it('prints traffic per level, ratios, remedies and optional request diagrams', async () => {
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 128, n: 128, k: 8 },
      thread: { m: 8, n: 8 },
    };
    const args = ['analyze', '-', '--estimate'];
    const told = jsonOf(await cli([...args, '--json'], spec(schedule))) as {
      readonly memoryLevels: { readonly levels: readonly { readonly level: string }[] };
      readonly ratios: readonly { readonly name: string }[];
      readonly bankRemedies: { readonly remedies: readonly unknown[] };
      readonly pictures?: unknown;
    };
    assert.deepEqual(
      told.memoryLevels.levels.map(({ level }) => level),
      ['registers', 'shared', 'l1', 'l2', 'dram'],
    );
    assert.equal(told.ratios.length, 3);
    assert.equal(told.bankRemedies.remedies.length, 1);
    assert.equal(told.pictures, undefined);
    const { stdout } = await cli([...args, '--pictures'], spec(schedule));
    assert.match(stdout, /--set schedule\.padding\.a=1/);
    assert.match(stdout, /As fragment load: 4 B per lane, wavefronts: 2/);
    assert.match(stdout, /lanes 8-15: 32 B/);
  });

  it('sweeps a size as a table, as CSV, and as points in the JSON', async () => {
    const schedule = {
      algorithm: 'thread-tile-2d',
      block: { m: 16, n: 16, k: 8 },
      thread: { m: 4, n: 4 },
    };
    const args = ['analyze', '-', '--estimate', '--sweep', 'm', '--from', '90', '--to', '100'];
    const json = jsonOf(
      await cli([...args, '--step', '1', '--json'], spec(schedule)),
    ) as Analysis & {
      readonly sweep: {
        readonly points: readonly { readonly size: number; readonly tiles: number }[];
        readonly current: { readonly size: number; readonly tiles: number };
      };
    };
    const tiles = json.sweep.points.map(({ size, tiles: of }) => [size, of]);
    assert.deepEqual(tiles[0], [90, 30]);
    assert.deepEqual(tiles.slice(6, 8), [
      [96, 30],
      [97, 35],
    ]);
    assert.equal(json.sweep.current.tiles, json.waves.tiles);
    const told = await cli(args, spec(schedule));
    assert.match(told.stdout, /^m +tiles +waves +tail/m);
    assert.match(told.stdout, /^96 .*<- current$/m);
    const { stdout } = await cli([...args, '--step', '5', '--csv'], spec(schedule));
    const lines = stdout.split('\r\n');
    assert.equal(lines.length, 1 + 3 + 1);
    assert.match(lines[0] ?? '', /^m,n,k,tiles,.*,predicted_tflops$/);
    assert.match(lines[3] ?? '', /^100,80,64,35,/);
  });

  it('prints clusters, the carve-out, and edits for partial waves', async () => {
    const schedule = {
      algorithm: 'warp-tile',
      block: { m: 128, n: 128, k: 16 },
      warp: { m: 64, n: 32 },
      thread: { m: 8, n: 8 },
    };
    const sized = (m: number, n: number): string =>
      JSON.stringify({ problem: { m, n, k: 1024 }, schedule });
    const told = await cli(['analyze', '-', '--estimate'], sized(1024, 1024));
    assert.match(told.stdout, /carve-out +\d+ KiB shared memory per SM, \d+ KiB left for L1/);
    assert.match(told.stdout, /resident clusters +\d+ clusters of 2 /);
    assert.match(
      told.stdout,
      /^ {2}--set schedule\.\S+=\d+.*: predicted [\d.]+ -> [\d.]+ TFLOP\/s, load balance [\d.]+ %/m,
    );
    const ran = await cli(['analyze', '-', '--estimate', '--json'], sized(4224, 4096));
    const filled = jsonOf(ran) as {
      readonly waveEdits: readonly unknown[];
      readonly carveOut: { readonly sharedKiB: number; readonly l1KiB: number };
      readonly clusters: { readonly counts: readonly unknown[] };
    };
    assert.deepEqual(filled.waveEdits, []);
    assert.equal(filled.carveOut.sharedKiB + filled.carveOut.l1KiB, 256);
    assert.equal(filled.clusters.counts.length, 4);
  });

  it('rejects invalid sweep options with the reason', async () => {
    const refused = async (args: readonly string[], text = spec()): Promise<string> => {
      const { code, stderr } = await cli(['analyze', '-', '--estimate', ...args], text);
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.match(await refused(['--sweep', 'q']), /sweep/);
    assert.match(await refused(['--step', '4']), /--step requires --sweep/);
    assert.match(
      await refused(['--sweep', 'm', '--from', '9', '--to', '8']),
      /--from to be at most --to/,
    );
    assert.match(
      await refused(['--sweep', 'm', '--from', '0']),
      /Expected --from to be at least 1/,
    );
    assert.match(
      await refused(['--sweep', 'm', '--step', '1', '--to', '200000']),
      /exceed the limit/,
    );
    assert.match(await refused(['--sweep', 'm', '--device', 'apple-m4']), /NVIDIA/);
  });

  it('prints the ceiling of every level and unit', async () => {
    const naive = spec({ algorithm: 'naive' });
    const told = jsonOf(await cli(['analyze', '-', '--estimate', '--json'], naive)) as {
      readonly levelRoofline: {
        readonly limitedBy: string;
        readonly attainable: { readonly value: number; readonly from: string };
        readonly levels: readonly { readonly level: string; readonly roof: object }[];
        readonly units: readonly { readonly unit: string; readonly used: boolean }[];
      };
    };
    const { limitedBy, attainable, levels, units } = told.levelRoofline;
    assert.equal(limitedBy, 'l1');
    assert.ok(attainable.value > 0 && attainable.value < 66.9);
    assert.deepEqual(
      levels.map(({ level }) => level),
      ['l1', 'l2', 'dram'],
    );
    assert.deepEqual(
      units.map(({ unit, used }) => [unit, used]),
      [
        ['fma', true],
        ['tensor', false],
      ],
    );
    const { stdout } = await cli(['analyze', '-', '--estimate'], naive);
    assert.match(stdout, /L1 +33450 .*\(memory\).*128 B\/clock x 132 SMs x 1980 MHz/);
    assert.match(stdout, /tf32 tensor cores, not used by this kernel: 494\.7 TFLOP\/s/);
    assert.match(stdout, /attainable over all levels: [\d.]+ TFLOP\/s, limited by L1; predicted/);
  });

  it('plots the points of a runs file with the measured ceilings of their GPU', async () => {
    const naive = spec({ algorithm: 'naive' });
    const text = readFileSync('test/fixtures/h200-ceilings.json', 'utf8');
    const ceilings = v.parse(measurementSchema.entries.ceilings.wrapped, JSON.parse(text));
    const resolved = resolve(JSON.parse(naive) as GemmSpec);
    const planned = plan(resolved, 'cuda');
    assert.ok(planned.ok);
    const { source } = emit(planned.plan);
    const run = (gflops: number, sourceHash: string) =>
      JSON.stringify(timed({ gflops, sourceHash, resolved, where: 'cli', ceilings }));
    await inFolder(async folder => {
      const runs = path.join(folder, 'runs.jsonl');
      const lines = [run(900, hashText(source)), run(1200, 'a'.repeat(64))];
      writeFileSync(runs, lines.join('\n'));
      const args = ['analyze', '-', '--estimate', '--runs', runs];
      const { roofline } = jsonOf(await cli([...args, '--json'], naive)) as {
        readonly roofline: {
          readonly ceilings: readonly { readonly name: string; readonly machine: string }[];
          readonly points: readonly { readonly kind: string; readonly tflops: number }[];
        };
      };
      assert.deepEqual(
        roofline.points.filter(({ kind }) => kind === 'measured').map(({ tflops }) => tflops),
        [0.9],
        'not that of another text',
      );
      assert.ok(
        roofline.ceilings.some(
          ({ name, machine }) =>
            name === 'L2 reads, measured on this GPU' && machine === 'NVIDIA H200, cli',
        ),
      );
      const { stdout } = await cli(args, naive);
      assert.match(stdout, /L2 +7274 .*measured: on this GPU \(NVIDIA H200, cli\)/);
      assert.match(
        stdout,
        /f32 FMA: 64\.75 TFLOP\/s \(measured\); ridge points \(FLOP\/B\): .*l2 8\.901/,
      );
      const none = await cli([...args.slice(0, -1), path.join(folder, 'none')], naive);
      assert.equal(none.code, 2);
      assert.match(none.stderr, /--runs: .*none could not be read/);
    });
  });

  it('reports the losses between the roofline and the prediction, and edits for them', async () => {
    const warps = spec({ algorithm: 'warp-tile' });
    const told = jsonOf(await cli(['analyze', '-', '--estimate', '--json'], warps)) as {
      readonly waterfall: { readonly falls: readonly { readonly cause: string }[] };
      readonly gapEdits: Readonly<Record<string, { readonly changes: readonly object[] }>>;
    };
    const causes = told.waterfall.falls.map(({ cause }) => cause);
    assert.ok(causes.length > 1);
    for (const cause of Object.keys(told.gapEdits)) assert.ok(causes.includes(cause), cause);
    const { stdout } = await cli(['analyze', '-', '--estimate'], warps);
    assert.match(stdout, /^loss +ms/m);
    assert.match(stdout, /^predicted +[\d.]+ +[\d.]+$/m);
  });

  it('prints tables for people', async () => {
    const { stdout } = await cli(['analyze', '-', '--estimate'], spec());
    assert.match(stdout, /occupancy +\d/);
    assert.match(stdout, /attainable +[\d.]+ TFLOP\/s/);
    assert.match(stdout, /sectors: \d+, ideal \d+/);
  });

  it('rejects an invalid spec with exit code 2 and the field', async () => {
    const schedule = { algorithm: 'shared-tile', block: { m: 33, n: 40, k: 32 } };
    const ran = await cli(['analyze', '-', '--json'], spec(schedule));
    assert.equal(ran.code, 2, ran.stdout);
    assert.match(ran.stderr, /schedule\./);
  });

  it('rejects an unknown device', async () => {
    const { code, stderr } = await cli(['analyze', '-', '--device', 'gtx'], spec());
    assert.equal(code, 2);
    assert.match(stderr, /gtx/);
  });
});
