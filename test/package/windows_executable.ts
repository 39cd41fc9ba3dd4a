import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Parts of an executable for Windows. */
export interface WindowsExecutable {
  readonly isSigned: boolean
  /** Digests of the resources, such as icons and version, by path: type, name and language. */
  readonly resources: Readonly<Record<string, string>>
}

/** Reads the header and the resources of an executable (PE32+). */
export function readWindowsExecutable(file: string): WindowsExecutable {
  const bytes = readFileSync(file)
  const header = bytes.readUInt32LE(0x3c)
  const optional = header + 24
  const directory = (index: number) => bytes.readUInt32LE(optional + 112 + 8 * index)
  const firstSection = optional + bytes.readUInt16LE(header + 20)
  const sections = Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, index) => {
    const at = firstSection + 40 * index
    return {
      address: bytes.readUInt32LE(at + 12),
      size: bytes.readUInt32LE(at + 16),
      offset: bytes.readUInt32LE(at + 20),
    }
  })
  const offsetOf = (address: number): number => {
    const section = sections.find((each) => address >= each.address && address < each.address + each.size)
    if (section === undefined) throw new Error(`No section has the address ${address}.`)
    return address - section.address + section.offset
  }
  const start = offsetOf(directory(2))
  const resources: Record<string, string> = {}
  const nameAt = (id: number): string => {
    if (id < 0x80000000) return String(id)
    const at = start + id - 0x80000000
    return bytes.toString('utf16le', at + 2, at + 2 + 2 * bytes.readUInt16LE(at))
  }
  const walk = (at: number, path: string): void => {
    const count = bytes.readUInt16LE(at + 12) + bytes.readUInt16LE(at + 14)
    for (let entry = at + 16; entry < at + 16 + 8 * count; entry += 8) {
      const name = `${path}/${nameAt(bytes.readUInt32LE(entry))}`
      const target = bytes.readUInt32LE(entry + 4)
      if (target >= 0x80000000) {
        walk(start + target - 0x80000000, name)
        continue
      }
      const data = offsetOf(bytes.readUInt32LE(start + target))
      const content = bytes.subarray(data, data + bytes.readUInt32LE(start + target + 4))
      resources[name] = createHash('sha256').update(content).digest('hex')
    }
  }
  walk(start, '')
  return { isSigned: directory(4) !== 0, resources }
}
