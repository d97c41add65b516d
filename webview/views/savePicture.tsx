/**
 * Controls that save or copy a chart, in light or dark colors. The page creates the content; the
 * extension shows the save dialog.
 */
import { t } from '@vscode/l10n';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { MAX_CHART_CHARACTERS, type ChartFormat } from '../../src/protocol';
import { messageOf } from '../format';
import { Button, Select } from '../kit';
import {
  copyPicture,
  PICTURE_THEMES,
  pictureFile,
  type Picture,
  type PictureTheme,
} from '../picture';
import { useStaticPage } from '../staticPage';
import { postToExtension } from '../vscode';
import { Disclosure } from './disclosure';

export interface SavePictureProps {
  readonly picture: Picture;
  /** False in Restricted Mode. Default: true; then the extension checks the trust. */
  readonly trusted?: boolean;
}

/** The controls in a closed disclosure, which keeps a section with several charts short. */
export const FoldedSave = (props: SavePictureProps): VNode | null =>
  useStaticPage() ? null : (
    <Disclosure summary={t('Save picture')}>{() => <SavePicture {...props} />}</Disclosure>
  );

export function SavePicture({ picture, trusted = true }: SavePictureProps): VNode {
  const id = useId();
  const [theme, setTheme] = useState<PictureTheme>('light');
  const [status, setStatus] = useState('');
  const formats: readonly ChartFormat[] =
    picture.csv === undefined ? ['svg', 'png'] : ['svg', 'png', 'csv'];
  const save = async (format: ChartFormat): Promise<string> => {
    const content = await pictureFile(format, picture, theme);
    if (content.length > MAX_CHART_CHARACTERS)
      return t('This chart is too large to save. Fix: zoom in.');
    postToExtension({ type: 'exportChart', name: picture.name, format, content });
    return '';
  };
  const copy = async (): Promise<string> => {
    await copyPicture(picture, theme);
    return t('Copied.');
  };
  const press = (act: () => Promise<string>) => () => {
    act().then(setStatus, (error: unknown) => {
      setStatus(t('Chart export failed ({0}). Fix: save the chart as SVG.', messageOf(error)));
    });
  };
  const why = `${id}-why`;
  return (
    <div class="export" role="group" aria-label={t('Save the chart')}>
      {t('Save')}
      <Select
        id={`${id}-colors`}
        label={t('Colors of the picture')}
        value={theme}
        choices={PICTURE_THEMES.map(value => ({ value, label: themeName(value) }))}
        onChoose={chosen => {
          setTheme(PICTURE_THEMES.find(each => each === chosen) ?? 'light');
        }}
      />
      {formats.map(format => (
        <Button
          key={format}
          label={t('Save {0}', format.toUpperCase())}
          disabled={!trusted}
          {...(trusted ? {} : { describedBy: why })}
          onPress={press(() => save(format))}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      <Button label={t('Copy PNG')} onPress={press(copy)}>
        {t('Copy')}
      </Button>
      <p role="status">{status}</p>
      {trusted ? null : (
        <p id={why} class="hint">
          {t('Saving requires a trusted workspace: Restricted Mode writes no files.')}
        </p>
      )}
    </div>
  );
}

const themeName = (theme: PictureTheme): string => ({ light: t('Light'), dark: t('Dark') })[theme];
