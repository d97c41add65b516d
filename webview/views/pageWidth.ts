/**
 * Hook that returns whether the page has at least the given width. Without a page, as in the
 * extension host, the page counts as narrow.
 */
import { useEffect, useState } from 'preact/hooks';

export function useWidth(minPx: number): boolean {
  const query = `(min-width: ${minPx}px)`;
  const [wide, setWide] = useState(
    () => typeof matchMedia === 'function' && matchMedia(query).matches,
  );
  useEffect(() => {
    const media = matchMedia(query);
    const changed = () => {
      setWide(media.matches);
    };
    changed();
    media.addEventListener('change', changed);
    return () => {
      media.removeEventListener('change', changed);
    };
  }, [query]);
  return wide;
}
