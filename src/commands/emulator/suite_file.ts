import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { makeFolder } from '../../files/directories.ts'
import { fileFault } from '../../files/file_fault.ts'
import { isStream, replaceContent } from '../../files/private_file.ts'
import { byteSize } from '../../output/byte_size.ts'
import { columnsOf } from '../../output/columns.ts'
import { write } from '../../run/sink.ts'
import { isStdout, refuseExisting } from './exported_file.ts'

/** File in the package for each test runner, and the usual place of its copy in a project. */
const suiteFiles = {
  pytest: ['payctl_world.py', 'payctl_world.py'],
  go: ['payctltest.go', 'payctltest/payctltest.go'],
  junit: ['PayctlWorld.java', 'src/test/java/payctl/PayctlWorld.java'],
  playwright: ['playwright.ts', 'payctl_test.ts'],
  node: ['node_test.mjs', 'payctl_world.mjs'],
  jest: ['jest.cjs', 'payctl_world.cjs'],
  vitest: ['vitest.ts', 'payctl_test.ts'],
} as const

type Runner = keyof typeof suiteFiles

const runners = Object.keys(suiteFiles) as Runner[]

const folder = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.cjs') ? '../suite_files' : '../../../.build/suite_files',
)

export const helper = command({
  summary: 'Write a file that gives each test of your suite a world',
  about:
    'Write one file into your project that gives each test a world: its token and accounts, its clock, waits and ' +
    'assertions. You may change the file; its first lines show how to use it.',
  args: {
    '<runner>': { about: 'test runner of the suite', choices: runners },
    '[file]': {
      about:
        'file to write; - for stdout (default: payctl_world or payctl_test in this folder, or where the language expects it)',
      of: 'file',
    },
  },
  flags: { '--force': { about: 'replace an existing file' } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).exportedFile),
  examples: [
    'payctl emulator helper pytest',
    'payctl emulator helper go',
    'payctl emulator helper vitest test/payctl_test.ts',
  ],
  details:
    `Places: ${runners.map((runner) => `${runner} ${suiteFiles[runner][1]}`).join(', ')}. For Python, Go and Java the ` +
    'suite runs under payctl emulate and the file needs nothing else; for the other runners, payctl must be a development dependency.',
  async run({ runner, file: given, force = false }, context) {
    const [source, usual] = suiteFiles[runner as Runner]
    const file = given ?? usual
    const text = readFileSync(join(folder, source), 'utf8')
    if (isStdout(file)) return write(context.io.stdout, text, context.signal)
    refuseExisting({ file, force })
    try {
      makeFolder(dirname(file), 0o777)
      if (isStream(file)) replaceContent(file, text)
      else writeFileSync(file, text, { flag: force ? 'w' : 'wx' })
    } catch (error) {
      throw new UsageError(
        `${file} can’t be written: ${fileFault(error)}.`,
        'Name a file in a folder that you can write to.',
      )
    }
    const written = { file, size_bytes: Buffer.byteLength(text) }
    await context.output.record(written, columnsOf<typeof written>('file', byteSize('size_bytes')))
    context.output.note('The first lines of the file show how to use it.')
  },
})
