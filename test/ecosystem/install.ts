import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

/** Folders with a package.json and a lock file of their own: payctl depends on nothing in them. */
const folders = ['containers', 'generators', 'runners']

/** Installs what the lock files name, where another or none has been installed. */
export default async function install(): Promise<void> {
  for (const name of folders) {
    const folder = fileURLToPath(new URL(name, import.meta.url))
    const lock = `${folder}/package-lock.json`
    const installed = `${folder}/node_modules/installed-lock.json`
    if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8')) continue
    // `npm ci` refuses a lock file without the optional packages of machines that its registry has none for.
    await execa('npm', ['install', '--no-save'], { cwd: folder })
    if (existsSync(`${folder}/node_modules`)) copyFileSync(lock, installed)
  }
}
