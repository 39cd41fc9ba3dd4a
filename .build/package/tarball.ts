import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { digestOf } from './digests.ts'
import type { PlatformName } from './platforms.ts'
import { settle, stage, tar } from './staged.ts'

/** Writes `<name>.tar.xz`: the executable with its documents, and a script that installs them after checking digests. */
export function writeTarball(platform: PlatformName, executable: string, folder: string): string {
  const name = basename(executable)
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    const root = join(draft, name)
    mkdirSync(root)
    stage(platform, executable, root)
    copyFileSync('.build/package/install.sh', join(root, 'install.sh'))
    writeFileSync(join(root, 'SHA256SUMS'), digests(root))
    settle(root)
    tar(draft, [name], join(draft, 'payctl.tar'))
    // Uses one thread: with several threads, the output depends on their number.
    execFileSync('xz', ['-2', '--threads=1', join(draft, 'payctl.tar')])
    const file = join(folder, `${name}.tar.xz`)
    copyFileSync(join(draft, 'payctl.tar.xz'), file)
    return file
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Digests of all files that the script installs, in the form of sha256sum. */
function digests(root: string): string {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path !== 'install.sh' && statSync(join(root, path)).isFile())
    .sort()
  return files.map((path) => `${digestOf(join(root, path))}  ${path}\n`).join('')
}
