import type { ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'
import { SeedFile } from '../../src/contract/index.ts'
import { errorsOf } from '../http/validation.ts'
import { EmulatorRefusal } from '../options.ts'

/** Path to a value in a seed: `['accounts', 1, 'balance']`. */
export type Path = readonly (string | number)[]

/** A problem in a seed, and its place. */
export interface Problem {
  readonly path: Path
  readonly message: string
  /** `line:column` in the file. */
  readonly position?: string
  /** The unknown name, if the problem is an unknown reference; an empty string if a default entry is missing. */
  readonly reference?: string
}

/** Path as a string: `accounts[1].balance`. */
const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')

interface Content {
  /** First words of a message about content that is not from a file: `The seed`. */
  readonly subject: string
  /** Path of the JSON Schema of the content. */
  readonly schema: string
}

/** Refuses the content of a file, or an object given in its place. */
export class ContentRefusal extends EmulatorRefusal {
  readonly problems: readonly Problem[]
  /** The message without the problems. */
  readonly summary: string
  /** The problems by place: `world.yaml:12:7`, or without a file `accounts[1].balance`. */
  readonly errors: Readonly<Record<string, readonly string[]>>

  constructor({ subject, schema }: Content, problems: readonly Problem[], file?: string) {
    const placed = problems.map((problem) => placeOf(problem, file ?? subject.toLowerCase(), file !== undefined))
    const count = problems.length === 1 ? 'a fault' : `${problems.length} faults`
    const summary = `${file ?? subject} has ${count}; nothing was made from it.`
    const lines = placed.map(({ place, text }) => `  ${place}: ${text}`)
    super([summary, ...lines].join('\n'), `All fields are in the JSON Schema of the package, ${schema}.`)
    this.problems = problems
    this.summary = summary
    const groups = Map.groupBy(placed, ({ place }) => place)
    this.errors = Object.fromEntries([...groups].map(([place, all]) => [place, all.map(({ text }) => text)]))
  }
}

/** Refuses a seed. */
export class SeedRefusal extends ContentRefusal {
  constructor(problems: readonly Problem[], file?: string) {
    super({ subject: 'The seed', schema: 'payctl/seed-file.schema.json' }, problems, file)
    this.name = 'SeedRefusal'
  }
}

/** `whole` names the file, or the content that is not from a file. */
function placeOf(problem: Problem, whole: string, isFile: boolean): { place: string; text: string } {
  const { path, message, position } = problem
  const where = pathText(path) || whole
  if (!isFile) return { place: where, text: message }
  return { place: position ? `${whole}:${position}` : whole, text: path.length > 0 ? `${where}: ${message}` : message }
}

/** Lists the violations of a schema. */
export function shapeProblems(value: unknown, schema: TSchema = SeedFile): readonly Problem[] {
  const errors = errorsOf(schema, value)
  return errors.flatMap((error) => {
    const message = messageOf(error)
    return message === null ? [] : [{ path: pathOf(error, value), message }]
  })
}

function pathOf({ keyword, instancePath, params }: ErrorObject, value: unknown): Path {
  const names = instancePath.split('/').slice(1)
  const path: (string | number)[] = []
  let current = value
  for (const name of names) {
    path.push(Array.isArray(current) ? Number(name) : name)
    current = (current as Record<string, unknown>)[name]
  }
  return keyword === 'additionalProperties' ? [...path, params.additionalProperty] : path
}

/** Null for an error of a branch of the schema that does not apply. */
function messageOf({ keyword, params, parentSchema, data }: ErrorObject): string | null {
  if (keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')) return null
  const own = parentSchema?.['x-messages']?.[keyword]
  if (own !== undefined) return own
  switch (keyword) {
    case 'required':
      return `${params.missingProperty} is missing`
    case 'additionalProperties':
      return `is not a known field; known: ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`
    case 'type':
      if (params.type === 'string' && typeof data === 'number') return `must be text: write it in quotes, '${data}'`
      return `must be ${articles[params.type as string] ?? params.type}`
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`
    case 'const':
      return `must be ${params.allowedValue}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minLength':
    case 'minItems':
      return 'must not be empty'
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'uniqueItems':
      return 'has the same item twice'
    default:
      return 'has the wrong form'
  }
}

const articles: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
