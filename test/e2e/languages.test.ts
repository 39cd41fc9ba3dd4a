import { describe, expect, it } from 'vitest'
import { commandNames, isGroup, useSeparateFolder } from '../commands/example_arguments.ts'
import { everyNth } from '../support/full.ts'
import { rows } from './command_rows.ts'
import { type Ended, workplace } from './command_workplace.ts'
import { prepared } from './prepared.ts'

useSeparateFolder()

const names = commandNames.filter((name) => {
  const { asks, json = 'document' } = rows[name] ?? {}
  return (name in rows || !isGroup(name)) && !asks && (json === 'document' || json === 'lines')
})

/**
 * Output without the values that differ between any two runs: generated ids, names and tokens, and all numbers with
 * their sign.
 */
function lasting({ code, stdout }: Ended): object {
  const text = stdout
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\bint_\w+/g, 'INTENT')
    .replace(/\b(payee|new|renamed|imported|s|batch|world|w|limits|renewable)-[\w-]+/g, '$1-NAME')
    .replace(/"[\w-]{20,}"|"(revision|key)": ".*"|code=[\w-]+|^ *(name|description): .*/gm, 'GENERATED')
    .replace(/(?<=: )-?\d+|\d+/g, '9')
    .replace(/(9[.:,]?)+/g, '9')
  return { code, text }
}

describe.each(everyNth(names, 2))('%s --json', (name) => {
  it('prints the same in both languages', async () => {
    const at = await workplace()
    const [one, other] = [await prepared(name, at, ['--json']), await prepared(name, at, ['--json'])]
    const english = await one.atTerminal({ NO_COLOR: '1', LANG: 'en_US.UTF-8' })
    const spanish = await other.atTerminal({ NO_COLOR: '1', LANG: 'es_CR.UTF-8' })
    expect(lasting(spanish)).toEqual(lasting(english))
  })
})
