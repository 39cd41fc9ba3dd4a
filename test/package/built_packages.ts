import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/payctl-packages')

/** `flock` lets one test file build the packages while the others wait. */
const makeOnce = `
  test -d "$2" && exit
  rm -rf "$1" && mkdir -p "$1"
  node_modules/node/bin/node .build/package/package.ts --folder "$2.draft" && mv "$2.draft" "$2"`

/** Paths of the packages for Linux x64 that the checkout builds. All test files share these packages. */
export async function builtPackages() {
  const { stdout: time } = await execa('git', ['log', '-1', '--format=%ct'], { cwd: root })
  const folder = join(cache, keyOf(time))
  await execa('flock', [`${cache}.lock`, 'sh', '-c', makeOnce, 'sh', cache, folder], { cwd: root })
  const versioned = join(folder, `payctl-${manifest.version}-linux-x64`)
  return {
    folder,
    file: versioned,
    tarball: `${versioned}.tar.xz`,
    image: `${versioned}.oci.tar`,
    deb: join(folder, `payctl_${manifest.version}_amd64.deb`),
  }
}

/**
 * Changes if the packages change: hashes the build, the scripts that build packages, and the time of the last commit.
 */
function keyOf(time: string): string {
  const scripts = globSync('.build/package/*', { cwd: root }).toSorted()
  const files = ['node_modules/.cache/payctl-build', 'CHANGELOG.md', 'LICENSE', ...scripts]
  const hash = createHash('sha256').update(time)
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
