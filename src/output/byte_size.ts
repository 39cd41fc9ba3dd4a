import { maker } from './columns.ts'

// Separate from the other columns, because few commands show sizes and every run loads the other columns.

const mebibyte = 1024 * 1024

/** A number of bytes; people see it with a unit. */
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
