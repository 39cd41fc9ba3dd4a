import { readdirSync, readFileSync } from 'node:fs'
import { kill, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

/** The program payctl. The sources and the bundle have the same path to it. */
export const payctlProgram = fileURLToPath(new URL('../../bin/payctl.js', import.meta.url))

/** Whether this machine has a process of this number. One of another user answers EPERM: it lives. */
export const isAlive = (pid: number): boolean => signalled(pid, 0)

/**
 * When a process began, in a form that only serves to compare: a number is given to another process later. Null where the
 * system does not tell, which is everywhere but on Linux.
 */
export const startOf = (pid: number): string | null => statOf(pid)?.start ?? null

/** Whether the process that began then still runs. */
export function isRunning(pid: number, start: string | null): boolean {
  if (!isAlive(pid)) return false
  const stat = statOf(pid)
  return !stat || (stat.isRunning && (start === null || stat.start === start))
}

/** Sends a signal to a process group; false if nobody is in it. */
export const signalGroup = (group: number, name: NodeJS.Signals): boolean => signalled(-group, name)

export function isGroupRunning(group: number): boolean {
  if (!signalled(-group, 0)) return false
  // Processes that have ended stay in it until somebody asks how, and where nobody is init nobody does.
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
  /** Clock ticks since the machine started. */
  readonly start: string
}

/** What Linux says of a process; undefined elsewhere, and if it is gone. */
function statOf(pid: number): Stat | undefined {
  if (platform !== 'linux') return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // After the name in brackets, which may contain brackets: state, parent, group; the start is the 20th.
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
    return [] // no Linux
  }
}
