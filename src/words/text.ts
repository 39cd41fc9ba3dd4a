// Messages in English that can be said in another language. An engine writes its errors, notes and questions in
// English. The command line translates what a person reads; JSON, the journal and the audit file keep the English text.

/** A message, or a string that a catalogue contains as a whole. A string without a translation is printed unchanged. */
export type Said = string | Text

/**
 * - `reason`: a clause, without the full stop and without "Nothing was sent", because an earlier attempt may have sent
 *   something
 * - `sentence`: begins with a capital letter
 * - `foreign`: a word of the service, unchanged in a language that has no translation of it
 */
type Form = 'reason' | 'sentence' | 'foreign'

/**
 * A message with its values separate from its words, so that a catalogue can find its translation. Converted to a
 * string, the message is English.
 */
export class Text {
  /** English, with `{}` for each value. */
  readonly template: string
  /** Texts are translated; strings, such as names and amounts, are not. */
  readonly values: readonly Said[]
  readonly form: Form | undefined

  constructor(template: string, values: readonly Said[] = [], form?: Form) {
    this.template = template
    this.values = values
    this.form = form
  }

  toString(): string {
    return inForm(
      filled(this.template, this.values.map(String)),
      this.form,
      / Nothing (more )?was sent( by this run)?\.$/,
    )
  }

  toJSON(): string {
    return this.toString()
  }

  as(form: Form): Text {
    return new Text(this.template, this.values, form)
  }
}

/** A message with values: say`Send ${amount} to ${payee}?` */
export const say = (parts: TemplateStringsArray, ...values: readonly (Said | number)[]): Text =>
  new Text(
    parts.join('{}'),
    values.map((value) => (value instanceof Text ? value : String(value))),
  )

/** Marks a part of a message as a message itself: a plain string within a message would be a value. */
export const asText = (said: Said): Text => (typeof said === 'string' ? new Text(said) : said)

/** A word of the service, such as a status or the reason for a refusal, which a catalogue may lack. */
export const foreign = (word: string): Text => new Text(word, [], 'foreign')

/** Puts values into a template, in their order or by their numbers: `{}`, `{2}`. */
export function filled(template: string, values: readonly string[]): string {
  if (values.length === 0) return template
  let next = 0
  return template.replace(/\{(\d?)\}/g, (_, number) => values[number === '' ? next++ : Number(number) - 1] ?? '')
}

/** `nothing`: matches "Nothing was sent." at the end of a message, in the language of the message. */
export function inForm(text: string, form: Form | undefined, nothing: RegExp): string {
  if (form === 'sentence') return text.charAt(0).toUpperCase() + text.slice(1)
  return form === 'reason' ? text.replace(nothing, '').replace(/\.$/, '') : text
}

/**
 * Translations, keyed by their English templates: Spanish templates with `{}` for each value, or functions of the
 * values if a template is not enough, as for plurals and for values that are left out or translated.
 */
export type Catalogue = Readonly<Record<string, string | ((...values: string[]) => string)>>

/** Translates a message into the language of the run. */
export type Translate = (said: Said) => string

/** English needs no catalogue. */
export const inEnglish: Translate = String
