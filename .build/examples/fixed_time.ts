/** Start of the emulator's worlds, and date of all times in the documentation. */
const moment = Date.UTC(2026, 0, 5, 18)

/** Runs `work` with the machine's time frozen at `moment`. */
export async function inStillTime<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => moment
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
