import { hash, randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../client/decode.ts'
import { worldNamePattern } from '../../contract/emulator_names.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { makeFolder } from '../../files/directories.ts'
import { fileFault, readIfThere } from '../../files/file_fault.ts'
import { isDraft, removeDrafts, replaceContent, replaceFile } from '../../files/private_file.ts'

/** A copy of a world or snapshot. */
export interface CopiedFile {
  readonly name: string
  /** Name of the file in the folder `worlds` or `snapshots`. */
  readonly file: string
  readonly sha256: string
  readonly size_bytes: number
  readonly copied_at: string
}

/** A copied world, as the manifest records it. */
export interface Copy extends CopiedFile {
  /** Id and revision of the world when it was copied. If both are still the same, the world has not changed. */
  readonly id: string
  readonly revision: string | null
  readonly rng_stream: string
  readonly ttl_seconds: number | null
}

/** A copied snapshot, as the manifest records it. If world and time are still the same, it was not replaced. */
export interface SnapshotCopy extends CopiedFile {
  readonly world: string
  readonly taken_at: string
}

/** A world or snapshot that could not be copied. */
export interface LeftOut {
  readonly name: string
  readonly problem: string
}

/** List of the copies of a complete backup. */
interface Manifest {
  /** Version of this format. */
  readonly payctl_backup: 1
  readonly taken_at: string
  readonly worlds: readonly Copy[]
  /** Missing in a backup of a payctl that copied no snapshots. */
  readonly snapshots?: readonly SnapshotCopy[]
  readonly left_out: readonly LeftOut[]
}

/** Folders of the copies. */
const kinds = ['worlds', 'snapshots'] as const
export type Kind = (typeof kinds)[number]

/**
 * The folder of a backup: `manifest.json`, and a file for each world in `worlds` and for each snapshot in `snapshots`. A
 * file never changes once it has its name. The manifest is replaced as a whole, after all files that it lists are on disk. So, from the
 * first backup on, the folder contains a complete backup at all times, even if a run is killed.
 */
export class BackupFolder {
  readonly path: string

  /** Throws UsageError for an empty path. */
  constructor(path: string) {
    if (path === '') throw new UsageError('The name of the folder is empty.', 'Name the folder of the backup.')
    this.path = path
  }

  /** File that a run locks while it writes to the folder. */
  get lock(): string {
    return join(this.path, lockName)
  }

  /**
   * Creates the folder. Throws UsageError for a folder that contains other files and no backup, or that this user can't
   * write to, and CliError for a damaged manifest.
   */
  create(): void {
    if (this.manifest() === null) this.#refuseOtherFiles()
    try {
      for (const folder of this.#folders) makeFolder(folder)
      for (const folder of [this.path, ...this.#folders]) accessSync(folder, constants.W_OK)
    } catch (error) {
      throw new UsageError(`${this.path} can’t be the folder of a backup: ${fileFault(error)}.`, 'Name another folder.')
    }
    for (const folder of [...this.#folders, this.path]) removeDrafts(folder)
  }

  /**
   * The last complete backup; null if there is none. Throws CliError for a damaged manifest, and UsageError for a
   * manifest that this user can't read.
   */
  manifest(): Manifest | null {
    const text = this.#reading(() => readIfThere(this.#manifest))
    if (text === undefined) return null
    const content: unknown = parsed(text)
    if (isManifest(content)) return content
    throw new CliError(
      'conflict',
      `${this.#manifest} is damaged, or was written by a newer payctl.`,
      'Restore it from another copy of the folder, or start a backup in a new folder.',
    )
  }

  /**
   * File name for the copy of a world at this revision, or of a snapshot of a world (`id`) taken at this time; a new name
   * if the revision is not known.
   */
  fileFor = (name: string, id: string, revision: string | null): string =>
    `${name}.${hash('sha256', `${id} ${revision ?? randomUUID()}`, 'hex').slice(0, 16)}.sqlite`

  /** True if the copy's file exists with the recorded size. */
  has = (kind: Kind, { file, size_bytes }: CopiedFile): boolean =>
    statSync(join(this.path, kind, file), { throwIfNoEntry: false })?.size === size_bytes

  /** The bytes of a file; null if there is none. Throws UsageError for a file that this user can't read. */
  read(kind: Kind, file: string): Buffer | null {
    const path = join(this.path, kind, file)
    return this.#reading(() => (existsSync(path) ? readFileSync(path) : null))
  }

  /** Writes a file; the content is on disk before the file gets its name. Returns what the manifest records of it. */
  write(kind: Kind, file: string, bytes: Uint8Array): Omit<CopiedFile, 'name'> {
    const path = join(this.path, kind, file)
    this.#writing(() => replaceFile(path, (draft) => writeFileSync(draft, bytes, { mode: 0o600 })))
    return { file, sha256: digestOf(bytes), size_bytes: bytes.length, copied_at: new Date().toISOString() }
  }

  /** Makes the copies a complete backup, and then removes the files of earlier backups. */
  finish(manifest: Manifest): void {
    this.#writing(() => replaceContent(this.#manifest, `${JSON.stringify(manifest, null, 2)}\n`))
    for (const kind of kinds) {
      const named = new Set((manifest[kind] ?? []).map(({ file }) => file))
      for (const file of readdirSync(join(this.path, kind))) {
        if (ownFile.test(file) && !named.has(file)) rmSync(join(this.path, kind, file), { force: true })
      }
    }
  }

  /** Refuses, for example, the folder that contains the worlds of an emulator: the files of worlds look like copies. */
  #refuseOtherFiles(): void {
    const isOther = (name: string) => name !== 'lost+found' && !name.startsWith('.') && !isDraft(name)
    const own: readonly string[] = [lockName, ...kinds]
    const [other] = [
      ...namesIn(this.path).filter((name) => isOther(name) && !own.includes(name)),
      ...kinds.flatMap((kind) =>
        namesIn(join(this.path, kind)).flatMap((name) =>
          isOther(name) && !ownFile.test(name) ? [`${kind}/${name}`] : [],
        ),
      ),
    ]
    if (other === undefined) return
    throw new UsageError(
      `${this.path} has files, such as ${other}, but no backup.`,
      'Name an empty folder, or a new one.',
    )
  }

  /** Does the work, and explains an error of the file system. */
  #reading<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw new UsageError(
        `The backup in ${this.path} can’t be read: ${fileFault(error)}.`,
        'Name the folder of a backup that this user can read.',
      )
    }
  }

  #writing(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw new UsageError(
        `The backup can’t be written to ${this.path}: ${fileFault(error)}. An earlier backup there is unchanged.`,
        'Make room there, or let this user write there; then run the command again.',
      )
    }
  }

  get #folders(): readonly string[] {
    return kinds.map((kind) => join(this.path, kind))
  }

  get #manifest(): string {
    return join(this.path, 'manifest.json')
  }
}

const lockName = 'lock'

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the folder is missing, or its creation reports the error
  }
}

/** Names that this class gives to files; other files in the folder belong to the user. */
const ownFile = /^[a-z0-9._-]+\.[0-9a-f]{16}\.sqlite$/

export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

const namePattern = new RegExp(worldNamePattern)

const isManifest = (content: unknown): content is Manifest =>
  isObject(content) &&
  content.payctl_backup === 1 &&
  typeof content.taken_at === 'string' &&
  areCopies(content.worlds, ['id', 'rng_stream']) &&
  areCopies(content.snapshots ?? [], ['world', 'taken_at']) &&
  Array.isArray(content.left_out)

/** True for a list of copies that have these members besides those of every copy. */
const areCopies = (copies: unknown, others: readonly string[]): boolean =>
  Array.isArray(copies) &&
  copies.every(
    (copy) =>
      isObject(copy) &&
      ['name', 'file', 'sha256', 'copied_at', ...others].every((member) => typeof copy[member] === 'string') &&
      namePattern.test(String(copy.name)) &&
      ownFile.test(String(copy.file)) &&
      Number.isSafeInteger(copy.size_bytes),
  )

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
