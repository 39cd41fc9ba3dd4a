import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { packed } from '../package/packed.ts'
import { blocksOf } from './guide_blocks.ts'

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

const { folder } = packed('vitest')
const bin = join(folder, 'node_modules/.bin')
mkdirSync(bin)
symlinkSync('../payctl/bin/payctl.js', join(bin, 'payctl'))
symlinkSync(fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url)), join(bin, 'vitest'))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')

/** Runs a command in a project with payctl and Vitest, and with the guides' files unchanged. */
function run(command: string) {
  const env = {
    PATH: `${dirname(process.execPath)}:${bin}:${process.env.PATH}`,
    PAYCTL_STATE_DIR: join(folder, 'state'),
    PAYCTL_CONTROL_URL: undefined,
    PAYCTL_BASE_URL: undefined,
    VITEST: undefined,
    FORCE_COLOR: undefined,
    NO_COLOR: '1',
  }
  return execa('sh', ['-c', command], { cwd: folder, env, all: true, reject: false, timeout: 60_000 })
}

// test/ecosystem/runners.test.ts runs the files of Jest.
const jest = blocksOf('testing.md', 'Jest').map(({ file }) => file)
const write = (blocks: ReturnType<typeof blocksOf>): void => {
  for (const { file, text } of blocks) if (file && !jest.includes(file)) writeFileSync(join(folder, file), text)
}
write([...blocksOf('testing.md'), ...blocksOf('worlds.md')])

const commandsIn = (page: string, heading?: string): readonly string[] =>
  blocksOf(page, heading)
    .filter(({ language, file }) => language === 'sh' && !file)
    .flatMap(({ text }) => text.trim().split('\n'))

describe('the guide on testing', () => {
  const sections: readonly (readonly [heading: string, report: RegExp])[] = [
    ['Vitest', /Tests +4 passed/],
    ['node:test and other runners', /pass 1\n/],
    ...(hasPytest ? ([['pytest', /1 passed/]] as const) : []),
    ['unittest', /Ran 1 test .*\nOK/s],
    ['Any language', /María Fernández Rojas.*World ended/s],
  ]

  it.for(sections)('%s: the commands run the examples', async ([heading, report]) => {
    const commands = commandsIn('testing.md', heading)
    expect(commands).not.toEqual([])
    for (const command of commands) {
      const { exitCode, all } = await run(command)
      expect({ command, exitCode, all }).toEqual({ command, exitCode: 0, all: expect.stringMatching(report) })
    }
  })
})

it('the guide on tests without a port: its suite passes', async () => {
  // Written only after the runs under `payctl emulate`: in those runs, a delivery can't call a function of the test.
  write(blocksOf('without-a-port.md', '`world.fetch`'))
  for (const command of commandsIn('without-a-port.md', '`world.fetch`')) {
    const { exitCode, all } = await run(command)
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(/Tests +3 passed/) })
  }
})

describe('the guide on worlds', () => {
  it('its commands work, one after the other', async () => {
    writeFileSync(join(folder, 'worlds.sh'), ['set -e', ...commandsIn('worlds.md')].join('\n'))
    const { exitCode, all } = await run('payctl emulate -- sh worlds.sh')
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringContaining('shop-7') })
  })

  it('its program runs', async () => {
    expect(await run('node orders.mjs')).toMatchObject({ exitCode: 0, all: '' })
  })
})
