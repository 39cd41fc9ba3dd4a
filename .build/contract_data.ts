import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Plugin } from 'rolldown'

const folder = join('src', 'contract')

/**
 * Gives the command line, with the emulator in it, the contract as the JSON it is made of: making its schemas from
 * functions takes 5 ms at every start of the emulator.
 */
export const contractData: Plugin = {
  name: 'contract as data',
  async load(id) {
    if (!id.includes(folder) || !makesSchemas.test(readFileSync(id, 'utf8'))) return null
    const exported: [string, unknown][] = Object.entries(await import(id))
    return exported
      .filter(([, value]) => isData(value))
      .map(([name, value]) => `export const ${name} = /* @__PURE__ */ ${literal(value)}`)
      .join('\n')
  },
}

/** Modules of schemas and of tables. */
const makesSchemas = /^import \{.*\b(Type|endpoint)\b.*\} from '(typebox|\.{1,2}\/endpoint\.ts)'$/m

/** Not a function that makes schemas of schemas, such as a page of them: all that it makes is here. */
const isData = (value: unknown): boolean => isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'), value)

const literal = (value: unknown): string => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
