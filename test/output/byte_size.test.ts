import { expect, it } from 'vitest'
import { byteSize } from '../../src/output/byte_size.ts'

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [116_736, '114 KiB'],
  [15_468_544, '14.8 MiB'],
  [undefined, ''],
])('%s bytes have a unit for people: %s', (size, text) => {
  const { data, ...column } = byteSize('size_bytes')
  expect([column.text?.({ size_bytes: size }), data({ size_bytes: size })]).toEqual([text, size])
})
