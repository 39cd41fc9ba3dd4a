import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Creates a key in a folder, and a list of allowed signers that contains only this key. */
export function releaseKey(folder: string, name: string) {
  const key = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', key])
  const allowed = `payctl namespaces="payctl-release" ${readFileSync(`${key}.pub`, 'utf8')}`
  const signers = join(folder, `${name}.signers`)
  writeFileSync(signers, allowed)
  return { key, signers, allowed }
}
