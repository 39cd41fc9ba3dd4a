import { maker } from './columns.ts'

// Apart from the other columns: few commands show sizes, and all runs load the columns.

const mebibyte = 1024 * 1024

/** A number of bytes; for people with a unit. */
export const byteSize = maker<number | null | undefined>((name, data) => ({
  name,
  heading: 'Size',
  data,
  text: (row) => sizeText(data(row)),
  align: 'right',
}))

function sizeText(size: number | null | undefined): string {
  if (size === null || size === undefined) return ''
  if (size < 1024) return `${size} bytes`
  return size < mebibyte ? `${(size / 1024).toFixed(0)} KiB` : `${(size / mebibyte).toFixed(1)} MiB`
}
