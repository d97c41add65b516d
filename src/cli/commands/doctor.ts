/** `doctor`: lists the tools on this machine, and how to install missing tools. */
import { doctor, type Tool } from '../../host/doctor';
import { DAWN_CLI, webgpu } from '../backends';
import { command } from '../command';
import { EXIT } from '../result';
import { table } from '../table';

export const doctorCommand = command({
  name: 'doctor',
  description: 'List the tools on this machine, and how to install missing tools',
  args: {},
  run: async () => {
    const tools = await doctor({ probeWebgpu, dawn: DAWN_CLI });
    return {
      exit: EXIT.yes,
      json: { tools },
      text: table([
        ['tool', 'version', 'path', 'hint'],
        ...tools.map(({ id, found, version, path, hint }) => [
          id,
          found ? (version ?? 'found') : 'missing',
          path,
          hint,
        ]),
      ]),
    };
  },
});

async function probeWebgpu(): Promise<Tool> {
  const answer = await webgpu().probe();
  if (!answer.available) {
    const hint = `${answer.why} ${answer.next}`;
    return { id: 'webgpu', found: false, version: null, path: null, hint };
  }
  const { name, adapter, driver } = answer.device;
  return { id: 'webgpu', found: true, version: driver, path: null, hint: `${name} (${adapter})` };
}
