/** Lists the tutorials and finds one by name. */
import { DEFAULT_DEVICE, type DeviceId } from '../hardware/devices';
import { cute } from './cute';
import { hierarchy } from './hierarchy';
import { loops } from './loops';
import { ratios } from './ratios';
import type { Tutorial, TutorialName } from './tutorial';
import { worklog } from './worklog';

const TUTORIALS: Readonly<Record<TutorialName, () => Tutorial>> = {
  hierarchy,
  cute,
  ratios,
  worklog,
  loops,
};

export const tutorialNamed = (name: TutorialName): Tutorial => TUTORIALS[name]();

/** Returns the GPU of the predicted rates: the tutorial's, or the default of the device table. */
export const predictedDevice = ({ gpu }: Tutorial): DeviceId => gpu ?? DEFAULT_DEVICE;
