/** The machine and the language that every section of the page refers to. */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { devices } from '../../src/core/hardware/devices';
import { TARGETS } from '../../src/core/spec/schema';
import { TARGET_NAMES } from '../ability';
import { Select, type Choice } from '../kit';
import { memoByValue } from './memoByValue';
import { fieldId } from './numberField';
import { Why, type FormProps } from './specField';

const SteadySelect = memoByValue(Select);
/** Prefix of choices that are machines without a row in the device table. */
const MACHINE = 'machine:';

/**
 * Offers each device of the device table, which changes the spec, and each other machine with
 * measurements, which changes only the view.
 */
export function MachineField(props: FormProps): VNode {
  const { derived, dispatch } = props;
  const { device, shown } = derived;
  const machines = shown.ok ? shown.rooflines.map(({ machine }) => machine) : [];
  const isDevice = (name: string): boolean => devices.some(known => known.name === name);
  const choices: readonly Choice[] = [
    ...devices.map(({ id, name }) => ({ value: id, label: name })),
    ...machines
      .filter(name => !isDevice(name))
      .map(name => ({ value: `${MACHINE}${name}`, label: name })),
  ];
  const current = shown.ok ? shown.roofline.machine : device.name;
  return (
    <>
      <SteadySelect
        id={fieldId('device')}
        label={t('Machine')}
        value={current === device.name ? device.id : `${MACHINE}${current}`}
        choices={choices}
        onChoose={chosen => {
          const machine = chosen.startsWith(MACHINE) ? chosen.slice(MACHINE.length) : null;
          dispatch({ type: 'view', view: { machine } });
          if (machine === null && chosen !== device.id)
            dispatch({ type: 'choose', changes: { device: chosen } });
        }}
      />
      <Why name={t('device')} path="device" {...props} />
    </>
  );
}

export const TargetField = ({ derived, dispatch }: FormProps): VNode => (
  <SteadySelect
    id="target"
    label={t('Language')}
    value={derived.target}
    choices={TARGETS.map(value => ({ value, label: TARGET_NAMES[value] }))}
    onChoose={chosen => {
      const target = TARGETS.find(known => known === chosen);
      if (target !== undefined) dispatch({ type: 'view', view: { target } });
    }}
  />
);
