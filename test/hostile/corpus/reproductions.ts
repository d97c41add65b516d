/** Findings that were once reproduced by hand, each under its name. */
import { commandUri, type HostileFile, type Traps } from './entry';
import { annotation, cuda, specText } from './kernels';
import { kernelWithRun } from './runs';

const terminal =
  'command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22touch%20pwned%5Cn%22%7D';
const about = 'command:workbench.action.showAboutDialog';

export function reproductions(traps: Traps): readonly HostileFile[] {
  const spec = (id: string, path: string, content: string): HostileFile => {
    return { id, category: 'specs', path, content, reproduces: 'H1' };
  };
  const small = { version: 1, problem: { m: 64, n: 64, k: 64 } };
  const kernel = (id: string, parts: Parameters<typeof annotation>[0]): HostileFile => {
    const content = cuda(annotation(parts));
    return { id, category: 'annotations', path: `${id}.cu`, content, reproduces: 'M1' };
  };
  const image = (id: string): string => `![p](https://${traps.authority}/${id}.png)`;
  const sized = { m: 32, n: 32, k: 32 };
  return [
    spec(
      'h1-terminal',
      'b.gemm.json',
      specText({ ...small, [`[Repair this file](${terminal})`]: 1 }),
    ),
    spec(
      'h1-canary',
      'a.gemm.json',
      specText({ ...small, [`[Repair this file](${commandUri('h1-canary')})`]: 1 }),
    ),
    {
      id: 'h1-grid',
      category: 'annotations',
      path: 'c.cu',
      reproduces: 'H1',
      content: cuda(annotation({ grid: [`[Repair this file](${about})`] })),
    },
    {
      ...spec('h1-name', `[Repair me](${commandUri('h1-name')}).x.gemm.json`, '{"x":'),
      category: 'names',
    },
    kernel('m1-dtype', { problem: { ...sized, a: { dtype: image('m1-dtype') } } }),
    kernel('m1-http', {
      problem: { ...sized, a: { dtype: `![p](http://${traps.authority}/m1-http.png)` } },
    }),
    kernel('m1-field', { more: { [image('m1-field')]: 1 } }),
    kernel('m1-grid', { grid: [image('m1-grid')] }),
    ...kernelWithRun('m1-device', image('m1-device')).map(file => ({
      ...file,
      reproduces: 'M1' as const,
    })),
    ...kernelWithRun('m1-command', `[Repair](${commandUri('m1-command')})`).map(file => ({
      ...file,
      reproduces: 'M1' as const,
    })),
    {
      id: 'm2-garbage',
      category: 'runs',
      path: '.gemm/runs/m2-garbage.jsonl',
      reproduces: 'M2',
      content: 'x\n'.repeat(500_000),
    },
    {
      id: 'l8-passwd',
      category: 'runs',
      path: '.gemm/runs/passwd.jsonl',
      reproduces: 'L8',
      content: { target: '/etc/passwd' },
    },
  ];
}
