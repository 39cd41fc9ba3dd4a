import { readdirSync, readFileSync } from 'node:fs'
import { kill, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { nextTurn } from '../real_time.ts'

/** Path of the program payctl; the same relative path works from the sources and from the bundle. */
export const payctlProgram = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/**
 * True if a process with this id exists. For a process of another user, the system reports EPERM: the process exists.
 */
export const isAlive = (pid: number): boolean => signalled(pid, 0)

/**
 * Start of a process, only for comparison: ids are reused. Null if the system does not report it; only Linux does.
 */
export const startOf = (pid: number): string | null => statOf(pid)?.start ?? null

/** True if the process with this id and start still runs. */
export function isRunning(pid: number, start: string | null): boolean {
  if (!isAlive(pid)) return false
  const stat = statOf(pid)
  return !stat || (stat.isRunning && (start === null || stat.start === start))
}

/** Sends a signal to a process group; false if the group is empty. */
export const signalGroup = (group: number, name: NodeJS.Signals): boolean => signalled(-group, name)

export function isGroupRunning(group: number): boolean {
  if (!signalled(-group, 0)) return false
  // Zombies stay in the group until their parent reaps them, and without an init process nobody reaps them.
  const members = processes().flatMap((pid) => statOf(pid) ?? [])
  return members.length === 0 || members.some((stat) => stat.group === group && stat.isRunning)
}

function signalled(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    kill(target, name)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

interface Stat {
  readonly isRunning: boolean
  readonly group: number
  /** Start of the process, in clock ticks after the machine started. */
  readonly start: string
}

/** Reads Linux's status of a process; undefined on other systems, or if the process is gone. */
function statOf(pid: number): Stat | undefined {
  if (platform !== 'linux') return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // State, parent and group follow the name, which is in brackets and may contain brackets; the start is the 20th
    // field after the name.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { isRunning: !/[ZX]/.test(fields[0] ?? ''), group: Number(fields[2]), start: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return [] // not Linux
  }
}

/**
 * Resolves after signals that arrived during synchronous work have aborted the runs. Node handles signals in the poll
 * phase of its event loop, which the second immediate is certain to follow.
 */
export async function signalsHandled(): Promise<void> {
  await nextTurn()
  await nextTurn()
}
