import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { packageTime, settle, stage } from './staged.ts'

/** Debian's names for the architectures. */
export const debianArchitectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const

export type DebianPlatform = keyof typeof debianArchitectures

export const hasDeb = (platform: string): platform is DebianPlatform => Object.hasOwn(debianArchitectures, platform)

const { version } = manifest

const maintainer = 'payctl contributors <payctl@payctl.example>'

/** Writes a package for Debian and Ubuntu; returns its path. */
export function writeDeb(executable: string, folder: string, platform: DebianPlatform): string {
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    const usr = join(draft, 'usr')
    stage(platform, executable, usr, 'vendor-completions')
    followPolicy(join(usr, 'share'))
    writeControl(draft, debianArchitectures[platform])
    settle(draft)
    const file = join(folder, `payctl_${version}_${debianArchitectures[platform]}.deb`)
    // Uses one thread: with several threads, the output depends on their number.
    const same = ['--root-owner-group', '-Zxz', '-z2', '--threads-max=1']
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(packageTime) }
    execFileSync('dpkg-deb', [...same, '--build', draft, file], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    return file
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Gives the documents the names and the compression that Debian's policy requires. */
function followPolicy(share: string): void {
  const pages = readdirSync(join(share, 'man'), { recursive: true, withFileTypes: true })
  compress(...pages.filter((page) => page.isFile()).map((page) => join(page.parentPath, page.name)))
  const documents = join(share, 'doc/payctl')
  writeFileSync(join(documents, 'changelog'), changelog())
  compress(...['changelog', 'CHANGELOG.md', 'LICENSES.txt'].map((name) => join(documents, name)))
  writeFileSync(join(documents, 'copyright'), copyright())
  mkdirSync(join(share, 'lintian/overrides'), { recursive: true })
  writeFileSync(join(share, 'lintian/overrides/payctl'), overrides)
}

/** Uses gzip, because the output of Node's zlib depends on the processor. */
const compress = (...files: readonly string[]) => execFileSync('gzip', ['-9n', ...files])

const changelog = (): string => `payctl (${version}) unstable; urgency=medium

  * Version ${version} of payctl. Its changes are in CHANGELOG.md.gz.

 -- ${maintainer}  ${new Date(packageTime * 1000).toUTCString().replace('GMT', '+0000')}
`

const copyright = (): string => `payctl ${version}

Copyright: payctl contributors

${readFileSync('LICENSE', 'utf8').trim()}

The executable contains Node and other software. /usr/share/doc/payctl/LICENSES.txt.gz has the licences of all parts.
`

/** Overrides for lintian's findings about Node, which the package contains as the Node project distributes it. */
const overrides = `# The executable is Node as its project builds, tests and updates it: with its symbols and its own copies of libraries.
payctl: embedded-library *
payctl: unstripped-binary-or-object *
payctl: hardening-no-pie *
`

function writeControl(root: string, architecture: string): void {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  const bytes = paths.map((path) => statSync(join(root, path)).size).reduce((sum, size) => sum + size, 0)
  const md5 = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(root, path)))
      .digest('hex')
  const sums = paths.toSorted().map((path) => `${md5(path)}  ${path}\n`)
  mkdirSync(join(root, 'DEBIAN'))
  writeFileSync(join(root, 'DEBIAN/md5sums'), sums.join(''))
  writeFileSync(join(root, 'DEBIAN/control'), control(architecture, bytes))
}

/** Node needs the C library of Debian 10 or later, and the libraries of GCC. */
const control = (architecture: string, bytes: number): string => `Package: payctl
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.28), libstdc++6 (>= 6), libgcc-s1, libatomic1
Section: utils
Priority: optional
Description: payments from the terminal, and an emulator of the service
 payctl makes payments through a Costa Rican accounts and payments API, looks
 up IBANs and phone numbers, and runs an emulator of the whole service for
 tests.
 .
 The package consists of one executable file and its documents. The executable
 contains Node.
`
