import { fileURLToPath } from 'node:url'

/** Path of an installed payctl to test instead of the built one, set by `npm run test:installed`. */
export const installed = process.env.PAYCTL_TESTS_PROGRAM || undefined

const script = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/** The file that users start as `payctl`. The built program needs `node` on the PATH. */
export const payctlFile = installed ?? script

/** The command of the payctl under test: a file and its arguments. By default the built bin/payctl.js on this Node. */
export const payctlCommand = (args: readonly string[] = []): [file: string, args: string[]] =>
  installed === undefined ? [process.execPath, [script, ...args]] : [installed, [...args]]

/** Words of a shell's command line that start payctl; payctl's arguments follow them. */
export const payctlInShell = payctlCommand()
  .flat()
  .map((word) => `'${word}'`)
  .join(' ')

/**
 * The command of the built payctl, with flags for its Node, such as `--require`. An installed payctl accepts no flags
 * for Node.
 */
export function payctlOnNode(flags: readonly string[], args: readonly string[]): [file: string, args: string[]] {
  if (installed !== undefined)
    throw new Error('This test passes flags to Node, so it needs an entry in test/installed/left_out.ts.')
  return [process.execPath, [...flags, script, ...args]]
}
