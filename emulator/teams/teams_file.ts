import { hash } from 'node:crypto'
import { statSync, unwatchFile, watchFile } from 'node:fs'
import { ContentRefusal, type Problem, shapeProblems } from '../seed_file/problems.ts'
import { readYamlFile } from '../seed_file/read.ts'
import { refuseForeign } from '../store/own_files.ts'
import { type Quotas, TeamsFile as Schema } from './teams_schema.ts'

/** Identifies a team's key without its secret, to show who used the key. */
interface TeamKey {
  readonly team: string
  readonly name: string
  readonly digest: string
}

export interface Team {
  readonly quotas: Quotas
  /** Names of the team's keys, by digest. */
  readonly keys: ReadonlyMap<string, string>
}

type Teams = ReadonlyMap<string, Team>

/**
 * Interval between two checks of the file, in milliseconds. The file is polled, because file systems do not report
 * changes reliably.
 */
const interval = 1000

/** Refuses the content of a teams file. */
class TeamsRefusal extends ContentRefusal {
  constructor(problems: readonly Problem[], file?: string) {
    super({ subject: 'The teams file', schema: 'payctl/teams-file.schema.json' }, problems, file)
    this.name = 'TeamsRefusal'
  }
}

/**
 * The teams in a teams file. The file is read again within a second of a change, so that a key is added or revoked
 * without a restart. While the file is broken, the earlier teams stay valid.
 */
export class TeamsFile {
  readonly #path: string
  readonly #onNotice: (text: string) => void
  #teams: Teams
  /** State of the file before it was first read. */
  readonly #first: string
  /** Called after each change of the teams. */
  onChange = (): void => {}

  private constructor(
    path: string,
    { teams, first }: { teams: Teams; first: string },
    onNotice: (text: string) => void,
  ) {
    this.#path = path
    this.#teams = teams
    this.#first = first
    this.#onNotice = onNotice
  }

  /** Throws TeamsRefusal for wrong content, and EmulatorRefusal for a file that can't be used. */
  static async open(path: string, onNotice: (text: string) => void): Promise<TeamsFile> {
    const first = stateOf(path)
    return new TeamsFile(path, { teams: await read(path), first }, onNotice)
  }

  /** Reads the file again after each change since it was opened, until `close`. */
  watch(): void {
    watchFile(this.#path, { interval, persistent: false }, () => void this.#readAgain())
    // Opening the worlds takes time, and a watch reports only changes after its start.
    if (stateOf(this.#path) !== this.#first) void this.#readAgain()
  }

  get(team: string): Team | undefined {
    return this.#teams.get(team)
  }

  /** The key with this text: the name of its team, a dot and a secret, as in `payments.<secret>`. */
  keyOf(text: string): TeamKey | undefined {
    const team = text.slice(0, text.indexOf('.'))
    const digest = hash('sha256', text)
    const name = this.#teams.get(team)?.keys.get(digest)
    return name === undefined ? undefined : { team, name, digest }
  }

  /** True unless the key was revoked. */
  isValid({ team, digest }: Pick<TeamKey, 'team' | 'digest'>): boolean {
    return this.#teams.get(team)?.keys.has(digest) ?? false
  }

  close(): void {
    unwatchFile(this.#path)
  }

  async #readAgain(): Promise<void> {
    try {
      this.#teams = await read(this.#path)
      this.#onNotice(`${this.#path} was read again: ${[...this.#teams.keys()].join(', ') || 'no teams'}.`)
    } catch (error) {
      this.#onNotice(`The teams stay as they were. ${(error as Error).message}`)
      return
    }
    this.onChange()
  }
}

/** A string that changes with the file. */
function stateOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return `${ino} ${size} ${mtimeMs}`
}

async function read(path: string): Promise<Teams> {
  refuseForeign(path)
  const { content, locate } = await readYamlFile(path, { kind: 'a teams file', Refusal: TeamsRefusal })
  const problems = shapeProblems(content, Schema)
  if (problems.length > 0) throw new TeamsRefusal(locate(problems), path)
  const { teams, quotas: ofAll = {} } = content as Schema
  return new Map(
    Object.entries(teams).map(([name, { keys = {}, quotas = {} }]) => [
      name,
      {
        quotas: { ...ofAll, ...quotas },
        keys: new Map(Object.entries(keys).map(([key, digest]) => [digest, key])),
      },
    ]),
  )
}
