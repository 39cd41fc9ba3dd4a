import { errors } from './spanish/errors.ts'
import { holders } from './spanish/holders.ts'
import { labels } from './spanish/labels.ts'
import { limits } from './spanish/limits.ts'
import { send } from './spanish/send.ts'
import { patterns, service } from './spanish/service.ts'
import { steps } from './spanish/steps.ts'
import { values } from './spanish/values.ts'
import { type Catalogue, filled, inForm, type Said } from './text.ts'

export const areas = { errors, holders, labels, limits, send, service, steps, values } as const

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
  return text === undefined ? undefined : inForm(text, form, / No se envió nada( más)?\.$/)
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
  for (const [english, spanish] of patterns) {
    const [, ...values] = english.exec(words) ?? []
    if (values.length > 0)
      return spanish.replace(/\$(\d)/g, (_, number) => translatedValue(values[number - 1] ?? '')) + end
  }
  return message
}

/** A value within a message of the service: another message, or a field, which keeps its name. */
const translatedValue = (value: string): string => (value.includes(' ') ? ofService(value) : value)
