/** Name of the time zone of the times in a capsule. */

/**
 * Returns the name of a time zone, such as `UTC+5:30`.
 *
 * @param offsetMinutes minutes from local time to UTC, negative east of Greenwich
 */
export function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const minutes = Math.abs(offsetMinutes);
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return `UTC${offsetMinutes < 0 ? '+' : '-'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}
