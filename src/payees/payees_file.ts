import { dirname, join } from 'node:path'
import { ibanFault } from '../contract/iban.ts'
import { isPhone, nationalPhone } from '../contract/phone.ts'
import { quoted, UsageError } from '../errors/cli_error.ts'
import { payeesFile } from '../files/directories.ts'
import { isRecord, parseJson, readSettings } from '../files/read_json.ts'
import { replaceJson } from '../files/replace_json.ts'
import { howToUpdate } from '../version.ts'
import { isLikeName, nameFault, type Payee } from './payee.ts'

/** Version of the format. Additions keep it, because payctl preserves members that it does not know. */
const formatVersion = 1

/** All saved payees of every service. Throws UsageError for a damaged file, with line and reason. */
export async function readPayees(configDir: string): Promise<readonly Payee[]> {
  const file = payeesFile(configDir)
  const text = readSettings(file, (reason) => readError(file, reason))
  if (text === undefined) return []
  const fault = faultIn(text)
  if (fault === undefined) return (parseJson(text) as Content).payees
  const { lineOf } = await import('./line_of.ts')
  throw damaged(file, `line ${await lineOf(text, fault.path)}: ${fault.reason}`)
}

/**
 * Replaces the payees with the result of `change`, under the file's lock. If it throws UsageError, nothing has changed.
 */
export async function changePayees(
  configDir: string,
  change: (payees: readonly Payee[]) => readonly Payee[],
  signal: AbortSignal,
): Promise<void> {
  const { withLock } = await import('../lock/lock.ts')
  const file = payeesFile(configDir)
  await withLock(join(configDir, 'payees.lock'), signal, async () => {
    const payees = change(await readPayees(configDir))
    const changed = (content: object) => ({ version: formatVersion, ...content, payees })
    replaceJson(file, changed, (reason) => writeError(file, reason))
  })
}

interface Content {
  readonly payees: readonly Payee[]
}

/** A fault in the file, and the path of its member. */
interface FileFault {
  readonly path: readonly (string | number)[]
  readonly reason: string
}

function faultIn(text: string): FileFault | undefined {
  const content = parseJson(text)
  if (content === undefined) return { path: [], reason: 'it is not JSON' }
  if (!isRecord(content)) return { path: [], reason: 'it is not a JSON object' }
  const { version, payees } = content
  if (typeof version !== 'number') return { path: ['version'], reason: 'version must be a number' }
  if (version > formatVersion) return { path: ['version'], reason: `it was written by a newer payctl. ${howToUpdate}` }
  if (!Array.isArray(payees)) return { path: ['payees'], reason: 'payees must be a list' }
  for (const [at, payee] of payees.entries()) {
    const fault = payeeFault(payee, payees.slice(0, at))
    if (fault) return { path: ['payees', at, ...fault.path], reason: fault.reason }
  }
  return undefined
}

const texts = ['holder', 'bank', 'currency', 'note', 'verified_at'] as const

function payeeFault(payee: unknown, before: readonly Payee[]): FileFault | undefined {
  if (!isRecord(payee)) return { path: [], reason: 'a payee is not an object' }
  const { name, service, iban, phone } = payee
  if (typeof name !== 'string') return { path: ['name'], reason: 'the name of a payee is not a string' }
  const bad = nameFault(name)
  if (bad) return { path: ['name'], reason: `"${name}" can't be the name of a payee: ${bad}` }
  if (typeof service !== 'string') return { path: ['service'], reason: `the service of ${name} is not a string` }
  if ((iban === undefined) === (phone === undefined)) {
    return { path: [], reason: `${name} must have one of iban and phone` }
  }
  if (iban !== undefined && (typeof iban !== 'string' || ibanFault(iban) !== null)) {
    return { path: ['iban'], reason: `the IBAN of ${name} is not right` }
  }
  if (phone !== undefined && (typeof phone !== 'string' || !isPhone(phone) || nationalPhone(phone) !== phone)) {
    return { path: ['phone'], reason: `the phone of ${name} is not eight digits of a phone` }
  }
  const wrong = texts.find((member) => payee[member] !== null && typeof payee[member] !== 'string')
  if (wrong) return { path: [wrong], reason: `${wrong} of ${name} is neither a text nor null` }
  if ((payee.holder === null) !== (payee.verified_at === null)) {
    return { path: ['holder'], reason: `${name} must have both holder and verified_at, or neither` }
  }
  const twin = before.find((other) => other.service === service && isLikeName(other.name, name))
  return twin && { path: ['name'], reason: `${name} is there twice` }
}

const readError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The saved payees in ${file} can't be read: ${reason}. Nothing was sent.`,
    'Let this user read it, or set PAYCTL_CONFIG_DIR to another directory',
  )

const damaged = (file: string, what: string): UsageError =>
  new UsageError(
    `The saved payees in ${file} can't be used: ${what}. Nothing was sent or changed.`,
    `Fix that line, or set the file aside with: mv ${quoted(file)} ${quoted(`${file}.broken`)}`,
  )

const writeError = (file: string, reason: string): UsageError =>
  new UsageError(
    `The saved payees in ${file} can't be written: ${reason}. They are as they were.`,
    `Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
  )
