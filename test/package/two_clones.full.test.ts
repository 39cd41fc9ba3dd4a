import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'
import { digestOf } from '../../.build/package/digests.ts'
import { builtPackages } from './built_packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A clone of this checkout in another folder, with uncommitted changes included, and with the same npm packages.
 */
async function clone(): Promise<string> {
  // A folder in memory could not have hard links to node_modules.
  const folder = mkdtempSync('/var/tmp/payctl clone ')
  // The clone has many files: deleting them takes long on a busy disk.
  onTestFinished(() => rmSync(folder, { recursive: true }), 600_000)
  const copy = join(folder, 'a much longer name than that of the checkout', 'payctl')
  await execa('git', ['clone', '--quiet', '--no-hardlinks', root, copy])
  const { stdout } = await execa('git', ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all'], {
    cwd: root,
  })
  for (const path of stdout
    .split('\0')
    .map((line) => line.slice(3))
    .filter(Boolean)) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(copy, path))
    else rmSync(join(copy, path))
  }
  const modules = [join(root, 'node_modules'), join(copy, 'node_modules')] as const
  const linked = await execa('cp', ['-al', ...modules], { reject: false })
  if (linked.exitCode !== 0) {
    rmSync(modules[1], { recursive: true, force: true })
    await execa('cp', ['-a', ...modules])
  }
  return copy
}

/** Explains the difference of two packages, if diffoscope is installed. */
async function difference(ours: string, theirs: string): Promise<string> {
  const { exitCode, stdout } = await execa('diffoscope', ['--max-report-size=20000', ours, theirs], { reject: false })
  return exitCode === undefined ? 'Install diffoscope to see the difference.' : stdout
}

/** Builds the packages in a clone, with other user settings. Returns their folder. */
async function packagesOfClone(): Promise<string> {
  const copy = await clone()
  const folder = join(dirname(copy), 'packages')
  const script = 'umask 077; node .build/build.ts && node .build/package/package.ts --folder "$0"'
  const env = {
    PATH: `${copy}/node_modules/node/bin:${process.env.PATH}`,
    HOME: dirname(copy),
    TZ: 'Pacific/Kiritimati',
    LC_ALL: 'C',
  }
  await execa('sh', ['-c', script, folder], { cwd: copy, env, extendEnv: false })
  return folder
}

it('a clone in another place, as another user sees it, gives the same bytes', { timeout: 1_200_000 }, async () => {
  // The checkout builds its packages first: the clone takes Node from the checkout, because the clone is built without
  // this user's npm settings.
  const { folder, ...ours } = await builtPackages()
  const theirs = await packagesOfClone()
  for (const file of [...Object.values(ours), join(folder, 'SHA256SUMS')]) {
    const other = join(theirs, basename(file))
    if (digestOf(file) !== digestOf(other)) expect.fail(`${basename(file)} differs.\n${await difference(file, other)}`)
  }
})
