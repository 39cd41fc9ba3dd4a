import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ForeignFileError, requirePackagesFolder, writePackages } from './packages.ts'
import { type PlatformName, platforms } from './platforms.ts'
import { compareDigests, ReleaseError, requireExecutables, requireReleasable, sign } from './release_steps.ts'

// `npm run release -- --key <file> --signers <file> --expect <file>` runs the tests of the packages, builds the
// packages for all platforms, compares their digests with those from CI, and signs the list of digests.

const usage = `Usage: npm run release -- --key <file> --signers <file> --expect <file> [--folder release]

  --key      SSH key that signs; PAYCTL_RELEASE_KEY. For a key in an agent or a token, the public key
  --signers  list of the keys that users trust, in the form of ssh-keygen's allowed signers
  --expect   SHA256SUMS of the packages that CI has made of the same commit`

function options() {
  const { values } = parseArgs({
    options: {
      key: { type: 'string', default: process.env.PAYCTL_RELEASE_KEY ?? '' },
      signers: { type: 'string', default: '' },
      expect: { type: 'string', default: '' },
      folder: { type: 'string', default: 'release' },
    },
  })
  const { key, signers, expect } = values
  if (key === '' || signers === '' || expect === '') throw new ReleaseError(usage)
  // Checks the paths first, because building the packages takes ten minutes.
  for (const file of [key, signers, expect]) {
    if (!existsSync(file)) throw new ReleaseError(`${file} does not exist.`)
    if (isIn(values.folder, file))
      throw new ReleaseError(`${file} is in ${values.folder}, whose old content is deleted. Move the file elsewhere.`)
  }
  requirePackagesFolder(values.folder)
  return values
}

/** True if the folder contains the file, perhaps through a link. */
function isIn(folder: string, file: string): boolean {
  return existsSync(folder) && !relative(realpathSync(folder), realpathSync(file)).startsWith('..')
}

function npm(...args: readonly string[]): void {
  const { status } = spawnSync('npm', args, { stdio: 'inherit' })
  if (status !== 0) throw new ReleaseError(`npm ${args.join(' ')} failed. Nothing was signed.`)
}

try {
  const { key, signers, expect, folder } = options()
  requireReleasable('.')
  npm('run', 'build')
  npm('run', 'test:full', '--', 'test/package')
  const names = Object.keys(platforms) as PlatformName[]
  writePackages({ platforms: names, folder })
  requireExecutables(folder, names)
  compareDigests(folder, expect)
  copyFileSync(signers, join(folder, 'allowed_signers'))
  sign(folder, key, signers)
  console.log(`The packages are in ${folder}, signed, and equal to those of CI.`)
} catch (error) {
  const isWrongOption = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
  if (!(error instanceof ReleaseError || error instanceof ForeignFileError || isWrongOption)) throw error
  console.error((error as Error).message)
  process.exitCode = 1
}
