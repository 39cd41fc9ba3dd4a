/** `2026-01-05 12:00:00` in the machine's time zone; text that is no time is returned as it is. */
export function localTime(iso: string | null | undefined): string {
  if (typeof iso !== 'string') return iso ? String(iso) : ''
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** `12:00:00` in the machine's time zone. */
export const clockTime = (iso: string): string => localTime(iso).slice(-8)
