import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { command } from '../../cli/command.ts'
import { hintOf } from '../../cli/next_step.ts'
import { text } from '../../cli/prints.ts'
import { reporterOf } from '../../cli/reporter.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { fileFault } from '../../files/file_fault.ts'
import type { Scale } from '../../masking/masks.ts'
import { wallClock } from '../../real_time.ts'
import { counted } from '../../run/counts.ts'
import { refuseExisting, seedText, writePrivate, writeTarget } from './exported_file.ts'

export const seed = command({
  summary: 'Make a seed file that resembles a real service',
  about: 'Make a seed file, for payctl emulate --seed-file. To make one from a world: payctl emulator export --seed.',
  examples: ['payctl emulator seed from-service --profile sandbox seed.yaml'],
  commands: { 'from-service': () => fromService },
})

/** Parses a factor above 0 and at most 1, with at most six decimals; returns a fraction. */
function scaleFrom(given: string): Scale {
  const [, whole = '', decimals = ''] = /^([01])(?:\.(\d{1,6}))?$/.exec(given) ?? []
  const [times, over] = [BigInt(`${whole}${decimals}` || '0'), 10n ** BigInt(decimals.length)]
  if (times > 0n && times <= over) return { times, over }
  throw new InvalidArgumentError('Give a number above 0 and at most 1, with at most six decimals: 0.1')
}

const newKey = (): string => randomBytes(32).toString('hex')

/** Reads the masking key from a file. If the file is missing, writes a new key to it. */
function keyIn(file: string): string {
  if (!existsSync(file)) {
    const key = newKey()
    writePrivate(file, `${key}\n`)
    return key
  }
  const key = readText(file).trim()
  if (key !== '') return key
  throw new UsageError(`${file} is empty.`, 'Name another file, or a file that does not exist yet.')
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} can’t be read: ${fileFault(error)}.`, 'Name a file that you can read.')
  }
}

const fromService = command({
  summary: 'Make a seed file that resembles a service and names nobody',
  about:
    'Read accounts, history, payees, webhook subscriptions and rates of a service, and write a seed file that resembles ' +
    'it and names nobody. Names, documents, phones, IBANs, descriptions, URLs and ids are replaced: equal values by ' +
    'equal values, in the same form. Only reads, and keeps a tenth of the rate limit free.',
  args: { '[file]': { about: 'YAML file that only its owner can read (default: stdout)', of: 'file' } },
  flags: {
    '--scale <factor>': { about: 'multiply all amounts by a factor of at most 1, such as 0.1', parse: scaleFrom },
    '--key-file <file>': {
      about:
        'make the same replacements in every run with this file, which is created if it is missing (default: different replacements each time)',
      of: 'file',
    },
    '--no-lookups': { about: 'do not look up payees, to save a request for each: closed accounts then look open' },
    '--force': { about: 'replace an existing file' },
  },
  prints: text,
  examples: [
    'payctl emulator seed from-service --profile sandbox seed.yaml',
    'payctl emulator seed from-service --profile sandbox --scale 0.1 seed.yaml',
  ],
  details:
    'Times, statuses, channels and the banks of IBANs do not change; fees change only with --scale. Keep the file of --key-file secret: anyone who has it can check ' +
    'guesses of the original values against the seed.',
  async run({ file = '-', force = false, scale = { times: 1n, over: 1n }, keyFile, lookups }, context) {
    const { output, signal, globals } = context
    const target = { file, force }
    refuseExisting(target)
    const key = keyFile === undefined ? newKey() : keyIn(keyFile)
    const [{ readService }, { maskedSeed }, { settings }, client] = await Promise.all([
      import('../../masking/service_content.ts'),
      import('../../masking/masked_seed.ts'),
      context.target(),
      context.client(),
    ])
    const reporter = reporterOf(context)
    const source = { client, provider: settings.fxProvider, looksUp: lookups !== false, reporter, signal }
    const content = await readService(source)
    const { seed, leftOut } = maskedSeed(content, { key, scale, now: wallClock() })
    const comments = [
      'Made from a service: names, documents, phones, IBANs, descriptions, URLs and ids are generated.',
      ...leftOut.map((what) => `Left out: ${what}.`),
    ]
    if (!(await writeTarget(target, await seedText(seed, comments), context))) return
    const { accounts = [], payments = [] } = seed
    output.note(`${counted(accounts.length, 'account')} and ${counted(payments.length, 'payment')} written.`)
    for (const what of leftOut) output.note(`Left out: ${what}.`)
    output.note(hintOf(toRun(['emulate', '--seed-file', file], 'Start from it'), globals))
  },
})
