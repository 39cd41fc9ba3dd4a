import { kill } from 'node:process'

/** Whether this machine has a process of this number. One of another user answers EPERM: it lives. */
export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
