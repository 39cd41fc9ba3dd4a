import { answerPatterns, answers } from './spanish/answers.ts'
import { audit, auditPatterns } from './spanish/audit.ts'
import { batchRows } from './spanish/batch_rows.ts'
import { batches } from './spanish/batches.ts'
import { errors } from './spanish/errors.ts'
import { explain, explainPatterns } from './spanish/explain.ts'
import { files, storagePatterns } from './spanish/files.ts'
import { history } from './spanish/history.ts'
import { holders } from './spanish/holders.ts'
import { journal } from './spanish/journal.ts'
import { dayPatterns, labels } from './spanish/labels.ts'
import { limitPatterns, limits } from './spanish/limits.ts'
import { addressPatterns, logins } from './spanish/logins.ts'
import { lookups } from './spanish/lookups.ts'
import { payees } from './spanish/payees.ts'
import { profiles } from './spanish/profiles.ts'
import { send } from './spanish/send.ts'
import { patterns, service } from './spanish/service.ts'
import { settings, settingsPatterns } from './spanish/settings.ts'
import { sheets } from './spanish/sheets.ts'
import { status } from './spanish/status.ts'
import { steps } from './spanish/steps.ts'
import { usage } from './spanish/usage.ts'
import { values } from './spanish/values.ts'
import { type Catalogue, filled, inForm, type Said } from './text.ts'

export const areas = {
  answers,
  audit,
  batchRows,
  batches,
  errors,
  explain,
  files,
  history,
  holders,
  journal,
  labels,
  limits,
  logins,
  lookups,
  payees,
  profiles,
  send,
  service,
  settings,
  sheets,
  status,
  steps,
  usage,
  values,
} as const

const catalogue = new Map<string, Catalogue[string]>(Object.values<Catalogue>(areas).flatMap(Object.entries))

/** The message in Spanish; undefined if it, or a message within it, has no translation. */
export function inSpanish(said: Said): string | undefined {
  if (typeof said === 'string') return entryOf(said, [])
  const { template, form } = said
  if (form === 'foreign') return ofService(template)
  const values: string[] = []
  for (const value of said.values) {
    const text = typeof value === 'string' ? value : inSpanish(value)
    if (text === undefined) return undefined
    values.push(text)
  }
  const text = entryOf(template, values)
  return text === undefined ? undefined : inForm(text, form, nadaEnviado)
}

/** A template without words is the same in every language: `{}: {}`. */
function entryOf(template: string, values: readonly string[]): string | undefined {
  const entry = catalogue.get(template) ?? (/\p{L}/u.test(template) ? undefined : template)
  return typeof entry === 'function' ? entry(...values) : entry === undefined ? undefined : filled(entry, values)
}

/** A message of the service, with or without its full stop; unchanged if it has no translation. */
function ofService(message: string): string {
  const [, words = '', end = ''] = /^(.*?)(\.?)$/s.exec(message) ?? []
  const known = catalogue.get(words)
  if (typeof known === 'string') return known + end
  for (const [english, spanish] of [
    ...patterns,
    ...dayPatterns,
    ...limitPatterns,
    ...storagePatterns,
    ...addressPatterns,
    ...answerPatterns,
    ...auditPatterns,
    ...settingsPatterns,
    ...explainPatterns,
  ]) {
    const found = english.exec(words)
    if (found) return spanish.replace(/\$(\d)/g, (_, number) => translatedValue(found[number] ?? '')) + end
  }
  return savedMessage(words)?.concat(end) ?? message
}

/** Clause "Nothing was sent." at the end of a message. */
const nothingSent = / Nothing (more )?was sent( by this run)?\.$/
const nadaEnviado = / (No se|Este comando no) envió nada( más)?\.$/

/** Minimum number of letters of a template that recognises a message: a shorter template would fit other messages. */
const leastLetters = 12

let templates: readonly (readonly [english: RegExp, entry: Catalogue[string]])[] | undefined

/**
 * A message of payctl that was saved in English, such as the reason for a refusal in the journal; undefined if no
 * template fits. The templates with the most letters come first. A template with two values side by side is left out,
 * because their border is unknown.
 */
function savedMessage(words: string): string | undefined {
  templates ??= [...catalogue]
    .map(([template, entry]) => ({ template: inForm(template, 'reason', nothingSent), entry }))
    .filter(
      ({ template }) => template.includes('{}') && !template.includes('{} {}') && lettersOf(template) >= leastLetters,
    )
    .toSorted((one, other) => lettersOf(other.template) - lettersOf(one.template))
    .map(({ template, entry }) => [
      // Node 22 has no RegExp.escape.
      new RegExp(`^${template.replace(/[\\^$.*+?()[\]|/-]/g, '\\$&').replaceAll('{}', '(.+?)')}$`, 's'),
      entry,
    ])
  for (const [english, entry] of templates) {
    const [, ...found] = english.exec(words) ?? []
    if (found.length === 0) continue
    const values = found.map(translatedValue)
    return inForm(typeof entry === 'function' ? entry(...values) : filled(entry, values), 'reason', nadaEnviado)
  }
  return undefined
}

const lettersOf = (template: string): number => template.replace(/\P{L}/gu, '').length

/**
 * Translates a value within a message of the service if the value is itself a message; the name of a field is not
 * translated.
 */
const translatedValue = (value: string): string => (value.includes(' ') ? ofService(value) : value)
