import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

/** Folders with a separate package.json and lock file: payctl depends on nothing in them. */
const folders = ['containers', 'generators', 'msw/v2', 'msw/v3', 'runners']

/** Programs that the tests run, and the Debian packages that contain them. */
const debianPackages = {
  'dbus-run-session': 'dbus',
  'gnome-keyring-daemon': 'gnome-keyring',
  haproxy: 'haproxy',
  promtool: 'prometheus',
  shellcheck: 'shellcheck',
  'systemd-analyze': 'systemd',
} as const

/** Installs the packages of the lock files and the Debian packages that are not installed yet. */
export default async function install(): Promise<void> {
  await installPrograms(debianPackages)
  for (const name of folders) {
    const folder = fileURLToPath(new URL(name, import.meta.url))
    const lock = `${folder}/package-lock.json`
    const installed = `${folder}/node_modules/installed-lock.json`
    if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8')) continue
    // `npm ci` refuses a lock file that lacks optional packages of platforms missing from its registry.
    await execa('npm', ['install', '--no-save'], { cwd: folder })
    if (existsSync(`${folder}/node_modules`)) copyFileSync(lock, installed)
  }
}

/**
 * Installs the Debian packages of missing programs; `programs`: packages by program. Needs Debian and root, as in the
 * container of CI; elsewhere, install the programs by hand before the tests.
 */
export async function installPrograms(programs: Readonly<Record<string, string>>): Promise<void> {
  const has = (program: string) =>
    (process.env.PATH ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`))
  const missing = Object.entries(programs).flatMap(([program, name]) => (has(program) ? [] : [name]))
  if (missing.length === 0) return
  // Test files install programs at the same time, and apt does not wait for another apt.
  const script = 'apt-get update && apt-get install --yes --no-install-recommends "$@"'
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await execa('flock', ['/var/lock/payctl-tests', 'sh', '-c', script, 'sh', ...missing], { env })
}
