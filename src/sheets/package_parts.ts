import { unzipSync } from 'fflate'
import { say } from '../words/text.ts'
import { SheetError, tooMuch } from './sheet.ts'
import { otherArchive } from './unsupported_formats.ts'
import { damage, damaged, readXml, type XmlElement } from './xml.ts'

/** Maximum number of XML bytes to read from a workbook. A million cells take about 50 MB. */
const largestXml = 400_000_000

export interface Part {
  /** Path in the archive. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Reference from one part to another. */
export interface Relationship {
  readonly id: string
  /** Last word of the relationship's type, such as `worksheet`. */
  readonly type: string
  /** Path of the other part in the archive, in lower case. */
  readonly target: string
}

/** The parts of an .xlsx file, which is a ZIP archive. The parts are unpacked when read. */
export class PackageParts {
  readonly #archive: Uint8Array
  /** Names in the archive, by their lower-case form: no two parts differ only in case. */
  readonly #names = new Map<string, string>()
  #unpacked = 0
  /** Cache of the part that was read last: a sheet is sampled before it is read in full. */
  #last: Part | undefined

  /** Throws SheetError for an archive that is not an .xlsx file. */
  constructor(archive: Uint8Array) {
    this.#archive = archive
    const names: string[] = []
    this.#unzip((name) => {
      names.push(name)
      return false
    })
    for (const name of names) {
      const key = name.toLowerCase()
      if (this.#names.has(key)) throw new SheetError(damage(`it has ${name} twice`), damaged)
      this.#names.set(key, name)
    }
    const other = otherArchive(names, Buffer.from(this.find('mimetype')?.bytes ?? []).toString('latin1'))
    if (other) throw other
  }

  find(path: string): Part | undefined {
    const name = this.#names.get(path.toLowerCase())
    if (name === undefined || this.#last?.name === name) return this.#last?.name === name ? this.#last : undefined
    const bytes = this.#unzip((one) => one === name)[name]
    this.#last = bytes && { name, bytes }
    return this.#last
  }

  /**
   * References from a part or, without a path, from the whole file. Skips external references. Throws SheetError if an
   * id occurs twice.
   */
  async relationships(of: string, signal: AbortSignal | undefined): Promise<readonly Relationship[]> {
    const [, folder = '', file = ''] = /^(.*?)([^/]*)$/.exec(of) ?? []
    const part = this.find(`${folder}_rels/${file}.rels`)
    const found = new Map<string, Relationship>()
    if (!part) return []
    const open = ({ name, attributes: { Id: id = '', Type = '', Target = '', TargetMode } }: XmlElement) => {
      if (name !== 'Relationship' || TargetMode === 'External') return
      if (found.has(id)) throw new SheetError(damage(`it has the relationship ${id} twice`), damaged)
      const target = (URL.parse(Target, `zip:///${folder}`)?.pathname ?? '').slice(1).toLowerCase()
      found.set(id, { id, type: Type.replace(/^.*\//, ''), target })
    }
    await readXml(part, { open }, signal)
    return [...found.values()]
  }

  #unzip(isWanted: (name: string) => boolean): Readonly<Record<string, Uint8Array>> {
    try {
      return unzipSync(this.#archive, {
        filter: ({ name, originalSize }) => {
          const wanted = isWanted(name)
          // A part can't unpack to more bytes than the archive states here.
          if (wanted) this.#unpacked += originalSize
          if (this.#unpacked <= largestXml) return wanted
          throw new SheetError(say`The file unpacks to more than ${largestXml / 1e6} MB.`, tooMuch)
        },
      })
    } catch (error) {
      if (error instanceof SheetError) throw error
      throw new SheetError('The .xlsx file is damaged, or not complete.', damaged)
    }
  }
}

/** The only relationship of a type. Throws SheetError for two relationships: programs would read different parts. */
export function onlyOf(type: string, all: readonly Relationship[]): Relationship | undefined {
  const [one, other] = all.filter((relationship) => relationship.type === type)
  if (one && other) throw new SheetError(damage(`it has two parts of the type ${type}`), damaged)
  return one
}
