import { crc32, deflateSync, inflateSync } from 'node:zlib'

/**
 * Converts an 8-bit RGB PNG to a palette of its 256 most frequent colours; every other colour is replaced by the
 * nearest palette colour.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const { palette, indexOf } = paletteOf(pixels)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf(pixels.readUIntBE((y * width + x) * 3, 3))
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.alloc(palette.length * 3)
  for (const [at, colour] of palette.entries()) colours.writeUIntBE(colour, at * 3, 3)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

interface Image {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each pixel, row by row. */
  readonly pixels: Buffer
}

function decode(png: Buffer): Image {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const [depth, colours] = [png[24], png[25]]
  if (depth !== 8 || colours !== 2) throw new Error(`The PNG must have 8-bit RGB: ${depth}, ${colours}`)
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width * 3, height) }
}

/** Undoes the filter of each row; the first byte of a row is the filter's number. */
function unfiltered(data: Buffer, stride: number, height: number): Buffer {
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)]
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x >= 3 ? (pixels[at - 3] as number) : 0
      const up = y > 0 ? (pixels[at - stride] as number) : 0
      const corner = x >= 3 && y > 0 ? (pixels[at - stride - 3] as number) : 0
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
      pixels[at] = (data[y * (stride + 1) + 1 + x] as number) + (guesses[filter as number] as number)
    }
  }
  return pixels
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

function paletteOf(pixels: Buffer) {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = pixels.readUIntBE(at, 3)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 256)
    .map(([colour]) => colour)
  const indexes = new Map(palette.map((colour, index) => [colour, index]))
  const indexOf = (colour: number): number => {
    const known = indexes.get(colour) ?? nearest(palette, colour)
    indexes.set(colour, known)
    return known
  }
  return { palette, indexOf }
}

function nearest(palette: readonly number[], colour: number): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((other >> shift) & 255) - ((colour >> shift) & 255)) ** 2, 0)
  let best = 0
  for (let index = 1; index < palette.length; index++) {
    if (distance(palette[index] as number) < distance(palette[best] as number)) best = index
  }
  return best
}
