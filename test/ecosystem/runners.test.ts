import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../docs/guide_blocks.ts'
import { installPacked } from '../package/packed.ts'

const folder = fileURLToPath(new URL('runners', import.meta.url))
const payctl = `${folder}/node_modules/payctl/bin/payctl.js`

/** Permissions with which Deno loads `payctl/emulator` without a prompt. */
const denoRights = ['--allow-net', '--allow-read', '--allow-env', '--allow-sys', '--allow-ffi']

/** Name, command, and the output when all tests have passed. */
type Run = readonly [name: string, command: readonly string[], report: RegExp, env?: NodeJS.ProcessEnv]

const runs: Run[] = [
  ['Jest, CommonJS', ['jest', 'jest.test.cjs'], /Tests: +7 passed, 7 total/],
  ['Jest, in one process', ['jest', 'jest.test.cjs', '--runInBand'], /Tests: +7 passed, 7 total/],
  [
    'Jest, ES modules',
    ['jest', 'jest_esm'],
    /Tests: +3 passed, 3 total/,
    { NODE_OPTIONS: '--experimental-vm-modules' },
  ],
  ['Jest with ts-jest', ['jest', 'jest_types'], /Tests: +4 passed, 4 total/],
  ['the types, by an older compiler', ['tsc', '-p', '.'], /^$/],
  ['node:test', ['node', '--test', 'suites/node.test.mjs'], /pass 4\n.*fail 0/s],
  ['Bun', ['bun', 'test', './suites/bun.test.ts'], /6 pass\n +0 fail/],
  ['Deno', ['deno', 'test', '--no-check', ...denoRights, 'suites/deno.test.ts'], /2 passed .* 0 failed/],
]

/** Under `payctl emulate` the runner needs no SQLite. */
const underEmulate: Run[] = [
  ['Jest', ['jest', 'jest.test.cjs'], /Tests: +7 passed, 7 total/],
  ['Bun', ['bun', 'test', './suites/bun.test.ts'], /6 pass\n +0 fail/],
  ['Deno', ['deno', 'test', '--no-check', ...denoRights.slice(0, 3), 'suites/deno.test.ts'], /1 passed .* 0 failed/],
]

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  execa(program, args, {
    ...{ cwd: folder, preferLocal: true, localDir: folder, all: true, reject: false },
    env: { VITEST: undefined, PAYCTL_CONTROL_URL: undefined, DENO_NO_UPDATE_CHECK: '1', ...env },
  })

beforeAll(() => void installPacked(folder))

describe('the packed library is used by', () => {
  it.for(runs)('%s', async ([, [program = '', ...args], report, env]) => {
    const { exitCode, all } = await run(program, args, env)
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(report) })
  })
})

it('the examples of the guide on Jest run as they stand', async () => {
  const project = `${folder}/guide`
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project)
  for (const { file, text } of blocksOf('testing.md', 'Jest')) writeFileSync(`${project}/${file}`, text)
  const { exitCode, all } = await run('jest', ['--rootDir', project, '-c', `${project}/jest.config.cjs`])
  expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(/Tests: +1 passed, 1 total/) })
})

describe('under payctl emulate it is used by', () => {
  it.for(underEmulate)('%s', async ([, command, report]) => {
    const { exitCode, all } = await run(process.execPath, [payctl, 'emulate', '--settle', 'manual', '--', ...command])
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(report) })
  })
})
