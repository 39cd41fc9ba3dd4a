import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import { isAlive } from '../files/alive.ts'
import { removeDrafts, replaceText } from '../files/private_file.ts'

/** A temporary subscription of this machine, as it is remembered until it has been removed. */
export interface TailRecord {
  readonly base_url: string
  /** Whose it is; empty where the service does not say. */
  readonly user: string
  /** Null from before it is asked for until the service has said what it is called. */
  readonly subscription: string | null
  readonly url: string
  /** Whether nobody else can have a subscription with this URL. */
  readonly own_url: boolean
  /** SHA-256 of the secret it sends, in hex. */
  readonly secret_sha256: string
  readonly pid: number
  readonly host: string
  readonly since: string
}

/** What has been left behind this long ago is forgotten: milliseconds. */
const memory = 30 * 86_400_000

export const newRecord = (
  about: Pick<TailRecord, 'base_url' | 'user' | 'url' | 'own_url' | 'secret_sha256'>,
): TailRecord => ({
  ...about,
  subscription: null,
  pid,
  host: hostname(),
  since: new Date().toISOString(),
})

export const tailFolder = (stateDir: string): string => join(stateDir, 'webhooks')

const fileOf = (stateDir: string, { secret_sha256 }: TailRecord): string =>
  join(tailFolder(stateDir), `tail-${secret_sha256.slice(0, 16)}.json`)

export async function remember(stateDir: string, record: TailRecord): Promise<void> {
  await mkdir(tailFolder(stateDir), { recursive: true, mode: 0o700 })
  replaceText(fileOf(stateDir, record), `${JSON.stringify(record)}\n`)
}

export const forget = (stateDir: string, record: TailRecord): Promise<void> =>
  rm(fileOf(stateDir, record), { force: true }).catch(() => {})

interface Whose {
  readonly baseUrl: string
  readonly user: string
}

/** What this user's tails that are no more left at this service. Another user's he would not find there. */
export async function leftRecords(stateDir: string, { baseUrl, user }: Whose): Promise<TailRecord[]> {
  removeDrafts(tailFolder(stateDir))
  const names = await readdir(tailFolder(stateDir)).catch(() => [])
  const found = await Promise.all(
    names.filter((name) => /^tail-\w+\.json$/.test(name)).map((name) => read(stateDir, name)),
  )
  return found
    .filter((record) => record !== null)
    .filter((record) => isLeft(record) && record.base_url === baseUrl && (record.user || user) === user)
}

/** A number of a process means nothing on another machine, or in another container. */
const isLeft = ({ pid: owner, host }: TailRecord): boolean => host === hostname() && (owner === pid || !isAlive(owner))

async function read(stateDir: string, name: string): Promise<TailRecord | null> {
  const file = join(tailFolder(stateDir), name)
  try {
    const record = JSON.parse(await readFile(file, 'utf8')) as TailRecord
    if (typeof record.base_url !== 'string' || !Number.isInteger(record.pid)) return null
    if (!isLeft(record) || Date.now() - Date.parse(record.since) < memory) return record
    await rm(file, { force: true })
  } catch {
    // Gone since the listing, or not ours to read.
  }
  return null
}
