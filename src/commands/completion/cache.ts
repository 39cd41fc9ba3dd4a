import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceText } from '../../files/private_file.ts'
import type { Candidate } from './candidate.ts'

/** Milliseconds: two Tabs in a row ask the service once. */
const lifetime = 60_000

export interface Place {
  readonly directory: string
  readonly list: string
  /** Whose list it is: of another owner's there is no copy. */
  readonly owner: string
}

interface Copy {
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly taken: number
  readonly candidates: readonly Candidate[]
}

const fileOf = ({ directory, list }: Place): string => join(directory, `completion-${list}.json`)

/** A file of another version's is as good as none. */
const isCandidate = (value: Partial<Candidate> | null): boolean =>
  typeof value?.value === 'string' && ['string', 'undefined'].includes(typeof value.about)

export async function kept(place: Place): Promise<readonly Candidate[] | undefined> {
  try {
    const { owner, taken, candidates } = JSON.parse(await readFile(fileOf(place), 'utf8')) as Copy
    const age = Date.now() - taken
    const isFresh = owner === place.owner && age >= 0 && age < lifetime
    return isFresh && Array.isArray(candidates) && candidates.every(isCandidate) ? candidates : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all, readable by its owner only. Without room for it, the next Tab asks again. */
export async function keep(place: Place, candidates: readonly Candidate[]): Promise<void> {
  const copy: Copy = { owner: place.owner, taken: Date.now(), candidates }
  try {
    await mkdir(place.directory, { recursive: true, mode: 0o700 })
    replaceText(fileOf(place), JSON.stringify(copy))
  } catch {}
}
