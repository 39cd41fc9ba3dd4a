import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take at least a minute of the full tests, the longest first. */
const longest = [
  'e2e/every_command.test.ts',
  'package/two_clones.full.test.ts',
  'conformance/run.full.test.ts',
  'simulation/planted/planted.full.test.ts',
  'e2e/many_rows.full.test.ts',
  'e2e/interrupted_phases.full.test.ts',
  'e2e/kill.full.test.ts',
  'e2e/schemas.test.ts',
  'docs/guide_scripts.full.test.ts',
  'e2e/chaos/payouts.full.test.ts',
  'commands/hostile.test.ts',
  'commands/payments/batch.test.ts',
  'commands/payments/batch_cut_off.full.test.ts',
  'simulation/sequences/model.test.ts',
  'e2e/shop.full.test.ts',
]

/**
 * Starts the longest files first: a long file that began last would run alone at the end. Without results of an earlier
 * run, as in CI, Vitest alone would sort by size.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((file) => moduleId.endsWith(`/test/${file}`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

/**
 * Folder in memory, if possible: tests write thousands of databases, and each write waits for a disk. In containers
 * /dev/shm is often small, or can't run programs.
 */
function temporaryFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  const runsNoPrograms = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'))
  return runsNoPrograms || bavail * bsize < 4 * 1024 ** 3 ? tmpdir() : memory
}

/** `npm test`: the quick tests. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/**/*.full.test.ts', 'test/ecosystem/**'],
    setupFiles: ['test/support/own_environment.ts', 'test/support/seed.ts'],
    reporters: ['dot'],
    sequence: { sequencer: LongestFirst },
    // Several files share a worker and its imports, so each file restores the parts of the process that it changes.
    isolate: false,
    execArgv: [
      ...['--import', resolve('test/support/cell_widths.ts')],
      // Workers live long and make much garbage: by default V8 collects it 170 times, which takes a quarter of all CPU
      // time.
      ...['--initial-old-space-size=512', '--min-semi-space-size=16', '--max-semi-space-size=64'],
    ],
    // Tests wait for processes and disks: with one worker for each core, a quarter of the machine would be idle.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    restoreMocks: true,
    unstubEnvs: true,
    // Processes of tests do not see the developer's profiles, and share their compiled code.
    env: {
      TZ: 'UTC',
      TMPDIR: temporaryFolder(),
      PAYCTL_CONFIG_DIR: '/nowhere/payctl',
      // Every run tries the same cases, so that a failure comes from the change. Set the variable to try other cases.
      PAYCTL_TESTS_SEED: process.env.PAYCTL_TESTS_SEED ?? '0',
      XDG_CACHE_HOME: resolve('node_modules/.cache'),
    },
    // Many tests start processes, which takes long on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
