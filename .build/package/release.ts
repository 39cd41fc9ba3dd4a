import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writePackages } from './packages.ts'
import { type PlatformName, platforms } from './platforms.ts'
import { compareDigests, ReleaseError, requireExecutables, requireReleasable, sign } from './release_steps.ts'

// `npm run release -- --key <file> --signers <file> --expect <file>` tests the packages, makes those of all platforms,
// compares them with those of CI, and signs the list of their digests.

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
  if (values.key === '' || values.signers === '' || values.expect === '') throw new ReleaseError(usage)
  return values
}

const npm = (...args: readonly string[]) => execFileSync('npm', args, { stdio: 'inherit' })

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
  if (!(error instanceof ReleaseError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
