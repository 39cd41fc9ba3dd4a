import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

/** Folders with a separate package.json and lock file: payctl depends on nothing in them. */
const folders = ['containers', 'generators', 'msw/v2', 'msw/v3', 'runners']

/** Installs the packages of the lock files, unless they are installed. */
export default async function install(): Promise<void> {
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
