/**
 * Summarizes the results of random specs on the backends, with nvcc and under compute-sanitizer,
 * and the times of generation and analysis.
 */
import * as v from 'valibot';

const known = { command: v.string(), commit: v.string(), seconds: v.number() };
const drawsSchema = v.object({
  ...known,
  count: v.number(),
  legal: v.object({ cuda: v.number(), wgsl: v.number() }),
  illegal: v.number(),
  failed: v.array(v.string()),
});
const runsSchema = v.object({
  ...known,
  device: v.string(),
  kernels: v.number(),
  failed: v.array(v.string()),
});
const compiledSchema = v.object({
  ...known,
  nvcc: v.string(),
  specs: v.number(),
  compiled: v.record(v.string(), v.number()),
  failures: v.array(v.unknown()),
});
const sanitizedSchema = v.object({
  machine: v.array(v.string()),
  commit: v.string(),
  count: v.number(),
  wrong: v.number(),
  tools: v.array(v.object({ tool: v.string(), clean: v.number(), programs: v.number() })),
});
const timesSchema = v.object({ p50Ms: v.number(), p95Ms: v.number(), maxMs: v.number() });
const generatedSchema = v.object({
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  legal: timesSchema,
});
const analyzedSchema = v.object({
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  kernels: v.number(),
  analysis: v.object({ single: timesSchema, medianOfFive: timesSchema }),
  whole: v.object({ single: timesSchema, medianOfFive: timesSchema }),
});

const told = ({ p50Ms, p95Ms, maxMs }: v.InferOutput<typeof timesSchema>): string =>
  `median ${p50Ms.toFixed(2)} ms, p95 ${p95Ms.toFixed(2)} ms, max ${maxMs.toFixed(1)} ms`;

const n = (value: number): string => value.toLocaleString('en-US');

/**
 * Returns the reason for a failure: the first sentence of the line after the seed, with each number
 * replaced by N.
 */
const reasonOf = (failure: string): string =>
  (failure.split('\n')[1] ?? '').trim().split('. ')[0]?.replaceAll(/\d+/g, 'N') ?? '';

function reasons(failed: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of failed.map(reasonOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} x "${reason}"`).join(', ');
}

const failing = (failed: readonly string[]): string =>
  failed.length === 0 ? '0 failed' : `${failed.length} failed (${reasons(failed)})`;

const source = (
  { command, commit, seconds }: { command: string; commit: string; seconds: number },
  file: string,
): string =>
  `\`${command}\`, ${seconds} s, commit \`${commit.slice(0, 12)}\`; raw: \`bench/${file}\``;

export function proof(read: (file: string) => unknown): string {
  const draws = v.parse(drawsSchema, read('draws-simulate.json'));
  const cpu = v.parse(runsSchema, read('cpu-grid.json'));
  const webgpu = v.parse(runsSchema, read('webgpu-grid.json'));
  const compiled = v.parse(compiledSchema, read('compile-grid.json'));
  const sanitized = v.parse(sanitizedSchema, read('h200-sanitizer.json'));
  const generated = v.parse(generatedSchema, read('generate.json'));
  const analyzed = v.parse(analyzedSchema, read('analyze.json'));
  const { analysis, whole } = analyzed;
  const each = Object.entries(compiled.compiled).map(([name, count]) => `${name} ${n(count)}`);
  const tools = sanitized.tools.map(({ tool, clean, programs }) => `${tool} ${clean}/${programs}`);
  return [
    `- **simulate**: ${n(draws.count)} random specs (${n(draws.legal.cuda)} CUDA and ${n(draws.legal.wgsl)} WGSL kernels, ${n(draws.illegal)} illegal specs): ${failing(draws.failed)}. ${source(draws, 'draws-simulate.json')}.`,
    `- **cpu**: ${n(cpu.kernels)} CUDA kernels on ${cpu.device}: ${failing(cpu.failed)}. ${source(cpu, 'cpu-grid.json')}.`,
    `- **SwiftShader**: ${n(webgpu.kernels)} WGSL kernels on ${webgpu.device.trim()}: ${failing(webgpu.failed)}. ${source(webgpu, 'webgpu-grid.json')}.`,
    `- **nvcc** ${compiled.nvcc}: ${n(compiled.specs)} legal specs, warnings as errors: ${compiled.failures.length} failed; number of legal kernels per architecture: ${each.join(', ')}. ${source(compiled, 'compile-grid.json')}.`,
    `- **compute-sanitizer** on ${sanitized.machine[0] ?? ''}: ${sanitized.count} kernels of odd sizes, ${sanitized.wrong} with an incorrect result; programs without a finding: ${tools.join(', ')}. Commit \`${sanitized.commit.slice(0, 12)}\`; raw: \`bench/h200-sanitizer.json\`.`,
    `- **generate** (resolve, check, plan and emit for both targets): ${told(generated.legal)} over legal random specs on a busy ${generated.machine}. \`${generated.command}\`, commit \`${generated.commit.slice(0, 12)}\`; raw: \`bench/generate.json\`.`,
    `- **analyze** of ${n(analyzed.kernels)} kernels of random specs, CPU time of the process: ${told(analysis.medianOfFive)} (medians of five runs each; first runs: ${told(analysis.single)}). Starting from the spec, with resolve, check and plan for both targets and emit: ${told(whole.medianOfFive)}. ${analyzed.machine}; \`${analyzed.command}\`, commit \`${analyzed.commit.slice(0, 12)}\`; raw: \`bench/analyze.json\`.`,
  ].join('\n');
}
