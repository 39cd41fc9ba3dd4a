import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { temporaryDirectory } from '../support/run_payctl.ts'

// Runs programs in the root of another system, as root of this machine.

/** A Debian that has only the named packages of this machine: without Node, a shell or a C compiler. */
export async function freshDebian(packages: readonly string[]) {
  const root = await temporaryDirectory()
  const copied: string[] = []
  for (const name of packages) {
    const { stdout } = await execa('dpkg-query', ['--listfiles', name])
    copied.push(...stdout.split('\n').filter((path) => existsSync(path) && !statSync(path).isDirectory()))
  }
  for (const path of copied) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(path, join(root, path), { verbatimSymlinks: true })
  }
  const database = join(root, 'var/lib/dpkg')
  for (const folder of ['info', 'updates', 'triggers']) mkdirSync(join(database, folder), { recursive: true })
  for (const folder of ['proc', 'tmp', 'root']) mkdirSync(join(root, folder))
  const { stdout } = await execa('dpkg-query', ['--status', ...packages])
  writeFileSync(join(database, 'status'), `${stdout}\n`)
  return root
}

export interface Login {
  readonly uid: number
  readonly gid: number
}

const asRoot: Login = { uid: 0, gid: 0 }

type Environment = Readonly<Record<string, string>>

/** Starts a program in a root, as process 1: all its processes end with it. */
export function startIn(root: string, command: readonly string[], env: Environment, { uid, gid } = asRoot) {
  const isolation = ['--mount', '--pid', '--fork', `--root=${root}`, '--mount-proc']
  const unshare = run('unshare', [...isolation, `--setuid=${uid}`, `--setgid=${gid}`, ...command], env)
  let isOver = false
  void unshare.then(() => {
    isOver = true
  })
  return Object.assign(unshare, {
    /** Sends a signal to the program: `kill` would send it to `unshare`. */
    signal: (name: NodeJS.Signals) => process.kill(childOf(unshare.pid), name),
    /** Kills the program and all its processes. */
    async end() {
      if (isOver) return
      process.kill(childOf(unshare.pid), 'SIGKILL')
      unshare.kill('SIGKILL')
      await unshare
    },
  })
}

/** Starts a program beside one that `startIn` started, like `docker exec`. */
export const startBeside = (pid: number | undefined, command: readonly string[], env: Environment, login = asRoot) =>
  run(
    'nsenter',
    [
      ...[`--target=${childOf(pid)}`, '--mount', '--pid', '--root'],
      ...[`--setuid=${login.uid}`, `--setgid=${login.gid}`, ...command],
    ],
    env,
  )

const run = (program: string, args: readonly string[], env: Environment) =>
  execa(program, args, { env, extendEnv: false, reject: false })

function childOf(pid = 0): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  if (child === '') throw new Error(`Process ${pid} has no child.`)
  return Number(child)
}

/** Paths in a root, sorted. */
export const pathsIn = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
