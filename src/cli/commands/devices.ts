/** `devices`: prints the device table. */
import { devices } from '../../core/hardware/devices';
import { command } from '../command';
import { EXIT } from '../result';
import { table } from '../table';

export const devicesCommand = command({
  name: 'devices',
  description: 'List known devices: ids, peak rates, bandwidths and their sources',
  args: {},
  run: () => ({
    exit: EXIT.yes,
    json: devices,
    text: table([
      ['id', 'name', 'cc', 'SMs', 'f32 TFLOP/s', 'GB/s'],
      ...devices.map(device => [
        device.id,
        device.name,
        device.computeCapability,
        device.multiprocessors,
        device.peakTflops.f32,
        device.memoryBandwidthGBps,
      ]),
    ]),
  }),
});
